#!/usr/bin/env bash
# scripts/released.sh FOLDER: downloads the site of every release to FOLDER/TAG, for scripts/pages.mjs. A release
# without a complete site.zip is reported and skipped, so that the others are still deployed. Needs gh and unzip.
set -euo pipefail
out=${1:?a folder for the sites}
mkdir -p "$out"
tags=$(gh release list --limit 100 --exclude-drafts --json tagName --jq '.[].tagName')
for tag in $tags; do
  part=$(mktemp -d)
  if gh release download "$tag" --pattern site.zip --dir "$part" && unzip -q "$part/site.zip" -d "$part/site" && [ -f "$part/site/index.html" ]; then
    mv "$part/site" "$out/$tag"
  else
    echo "released: $tag has no site.zip that can be used; it gets no folder" >&2
  fi
  rm -rf "$part"
done
