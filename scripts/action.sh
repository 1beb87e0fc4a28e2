#!/usr/bin/env bash
# The steps of action.yml, which sets the variables.
#
#   action.sh command   finds or downloads the command gemmscope
#   action.sh pin TAG SHA256SUMS   writes scripts/action.sums after a release, for the commit that others pin
#   action.sh check     writes verdict, report and page into a folder, the job summary and the step's outputs; the
#                       verdict's exit code is an output, so that the files are kept before the job fails. Where a
#                       branch keeps the runs, it is read, and the run of the default branch added to it
#
# The runner interprets lines of the log that begin with "::". While a command runs that prints text from files, it is
# told to ignore them until a random word, which nobody else knows.
set -euo pipefail
# A single stream, so that the output of the command stays between the lines around it.
exec 2>&1

word=
quiet() {
  word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$word"
}
# Works even after an unterminated line of the command.
obey() {
  [ -z "$word" ] || printf '\n::%s::\n' "$word"
  word=
}
trap obey EXIT

die() { obey; echo "::error::$*"; exit 1; }
output() { echo "$1=$2" >>"$GITHUB_OUTPUT"; }

# fetch FILE: from the release.
fetch() {
  curl -fsSL --retry 3 -o "$1" "$from/$1" || die "$from has no $1: use the action at a release, or build the command and name it with command:"
}

# pin_step TAG SHA256SUMS: the digests of a release in the action's own tree. A commit cannot hold those of its own build.
pin_step() {
  { echo "# release $1"; grep '  gemmscope-[a-z0-9_]*-linux\.tar\.gz$' "$2"; } >"$(dirname "${BASH_SOURCE[0]}")/action.sums"
}

command_step() {
  if [ -n "$COMMAND" ]; then
    "$COMMAND" --version >/dev/null || die "command: $COMMAND does not run"
    output command "$COMMAND"
    return
  fi
  local name folder from tag pinned sums=$ACTION/scripts/action.sums
  name=gemmscope-$(uname -m)-$(uname -s | tr '[:upper:]' '[:lower:]').tar.gz
  folder=$(mktemp -d "$RUNNER_TEMP/gemmscope-command-XXXXXX")
  pinned=$(sed -n 's/^# release \(v[0-9][0-9A-Za-z.-]*\)$/\1/p' "$sums")
  # At a commit or a branch: the release that this tree names, with its digests. A tag of another release has its own.
  case $ACTION_REF in v[0-9]*) tag=$ACTION_REF ;; *) tag=$pinned ;; esac
  [ -n "$tag" ] || die "the action at $ACTION_REF names no release: use it at a later commit or at a release, or build the command and name it with command:"
  from=$GITHUB_SERVER_URL/$ACTION_REPOSITORY/releases/download/$tag
  cd "$folder"
  fetch "$name"
  if [ "$tag" != "$pinned" ]; then
    fetch SHA256SUMS
    sums=SHA256SUMS
  fi
  grep "^[0-9a-f]\{64\}  $name\$" "$sums" | sha256sum --check --quiet || die "$name is not what $(basename "$sums") says"
  tar -xzf "$name"
  output command "$folder/gemmscope"
}

# Expands the wildcards in a line of the input into the array `found`, for any file names.
expand() {
  local IFS=
  found=("$1")
  if [ ! -e "$1" ]; then
    shopt -s nullglob
    # shellcheck disable=SC2206 # The pattern is to be expanded; without IFS no name is split.
    found=($1)
    shopt -u nullglob
    # Without a match the pattern stays, and the command reports that there is no such file.
    [ ${#found[@]} -gt 0 ] || found=("$1")
  fi
}

# Where the job runs, so that runs of two machines are told apart. The name of a hosted runner is new each time.
host() {
  case ${RUNNER_ENVIRONMENT-} in
    github-hosted) echo "GitHub-hosted ${RUNNER_OS-} ${RUNNER_ARCH-}" ;;
    *) echo "${RUNNER_NAME-}" ;;
  esac
}

# Lays the branch with the runs into a new folder, whose name is then in `history`; an empty one where there is no such
# branch yet.
lay_history() {
  local found=0 commit empty
  git ls-remote --exit-code --heads origin "refs/heads/$HISTORY" >/dev/null || found=$?
  case $found in
    0)
      git fetch -q --no-tags --depth=1 origin "refs/heads/$HISTORY" || return 1
      commit=FETCH_HEAD
      ;;
    2)
      empty=$(git hash-object -t tree -w /dev/null) || return 1
      commit=$(git -c user.name=gemmscope -c user.email=gemmscope@localhost commit-tree "$empty" -m 'Runs over time') || return 1
      ;;
    *) return 1 ;;
  esac
  history=$(mktemp -d "$RUNNER_TEMP/gemmscope-history-XXXXXX")
  git worktree add -q --force --detach "$history" "$commit"
}

# Adds the run of these files to the branch. Another job may push in between: then it is laid anew and tried again.
keep_history() {
  local try
  for try in 1 2 3 4 5; do
    lay_history || break
    "$COMMAND" history ${DEVICE:+"--device=$DEVICE"} --keep "$history" --commit "$SHA" --run "${GITHUB_RUN_NUMBER-}" --host "$(host)" -- "$@" || break
    git -C "$history" add -A history.json runs
    git -C "$history" -c user.name=gemmscope -c user.email=gemmscope@localhost commit -q -m "Run of ${SHA:0:7}"
    ! git push -q origin "$(git -C "$history" rev-parse HEAD):refs/heads/$HISTORY" || return 0
    sleep $((try * ${HISTORY_PAUSE-2}))
  done
  return 1
}

# Maximum bytes of a job summary on GitHub, less some for the verdict.
SUMMARY_LIMIT=${SUMMARY_LIMIT-900000}

# The first blocks of a document, each complete: a cut table or character would spoil what follows.
blocks() {
  LC_ALL=C awk -v limit="$SUMMARY_LIMIT" -v RS= '
    { size += length($0) + 2; if (size > limit) { print "The rest is in report.md of the artifact."; exit } printf "%s\n\n", $0 }
  ' "$1"
}

check_step() {
  local folder files=() found=() limits=() common=() said=() line file code=0 history= kept=
  # A new one each time: a job may use the action twice.
  folder=$(mktemp -d "$RUNNER_TEMP/gemmscope-XXXXXX")
  while IFS= read -r line; do
    [ -n "$line" ] || continue
    expand "$line"
    for file in "${found[@]}"; do
      # "-" alone would mean standard input.
      case $file in -) files+=(./-) ;; *) files+=("$file") ;; esac
    done
  done <<<"$FILES"
  [ ${#files[@]} -gt 0 ] || die "files: none given"
  [ -z "$DEVICE" ] || common+=("--device=$DEVICE")
  [ -z "$STATE" ] || common+=("--state=$STATE")
  [ -z "$MIN_EFFICIENCY" ] || limits+=("--min-efficiency=$MIN_EFFICIENCY")
  [ "$BASELINE" != - ] || BASELINE=./-
  [ -z "$BASELINE" ] || limits+=("--baseline=$BASELINE")
  if [ -n "$HISTORY" ]; then
    lay_history || die "history: the branch $HISTORY cannot be read: check out the repository first (actions/checkout)"
    # The first time there are no runs yet.
    [ ! -f "$history/history.json" ] || limits+=("--history=$history/history.json" "--host=$(host)")
  fi
  if [ -z "$HISTORY" ] || [ -f "$history/history.json" ]; then
    [ -z "$MAX_REGRESSION" ] || limits+=("--max-regression=$MAX_REGRESSION")
    [ "$ALLOW_MISSING" != true ] || limits+=(--allow-missing)
  fi
  # The first time there is no comment yet.
  [ ! -s "$COMMENT" ] || said+=("--comment=$COMMENT")
  [ -z "$SHA" ] || said+=("--run=${SHA:0:7}")

  quiet
  if [ ${#limits[@]} -gt 0 ]; then
    "$COMMAND" check "${common[@]}" "${limits[@]}" "${said[@]}" --form markdown -- "${files[@]}" >"$folder/comment.md" || code=$?
    # The same as JSON; what is wrong was said above.
    "$COMMAND" check "${common[@]}" "${limits[@]}" --json -- "${files[@]}" >"$folder/check.json" 2>"$folder/messages.jsonl" || true
    case $code in 0) output held true ;; 3) output held false ;; *) output held "" ;; esac
    [ -s "$folder/comment.md" ] || printf '### GEMM check: not judged\n\nThe files could not be read: see the log.\n' >"$folder/comment.md"
  else
    printf '### GEMM benchmark\n\nNo limit is set.\n' >"$folder/comment.md"
    output held ""
  fi

  # Readable files are reported, whatever the verdict.
  "$COMMAND" report "${common[@]}" -o "$folder/report.md" -- "${files[@]}" || [ "$code" != 0 ] || code=1
  if [ "$HISTORY_GROWS" = true ] && [ -n "$HISTORY" ]; then
    keep_history "${files[@]}" || kept=no
  fi
  local page=0
  "$COMMAND" page "${common[@]}" -o "$folder/gemmscope.html" -- "${files[@]}" || page=$?
  obey
  if [ "$page" = 0 ]; then
    output page "$folder/gemmscope.html"
  else
    echo "::warning::no page was made"
  fi
  [ -z "$kept" ] || echo "::warning::the run was not added to the branch of the history: the job needs permissions: contents: write"
  local gone
  gone=$(grep -o '"gone":[0-9]*' "$folder/check.json" 2>/dev/null | grep -o '[1-9][0-9]*$' || true)
  [ -z "$gone" ] || echo "::warning::GEMMs of the baseline that were not measured: $gone"
  {
    cat "$folder/comment.md"
    if [ -f "$folder/report.md" ]; then
      printf '\n<details><summary>Findings</summary>\n\n'
      blocks "$folder/report.md"
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
  pin) pin_step "${2:?a tag}" "${3:?SHA256SUMS of the release}" ;;
  *) die "action.sh: command, check or pin" ;;
esac
