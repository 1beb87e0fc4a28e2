#!/bin/sh
# sh loop.sh TRACE DEVICE COMMAND...: what costs most in a trace, measured by itself, then again after COMMAND, which
# changes what is to be better (installs another library, writes a tuning file).
set -eu
trace=$1 device=$2
shift 2

# What was measured. A file that cannot be read ends the script, and its line says why.
gemmscope summary "$trace" --device "$device" --json > summary.jsonl

# What costs most and why: for a program, and for people.
gemmscope report "$trace" --device "$device" --json > report.json
gemmscope report "$trace" --device "$device" -o report.md

# A script for every finding, which checks its GEMM against double precision and times it.
gemmscope replay "$trace" --device "$device" --flagged -o replays
sh replays/run_all.sh
mv replays/results.csv before.csv

# The change, and the same measurements again.
"$@"
sh replays/run_all.sh
mv replays/results.csv after.csv

# Better? Exit code 3 if a GEMM takes over 2 % longer than before; check.json says which.
gemmscope check after.csv --baseline before.csv --max-regression 2% --json > check.json
