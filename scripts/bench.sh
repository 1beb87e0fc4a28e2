#!/usr/bin/env bash
# make bench: times for reading, computing and drawing, natively and in Chromium; tables here, JSON in benches/out/.
#   scripts/bench.sh [native|browser] [--big]      --big adds 5 million rows
# PEERS=FOLDER names a benchmark of other stacks for the same work (default: our reference beside the checkout); its
# figures follow ours, measured at the same time on the same machine. The browser part measures dist/ as it is: run
# `make build` first.
set -euo pipefail
cd "$(dirname "$0")/.."
part=all
rows=(10000 100000 1000000)
for word in "$@"; do
  case "$word" in
    native | browser) part=$word ;;
    --big) rows+=(5000000) ;;
    *)
      echo "usage: scripts/bench.sh [native|browser] [--big]" >&2
      exit 2
      ;;
  esac
done
if [ -f .tools/env ]; then
  # shellcheck disable=SC1091
  . .tools/env
fi
data=benches/out/data
mkdir -p "$data"
# A file is generated again if the generator changed.
make_file() {
  if [ ! -s "$3" ] || [ scripts/gen_gemm_csv.mjs -nt "$3" ]; then
    node scripts/gen_gemm_csv.mjs "$1" "$3" --kind "$2"
  fi
}
files=()
for n in "${rows[@]}"; do
  make_file "$n" long "$data/long-$n.csv"
  files+=("$data/long-$n.csv")
done
make_file 50000 trace "$data/trace-50000.csv"
# Tiles and iterations: data of the tile map and the tuning history.
make_file 100000 sweep "$data/sweep-100000.csv"
if [ "$part" != browser ]; then
  echo "== native"
  cargo bench --quiet --locked --bench native -- --json benches/out/native.json "${files[@]}" "$data/trace-50000.csv" "$data/sweep-100000.csv"
fi
if [ "$part" != native ]; then
  echo
  echo "== browser"
  if [ ! -f dist/index.html ]; then
    echo "dist/ is empty: run \`make build\` first"
    exit 1
  fi
  node benches/browser.mjs --data "$data" --rows "$(IFS=,; echo "${rows[*]}")" --json benches/out/browser.json
  peers=${PEERS:-../shared/bench/peers}
  if [ -f "$peers/bench.mjs" ]; then
    echo
    echo "== other stacks, a million rows"
    mkdir -p benches/out/peers
    cp -R "$peers/." benches/out/peers
    chmod -R u+w benches/out/peers
    # It may name a browser other than the one here.
    sed -i "s#'/usr/bin/chromium'#'${CHROME:-/usr/bin/chromium}'#" benches/out/peers/bench.mjs
    (
      cd benches/out/peers
      npm install --silent --no-audit --no-fund
      node bench.mjs --sizes 1000000 --reps 3 --nothrottle --peers udsv-uplot,duckdb1,handjs 2>/dev/null
    )
  fi
fi
