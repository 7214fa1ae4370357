#!/usr/bin/env bash
# Shows that the outputs of a job have the same SHA-256 in all of these cases: on one thread and on two,
# with any batch size, from a file and from a pipe, when the job was killed (SIGKILL) KILLS times and
# resumed, and in parts that `embd convert` puts together.
#
#   check_reproducible.sh EMBD [MODEL [TEXTS]]     KILLS=200
#
# Without MODEL, the program's default model is used. Without TEXTS, the script makes 2000 lines.
set -euo pipefail
embd=$(realpath "${1:?usage: $0 EMBD [MODEL [TEXTS]]}")
if [ -n "${2:-}" ]; then EMBD_MODEL=$(realpath "$2"); export EMBD_MODEL; fi
texts=${3:+$(realpath "$3")}
kills=${KILLS:-200}
formats=(npy cvc fvecs jsonl)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
RANDOM=7

if [ -z "$texts" ]; then
  texts=texts.txt
  words=(the cat sat on a mat stock market fell today kitten rests "東京" naïve)
  for ((i = 0; i < 2000; i++)); do
    line=$i
    for ((n = RANDOM % 40; n > 0; n--)); do line+=" ${words[RANDOM % ${#words[@]}]}"; done
    echo "$line"
  done >texts.txt
fi

# run NAME [OPTION...]: embeds into all formats in one pass. In the background, the process of the function becomes the program, so
# that a kill reaches it.
run() {
  local name=$1
  shift
  local command=("$embd" embed --on-truncate ignore "$@")
  for format in "${formats[@]}"; do command+=(-o "$name.$format"); done
  if [ "$BASHPID" = "$$" ]; then "${command[@]}"; else exec "${command[@]}"; fi
}
failed=0
# check NAME WHAT: compares the hashes of the outputs of NAME with the hashes of the outputs of `one`, and prints the results.
check() {
  for format in "${formats[@]}"; do
    local sum result=same
    sum=$(sha256sum <"$1.$format")
    if [ "$sum" != "$(sha256sum <"one.$format")" ]; then result=DIFFERENT failed=1; fi
    printf '%-9s %-5s %.16s  %s\n' "$result" "$format" "$sum" "$2"
  done
}

started=$(date +%s%N)
run one "$texts" -t 1
seconds=$((($(date +%s%N) - started) / 1000000))
check one "1 thread"

run two "$texts" -t 2
check two "2 threads"

for tokens in $(shuf --random-source="$embd" -e 1 17 64 100 384 1000 5000 | head -4); do
  run batch "$texts" --batch-tokens "$tokens"
  check batch "blocks of $tokens tokens"
done

run pipe - <"$texts"
check pipe "from a pipe"

done_kills=0
in_journal=0  # the number of kills that came when the journal had rows
while [ "$done_kills" -lt "$kills" ]; do
  run killed "$texts" --resume --batch-tokens 64 &
  process=$!
  sleep "$(printf '0.%03d' $((RANDOM % (seconds < 999 ? seconds + 1 : 999))))"
  kill -KILL "$process" 2>/dev/null || true
  if wait "$process" 2>/dev/null; then
    cmp -s killed.npy one.npy || failed=1
    rm -r killed.*
  else
    done_kills=$((done_kills + 1))
    [ "$(stat -c %s killed.npy.journal 2>/dev/null || echo 0)" -lt 8000 ] || in_journal=$((in_journal + 1))
  fi
done
run killed "$texts" --resume --batch-tokens 64
check killed "killed $kills times, $in_journal of them with rows in the journal"
if compgen -G 'killed.*.tmp' >/dev/null || [ -e killed.npy.journal ]; then
  echo "killed runs left something behind" && failed=1
fi

split -n l/3 "$texts" part.
for part in part.a?; do run "$part" "$part"; done
for format in "${formats[@]}"; do "$embd" convert part.a?."$format" "joined.$format"; done
check joined "three parts put together"

exit "$failed"
