#!/usr/bin/env bash
# scripts/steady.sh [runs]: runs the browser tests repeatedly under conditions that break tests which wait for the wrong
# thing: a clone in the temporary folder whose path has a space and an umlaut, a busy loop on every processor, a browser
# with a six times slower CPU, another order of files, one and eight files at a time. Each run has one of these, in
# turn. Ends with a line per run, and fails if one did. `make test-steady` calls it, after building the site.
set -euo pipefail
cd "$(dirname "$0")/.."
RUNS=${1:-10}
ROOT=$PWD
SCRATCH=$(mktemp -d)
CLONE="$SCRATCH/gemmscope prüft/clone"
BUSY=()
calm() {
  if [ ${#BUSY[@]} -gt 0 ]; then kill "${BUSY[@]}" 2>/dev/null || true; fi
  BUSY=()
}
trap 'calm; rm -rf "$SCRATCH"' EXIT

[ -f dist/index.html ] || { echo 'steady: dist/ is empty: run `make build` first' >&2; exit 2; }
cargo build --locked -q -p gemmscope-cli
git clone -q . "$CLONE"
# Test what was built here.
mkdir -p "$CLONE/target/debug" "$CLONE/target/wasm32-unknown-unknown"
cp -r dist "$CLONE/dist"
cp target/debug/gemmscope "$CLONE/target/debug/"
ln -s "$ROOT/target/wasm32-unknown-unknown/site" "$CLONE/target/wasm32-unknown-unknown/site"
ln -s "$ROOT/e2e/node_modules" "$CLONE/e2e/node_modules"
unset CARGO_TARGET_DIR GEMMSCOPE_DIST

failed=0
said=()
for ((run = 1; run <= RUNS; run++)); do
  settings=()
  case $((run % 5)) in
    1) what='beside a busy loop on every processor' ;;
    2) what='a browser six times slower'; settings=(GEMMSCOPE_THROTTLE=6) ;;
    3) what='in reversed order, one file at a time'; settings=(GEMMSCOPE_ORDER=reverse GEMMSCOPE_JOBS=1) ;;
    4) what="shuffled by $run, eight files at a time"; settings=(GEMMSCOPE_ORDER="$run" GEMMSCOPE_JOBS=8) ;;
    0) what="shuffled by $run, beside a busy loop on every processor"; settings=(GEMMSCOPE_ORDER="$run") ;;
  esac
  case $((run % 5)) in
    0 | 1) for ((i = 0; i < $(nproc); i++)); do (while :; do :; done) & BUSY+=($!); done ;;
  esac
  echo "== run $run of $RUNS: $what"
  start=$SECONDS result=passed
  (cd "$CLONE" && env CI=true "${settings[@]}" node e2e/run.mjs) || { result=FAILED; failed=1; }
  calm
  said+=("$(printf '%2d  %-60s %s in %d s' "$run" "$what" "$result" $((SECONDS - start)))")
done
printf '%s\n' "${said[@]}"
exit $failed
