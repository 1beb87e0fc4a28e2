#!/usr/bin/env bash
# scripts/ask_image.sh ENGINE IMAGE: runs the container of deploy/ as the guide says and as Kubernetes does (without
# root, read-only except for /tmp), and requests the page, its program and a missing file. ENGINE is docker or podman.
set -euo pipefail
engine=$1 image=$2 port=${PORT:-18080}
id=$($engine run --detach --publish "127.0.0.1:$port:8080" --read-only --tmpfs /tmp --cap-drop ALL --user 101 ${RUN_OPTIONS:-} "$image")
trap '[ $? = 0 ] || $engine logs "$id" >&2; $engine rm --force "$id" >/dev/null' EXIT
base=http://127.0.0.1:$port
page=$(curl -fsS --retry 20 --retry-delay 1 --retry-all-errors "$base/")
wasm=$(grep -o 'gemmscope-page-[0-9a-f]*_bg\.wasm' <<< "$page" | head -n 1)
type=$(curl -fsS -o /dev/null -w '%{content_type}' "$base/$wasm")
missing=$(curl -sS -o /dev/null -w '%{http_code}' "$base/no/such")
[ "$type" = application/wasm ] || { echo "$wasm comes as $type" >&2; exit 1; }
[ "$missing" = 404 ] || { echo "a missing file answers $missing" >&2; exit 1; }
echo "$image serves $wasm"
