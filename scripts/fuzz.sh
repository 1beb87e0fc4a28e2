#!/usr/bin/env bash
# Runs the fuzz targets one after another on the stable compiler, and reports what each of them found.
#
#   scripts/fuzz.sh SECONDS [TARGET...]   default: all targets
#
# A target starts from fuzz/seeds and the fixtures. Inputs worth keeping go to fuzz/corpus, failing ones to
# fuzz/artifacts. A failing input, minimised, becomes a file in fuzz/seeds, which tests/fuzz_checks.rs reads, or a test
# in tests/import_corpus.rs.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-120}
shift || true
if [ $# -eq 0 ]; then
  targets=(fuzz/fuzz_targets/*.rs)
  targets=("${targets[@]##*/}")
  set -- "${targets[@]%.rs}"
fi

# Instrumentation for libFuzzer: inline edge counters, their table, and operands of comparisons.
pass=-Cllvm-args=-sanitizer-coverage
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module $pass-level=4 $pass-inline-8bit-counters $pass-pc-table $pass-trace-compares -Cdebug-assertions -Ccodegen-units=1"
host=$(rustc -vV | sed -n 's/^host: //p')
folder=${FUZZ_TARGET_DIR:-$PWD/fuzz/target}
bins=()
for target in "$@"; do bins+=(--bin "$target"); done
# With an explicit target, the flags do not apply to build scripts.
cargo build --quiet --release --manifest-path fuzz/Cargo.toml --target "$host" --target-dir "$folder" "${bins[@]}"

broken=0
for target in "$@"; do
  mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target" "fuzz/seeds/$target"
  log=fuzz/artifacts/$target.log
  "$folder/$host/release/$target" "fuzz/corpus/$target" "fuzz/seeds/$target" tests/fixtures \
    -artifact_prefix="fuzz/artifacts/$target/" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2000 -max_len=8192 \
    -fork=1 -ignore_crashes=1 >"$log" 2>&1 || { tail -n 25 "$log" >&2; exit 1; }
  runs=$(sed -n 's/^#\([0-9]*\):.*/\1/p' "$log" | tail -n 1)
  found=$(find "fuzz/artifacts/$target" -type f | wc -l)
  printf '%-12s %s executions, %s inputs that break it\n' "$target" "${runs:-0}" "$found"
  [ "$found" -eq 0 ] || broken=1
done
exit $broken
