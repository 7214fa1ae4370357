#!/usr/bin/env bash
# Builds the program for Windows with Debian's MinGW GCC, and shows under Wine that it writes the bytes that the program for Linux
# writes: vectors in three arithmetics and all formats, converted models, indexes, names with letters of other alphabets, directories,
# and a job that was killed and resumed.
#
#   check_windows.sh EMBD          EMBD is the program for Linux, built here
set -euo pipefail
linux=$(realpath "${1:?usage: $0 EMBD}")
cd "$(dirname "$0")/.."
data=$PWD/tests/data

bash scripts/port_sysroot.sh
cmake --preset windows >/dev/null
cmake --build build/windows -j "$(nproc)" --target embd_cli
windows=$PWD/build/windows/cli/embd.exe
model=$PWD/models/all-MiniLM-L6-v2.weights

folder=$(mktemp -d)
trap 'wineserver -k 2>/dev/null || true; rm -rf "$folder"' EXIT
export WINEPREFIX=$folder/wine WINEDEBUG=-all EMBD_MODEL=$model
mkdir "$folder"/{linux,windows}
wine "$windows" --version

failed=0
input=/dev/null  # what both programs read from standard input
# both ARGUMENT...: runs both programs, each in its own folder. Both must end with the same exit code.
both() {
  local on_linux=0 on_windows=0
  (cd "$folder/linux" && "$linux" "$@") <"$input" >"$folder/linux.out" 2>"$folder/linux.err" || on_linux=$?
  (cd "$folder/windows" && wine "$windows" "$@") <"$input" >"$folder/windows.out" 2>"$folder/windows.err" || on_windows=$?
  if [ "$on_linux" != "$on_windows" ]; then
    echo "DIFFERENT exit codes $on_linux and $on_windows: embd $*"
    cat "$folder/windows.err"
    failed=1
  fi
}
# same WHAT: compares all files, and what was printed last, and removes the files.
same() {
  local result=same files
  files=$(cd "$folder/linux" && find . -type f | wc -l)
  diff <(cd "$folder/linux" && find . -type f -exec sha256sum {} + | LC_ALL=C sort) \
    <(cd "$folder/windows" && find . -type f -exec sha256sum {} + | LC_ALL=C sort) || result=DIFFERENT
  cmp "$folder/linux.out" "$folder/windows.out" || result=DIFFERENT
  [ "$result" = same ] || failed=1
  echo "$result: $1 ($files files)"
  rm -rf "$folder"/{linux,windows}/*
}

awk 'BEGIN { srand(7); split("the cat sat on a mat stock market fell today kitten rests 東京 naïve", words, " ")
  for (i = 0; i < 120; i++) { line = i; for (n = int(rand() * 40); n > 0; n--) line = line " " words[1 + int(rand() * 14)]
    print line } }' >"$folder/texts.txt"
texts=$folder/texts.txt

all=(npy cvc fvecs fbin jsonl fifu usearch w2v.bin vec parquet svs terms)
outputs=()
for format in "${all[@]}"; do outputs+=(-o "v.$format"); done

for arithmetic in f32 bf16 int8; do
  both embed "$texts" --compute "$arithmetic" --on-truncate ignore "${outputs[@]}"
  same "embed --compute $arithmetic, ${#all[@]} formats"
done
EMBD_KERNELS=portable both embed "$texts" -o v.npy -t 2 --on-truncate ignore
same "the portable kernels on two threads"
input=$texts
both embed - -o - --output-format npy
input=/dev/null
same "standard input to standard output"

for type in f32 f16 bf16 int8; do both model convert "$data/families/distilbert_mean" "$type.weights" --dtype "$type"; done
same "model convert"

both embed "$texts" -o v.npy --on-truncate ignore
for format in cvc fifu svs usearch parquet; do both convert v.npy "v.$format"; done
both convert v.npy v.svs  # a directory is replaced
both index v.npy -o hnsw.usearch
both index v.npy -o vamana.svs
both index v.npy -o words.terms
both search hnsw.usearch -q "the stock market" -k 5
same "convert and index"

both embed "$texts" -o 'ä日.npy' --on-truncate ignore
both convert 'ä日.npy' 'Österreich 日本.svs'
both search 'ä日.npy' -q 'naïve 東京' -k 3
same "names with letters of other alphabets"

mkdir -p "$folder"/{linux,windows}/notes/日
cp "$data"/../../docs/s*.md "$folder/linux/notes/日/" && cp "$data"/../../docs/s*.md "$folder/windows/notes/日/"
for on in linux windows; do mkdir "$folder/$on/notes/empty"; done
both split notes -o passages.jsonl
same "split"

# The job is killed at moments when its journal has rows, and resumed.
both embed "$texts" -o v.npy --on-truncate ignore
for ((kill = 0; kill < 5; kill++)); do
  rm -f "$folder"/windows/v.npy*
  (cd "$folder/windows" && exec wine "$windows" embed "$texts" -o v.npy --on-truncate ignore --resume --batch-tokens 64) &
  process=$!
  for ((wait = 0; wait < 600; wait++)); do
    [ "$(stat -c %s "$folder/windows/v.npy.journal" 2>/dev/null || echo 0)" -lt $((10000 + 30000 * kill)) ] || break
    kill -0 "$process" 2>/dev/null || break
    sleep 0.05
  done
  kill -KILL "$process" 2>/dev/null || true
  wait "$process" 2>/dev/null && echo "the run ended before it was killed" && failed=1
  (cd "$folder/windows" && wine "$windows" embed "$texts" -o v.npy --on-truncate ignore --resume --batch-tokens 64) || failed=1
done
same "killed 5 times and resumed"

exit "$failed"
