#!/usr/bin/env bash
# Runs the fuzz targets one after another on the stable compiler, and says what each of them found.
#
#   scripts/fuzz.sh SECONDS [TARGET...]   all targets where none is named
#
# A target starts from fuzz/seeds and the fixtures. Inputs that are worth keeping go to fuzz/corpus, those that break
# something to fuzz/artifacts. Such an input, made small, becomes a file in fuzz/seeds, which tests/fuzz_checks.rs reads,
# or a test in tests/import_corpus.rs.
set -euo pipefail
cd "$(dirname "$0")/.."

TOOLS=${GEMMSCOPE_TOOLS:-$PWD/.tools}
PATH=$TOOLS/bin:$PATH
seconds=${1:-120}
shift || true

if ! command -v cargo-fuzz >/dev/null; then
  echo 'fuzz: cargo-fuzz (builds and runs the targets) ...'
  cargo install --quiet --locked cargo-fuzz --root "$TOOLS"
fi
if [ $# -eq 0 ]; then
  # shellcheck disable=SC2046 # one word a target
  set -- $(cargo fuzz list)
fi

target_dir=${FUZZ_TARGET_DIR:-$PWD/fuzz/target}
broken=0
for target in "$@"; do
  mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target" "fuzz/seeds/$target"
  log=fuzz/artifacts/$target.log
  cargo fuzz run --sanitizer none --target-dir "$target_dir" "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" tests/fixtures -- \
    -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2000 -max_len=8192 -fork=1 -ignore_crashes=1 \
    >"$log" 2>&1 || { tail -n 25 "$log" >&2; exit 1; }
  runs=$(sed -n 's/^#\([0-9]*\):.*/\1/p' "$log" | tail -n 1)
  found=$(find "fuzz/artifacts/$target" -type f | wc -l)
  printf '%-12s %s executions, %s inputs that break it\n' "$target" "${runs:-0}" "$found"
  [ "$found" -eq 0 ] || broken=1
done
exit $broken
