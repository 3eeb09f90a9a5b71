#!/usr/bin/env bash
# The steps of the action beside it: an SPRT between two commits of the engine in whose repository it
# starts. It reads SPRT_* (the inputs of action.yml) and GITHUB_*, and writes the verdict into a check and a
# comment of the pull request, the summary of the job and the outputs of the step. It fails if the test
# does, not if the test is undecided. Needs bash, git, jq and curl; and go, unless SPRT_ASSAY is a program.
#
#   SPRT_BUILD='make EXE={out}' SPRT_BASE=main SPRT_NODES=20000 SPRT_ASSAY=assay sprt.sh      # without GitHub
set -euo pipefail

# secret moves a secret out of the environment of the builds and the engines.
secret() { printf -v "$1" %s "${!2:-}"; export -n "${1?}"; unset "$2"; }
token=''
secret token SPRT_TOKEN

error() { echo "::error::$*" >&2; }
for program in git jq curl; do
  command -v "$program" >/dev/null || { error "needs $program"; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
title=${SPRT_TITLE:-SPRT}

# commit prints the full name of a commit.
commit() {
  git rev-parse --verify --quiet --end-of-options "$1^{commit}" && return
  case $1 in
  *[!0]*)
    if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
      error "no commit $1 in this clone: name another, or give actions/checkout the setting fetch-depth: 0"
    else
      error "no commit $1 in this clone, which is complete; a forced push may have replaced it: set base"
    fi
    ;;
  *) error "nothing came before the first push of this branch: set base, to the default branch for example" ;;
  esac
  return 1
}
head=$(commit "${SPRT_HEAD:-HEAD}")
if [ -n "${SPRT_BASE:-}" ]; then
  base=$(commit "$SPRT_BASE")
elif [ -n "${SPRT_TARGET:-}" ]; then
  target=$(commit "$SPRT_TARGET")
  if ! base=$(git merge-base "$target" "$head"); then
    error "no commit that $target and $head have in common: set base"
    exit 1
  fi
else
  error "no commit to beat: set base"
  exit 1
fi
[ "$base" != "$head" ] || { error "head and base are the same commit, $head: set base"; exit 1; }

# The folder of the run stays. Without one of the job's own it is made only now, when there is something to play.
folder=${RUNNER_TEMP:-$(mktemp -d)}/assay-$(tr -c '[:alnum:]\n' - <<<"$title")
mkdir -p "$folder"

assay=${SPRT_ASSAY:-}
if [ -z "$assay" ]; then
  assay=$work/assay
  (cd "$GITHUB_ACTION_PATH/../../.." && go build -pgo=off -o "$assay" ./cmd/assay)
fi

flags=(--sprt "${SPRT_ELO0:-0},${SPRT_ELO1:-5}" --games "${SPRT_GAMES:-10000}" --seed "${SPRT_SEED:-1}")
[ -z "${SPRT_BUILD:-}" ] || flags+=(--build "$SPRT_BUILD")
if [ -n "${SPRT_TC:-}" ]; then
  flags+=(--tc "$SPRT_TC")
elif [ -n "${SPRT_NODES:-}" ]; then
  flags+=(--nodes "$SPRT_NODES")
fi
[ -z "${SPRT_BOOK:-}" ] || flags+=(--book "$SPRT_BOOK")
if [ -n "${SPRT_ARGS:-}" ]; then
  read -ra more <<<"$SPRT_ARGS"
  flags+=("${more[@]}")
fi
options=${SPRT_OPTIONS:+?$SPRT_OPTIONS}
again=(assay match "git:${head:0:12}$options" "git:${base:0:12}$options" "${flags[@]}")

# The result: passed, failed, undecided or error; in a line; and what it rests on.
verdict=error headline='' games='' wdl='' pentanomial='' llr=''

# run runs a command, prints what it prints, and keeps it: output in the file text, errors in log.
run() {
  local code=0
  "$@" 2>&1 >"$work/text" | tee "$work/log" >&2 || code=$?
  cat "$work/text"
  return "$code"
}

# facts reads the result from JSON by a jq program that makes a list of it.
facts() {
  local list
  mapfile -t list < <(jq -r "def two: (. * 100 | round) / 100; $1 | .[]" "$2")
  games=${list[0]} wdl=${list[1]} pentanomial=${list[2]} llr=${list[3]} headline=${list[4]:-}
}

play() {
  local code=0
  run "$assay" match "name=head:git:$head$options" "name=base:git:$base$options" "${flags[@]}" --out "$folder" \
    --exit-status || code=$?
  case $code in 0) verdict=passed ;; 3) verdict=failed ;; 4) verdict=undecided ;; esac
  [ ! -f "$folder/result.json" ] || facts '[.games, "+\(.wins) =\(.draws) -\(.losses)", (.pentanomial | join(",")),
    if .llr then "\(.llr | two) (\(.lower | two), \(.upper | two)), \(.sprt.model) Elo \(.sprt.elo0) to \(.sprt.elo1)"
    else "" end]' \
    "$folder/result.json"
  headline=$(head -n 1 "$work/text")
  [ -n "$headline" ] || headline="ERROR: $(sed -n 's/^assay: //p' "$work/log" | head -n 1)"
}

# words prints a command line, with quotes where a shell needs them.
words() {
  local word list=()
  for word; do
    case $word in *[!a-zA-Z0-9_./:=,+@%-]*) word=${word@Q} ;; esac
    list+=("$word")
  done
  echo "${list[*]}"
}

# report prints the text of check and comment.
report() {
  printf '**%s**\n' "$headline"
  if [ -n "$pentanomial" ]; then
    printf '\n| | |\n|---|---|\n'
    printf '| games of head | %s: %s |\n' "$games" "$wdl"
    printf '| pairs: 0, ½, 1, 1½, 2 points | %s |\n' "${pentanomial//,/, }"
    [ -z "$llr" ] || printf '| LLR | %s |\n' "$llr"
    printf '| head, base | %s, %s |\n' "$head" "$base"
  fi
  printf '\n    %s\n' "$(words "${again[@]}")"
  [ -z "${GITHUB_RUN_ID:-}" ] || printf '\n[Games and report](%s/%s/actions/runs/%s)\n' \
    "${GITHUB_SERVER_URL:-https://github.com}" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID"
}

# api sends a request to GitHub, with a body if there is one, and prints the answer.
api() { # METHOD PATH [FILE]
  curl --silent --show-error --fail-with-body --retry 3 --max-time 60 --request "$1" --header @"$work/headers" \
    ${3:+--data-binary @"$3"} "${GITHUB_API_URL:-https://api.github.com}/repos/$GITHUB_REPOSITORY/$2"
}

# upload makes the check.
upload() {
  local conclusion
  case $verdict in passed) conclusion=success ;; undecided) conclusion=neutral ;; *) conclusion=failure ;; esac
  jq -n --arg name "$title" --arg sha "$head" --arg conclusion "$conclusion" --arg line "$headline" \
    --rawfile text "$work/report" '{name: $name, head_sha: $sha, status: "completed", conclusion: $conclusion,
      output: {title: $line, summary: $text}}' >"$work/check"
  api POST check-runs "$work/check" >"$work/answer"
}

# comment writes the comment, or changes the one that an earlier run wrote.
comment() {
  local mark="<!-- assay sprt: ${title//-->/} -->" id
  jq -n --arg mark "$mark" --arg title "$title" --rawfile text "$work/report" \
    '{body: "\($mark)\n### \($title)\n\n\($text)"}' >"$work/comment"
  api GET "issues/$SPRT_PULL/comments?per_page=100" >"$work/answer" || return
  id=$(jq -r --arg mark "$mark" \
    '[.[] | select(.user.type == "Bot" and (.body | startswith($mark))) | .id][0] // ""' "$work/answer")
  if [ -n "$id" ]; then
    api PATCH "issues/comments/$id" "$work/comment" >"$work/answer"
  else
    api POST "issues/$SPRT_PULL/comments" "$work/comment" >"$work/answer"
  fi
}

# try sends something, and says if GitHub refuses it; then the summary of the job has the report still.
try() { # WORD FUNCTION PERMISSION
  "$2" && return
  echo "::warning::no $1: the token needs the permission $3 (pull requests of forks do not have it):" \
    "$(head -c 300 "$work/answer" | tr '\n' ' ')" >&2
}

# add appends to a file of the job, or prints where there is none.
add() { if [ -n "$1" ]; then cat >>"$1"; else cat; fi; }

play
report | tee "$work/report" | add "${GITHUB_STEP_SUMMARY:-}"
printf '%s\n' "verdict=$verdict" "headline=$headline" "games=$games" "pentanomial=$pentanomial" "folder=$folder" |
  add "${GITHUB_OUTPUT:-}"
if [ -n "$token" ]; then
  (umask 077 && printf '%s\n' "Authorization: Bearer $token" 'Accept: application/vnd.github+json' \
    'X-GitHub-Api-Version: 2022-11-28' >"$work/headers")
  : >"$work/answer"
  try check upload 'checks: write'
  [ -z "${SPRT_PULL:-}" ] || try comment comment 'pull-requests: write'
fi
case $verdict in
passed | undecided) ;;
*)
  error "$headline"
  exit 1
  ;;
esac
