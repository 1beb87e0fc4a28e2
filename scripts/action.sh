#!/usr/bin/env bash
# The steps of action.yml, which sets the variables.
#
#   action.sh command   finds or fetches the command gemmscope
#   action.sh check     verdict, report and page into a folder, the job's summary and the step's outputs; the verdict's
#                       exit code is an output, so that the files are kept before the job fails
set -euo pipefail

die() { echo "::error::$*"; exit 1; }
output() { echo "$1=$2" >>"$GITHUB_OUTPUT"; }

command_step() {
  if [ -n "$COMMAND" ]; then
    "$COMMAND" --version >/dev/null || die "command: $COMMAND does not run"
    output command "$COMMAND"
    return
  fi
  local name folder from
  name=gemmscope-$(uname -m)-$(uname -s | tr '[:upper:]' '[:lower:]').tar.gz
  folder=$RUNNER_TEMP/gemmscope-command
  from=$GITHUB_SERVER_URL/$ACTION_REPOSITORY/releases/download/$ACTION_REF
  mkdir -p "$folder"
  cd "$folder"
  for file in "$name" SHA256SUMS; do
    curl -fsSL --retry 3 -o "$file" "$from/$file" ||
      die "$from has no $file: use the action at a release (@v0.1.0), or build the command and name it with command:"
  done
  grep " $name\$" SHA256SUMS | sha256sum --check --quiet || die "$name is not what the release's SHA256SUMS says"
  tar -xzf "$name"
  output command "$folder/gemmscope"
}

# Most bytes of a job's summary that GitHub takes, less some for the verdict.
SUMMARY_LIMIT=900000

check_step() {
  local folder=$RUNNER_TEMP/gemmscope files=() found=() limits=() common=() line code=0
  mkdir -p "$folder"
  while IFS= read -r line; do
    [ -n "$line" ] || continue
    # Without a match the name stays, and the command says that there is no such file.
    mapfile -t found < <(compgen -G "$line" || echo "$line")
    files+=("${found[@]}")
  done <<<"$FILES"
  [ ${#files[@]} -gt 0 ] || die "files: none given"
  [ -z "$DEVICE" ] || common+=(--device "$DEVICE")
  [ -z "$STATE" ] || common+=(--state "$STATE")
  [ -z "$MIN_EFFICIENCY" ] || limits+=(--min-efficiency "$MIN_EFFICIENCY")
  [ -z "$BASELINE" ] || limits+=(--baseline "$BASELINE")
  [ -z "$MAX_REGRESSION" ] || limits+=(--max-regression "$MAX_REGRESSION")

  : >"$folder/comment.md"
  if [ ${#limits[@]} -gt 0 ]; then
    "$COMMAND" check "${common[@]}" "${limits[@]}" --form markdown -- "${files[@]}" >"$folder/comment.md" || code=$?
    # The same as JSON; what is wrong was said above.
    "$COMMAND" check "${common[@]}" "${limits[@]}" --json -- "${files[@]}" >"$folder/check.json" 2>"$folder/messages.jsonl" || true
    case $code in 0) output held true ;; 3) output held false ;; *) output held "" ;; esac
    [ -s "$folder/comment.md" ] || printf '### GEMM check: not judged\n\nThe files could not be read: see the log.\n' >"$folder/comment.md"
  else
    printf '### GEMM benchmark\n\nNo limit is set.\n' >"$folder/comment.md"
    output held ""
  fi

  # What can be read is shown, whatever the verdict.
  "$COMMAND" report "${common[@]}" -o "$folder/report.md" -- "${files[@]}" || [ "$code" != 0 ] || code=1
  if "$COMMAND" page "${common[@]}" -o "$folder/gemmscope.html" -- "${files[@]}"; then
    output page "$folder/gemmscope.html"
  else
    echo "::warning::no page was made"
  fi
  {
    cat "$folder/comment.md"
    if [ -f "$folder/report.md" ]; then
      printf '\n<details><summary>Findings</summary>\n\n'
      head -c "$SUMMARY_LIMIT" "$folder/report.md"
      printf '\n</details>\n'
    fi
  } >>"$GITHUB_STEP_SUMMARY"
  printf '\n[Findings, and the page with the data](%s/%s/actions/runs/%s)\n' \
    "$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID" >>"$folder/comment.md"
  output comment "$folder/comment.md"
  output folder "$folder"
  output code "$code"
}

case ${1-} in
  command) command_step ;;
  check) check_step ;;
  *) die "action.sh: command or check" ;;
esac
