#!/usr/bin/env bash
# scripts/released.sh FOLDER: the site of every release into FOLDER/TAG, for scripts/pages.mjs. A release without a whole
# site.zip is named and passed over: it must not keep the others from being deployed. Needs gh and unzip.
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
