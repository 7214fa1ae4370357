#!/usr/bin/env bash
# Builds the program for Windows with Debian's MinGW GCC, and shows under Wine that it writes the bytes that the program for Linux
# writes: vectors in three arithmetics with every set of kernels, all formats, converted models, indexes, collections, names with letters
# of other alphabets, directories, what is printed and refused, and a job that was killed and resumed. Then the tests of base run.
#
#   check_windows.sh EMBD [TESTS...]     EMBD is the program for Linux, built here; TESTS are further programs of tests to build and
#                                        run, such as tokenizer_bpe_tests
set -euo pipefail
linux=$(realpath "${1:?usage: $0 EMBD [TESTS...]}")
tests=(base_tests "${@:2}")
cd "$(dirname "$0")/.."
data=$PWD/tests/data

bash scripts/port_sysroot.sh
cmake --preset windows -DEMBD_TESTS=ON >/dev/null
cmake --build build/windows -j "$(nproc)" --target embd_cli "${tests[@]}"
windows=$PWD/build/windows/cli/embd.exe

folder=$(mktemp -d)
export WINEPREFIX=$folder/wine WINEDEBUG=-all EMBD_MODEL=$PWD/models/all-MiniLM-L6-v2.weights EMBD_PROGRESS=never
trap 'wineserver -k 2>/dev/null || true; rm -rf "$folder"' EXIT
mkdir "$folder"/{linux,windows}
wine "$windows" --version

failed=0
input=/dev/null # what both programs read from standard input
# both ARGUMENT...: runs both programs, each in its own folder. Both must end with the same exit code.
both() {
  local on_linux=0 on_windows=0
  (cd "$folder/linux" && "$linux" "$@") <"$input" >>"$folder/linux.out" 2>"$folder/linux.err" || on_linux=$?
  (cd "$folder/windows" && wine "$windows" "$@") <"$input" >>"$folder/windows.out" 2>"$folder/windows.err" || on_windows=$?
  if [ "$on_linux" != "$on_windows" ]; then
    echo "DIFFERENT exit codes $on_linux and $on_windows: embd $*"
    cat "$folder/windows.err"
    failed=1
  fi
}
# same WHAT: compares all files, and what was printed on standard output, and removes both.
same() {
  local result=same files
  files=$(cd "$folder/linux" && find . -type f | wc -l)
  diff <(cd "$folder/linux" && find . -type f -exec sha256sum {} + | LC_ALL=C sort) \
    <(cd "$folder/windows" && find . -type f -exec sha256sum {} + | LC_ALL=C sort) || result=DIFFERENT
  cmp "$folder/linux.out" "$folder/windows.out" || result=DIFFERENT
  [ "$result" = same ] || failed=1
  echo "$result: $1 ($files files, $(stat -c %s "$folder/linux.out") bytes printed)"
  rm -rf "$folder"/{linux,windows}/* "$folder"/{linux,windows}.out
}

awk 'BEGIN { srand(7); split("the cat sat on a mat stock market fell today kitten rests 東京 naïve", words, " ")
  for (i = 0; i < 120; i++) { line = i; for (n = int(rand() * 40); n > 0; n--) line = line " " words[1 + int(rand() * 14)]
    print line } }' >"$folder/texts.txt"
texts=$folder/texts.txt
head -n 4 "$texts" >"$folder/few.txt" # the portable kernels take seconds for a text

all=(npy cvc fvecs fbin jsonl fifu usearch w2v.bin vec parquet svs terms)
outputs=()
for format in "${all[@]}"; do outputs+=(-o "v.$format"); done
for arithmetic in f32 bf16 int8; do
  both embed "$texts" --compute "$arithmetic" --on-truncate ignore "${outputs[@]}"
  same "embed --compute $arithmetic, ${#all[@]} formats"
done

for kernels in $({ EMBD_KERNELS=? wine "$windows" tokenize </dev/null 2>&1 || true; } |
  sed -n 's/.*there are: //p' | tr -d ',\r' | sed 's/ *reference//'); do
  for arithmetic in f32 bf16 int8; do
    EMBD_KERNELS=$kernels both embed "$folder/few.txt" --compute "$arithmetic" -o "$arithmetic.npy" -t 2
  done
  same "the kernels $kernels on two threads"
done

input=$texts
both embed - -o - --output-format npy
both tokenize -
input=/dev/null
same "standard input to standard output"

for type in f32 f16 bf16 int8; do both model convert "$data/families/distilbert_mean" "$type.weights" --dtype "$type"; done
same "model convert"

both embed "$texts" -o v.npy --on-truncate ignore
for format in cvc fifu svs usearch parquet; do both convert v.npy "v.$format"; done
both convert v.npy v.svs # a directory is replaced
both index v.npy -o hnsw.usearch
both index v.npy -o vamana.svs
both embed "$texts" -o words.terms --on-truncate ignore
for index in hnsw.usearch vamana.svs v.npy v.parquet; do both search "$index" -q "the stock market" -k 5; done
both search v.npy --terms words.terms -q "the stock market" -k 5
both compare v.npy v.svs
both digest v.npy
both verify v.npy "$texts" --sample 20
both cluster v.npy -k 4 -o groups.csv
same "convert, index, search and analyses"

both embed "$texts" -o 'ä日.npy' --on-truncate ignore
both convert 'ä日.npy' 'Österreich 日本.svs'
both search 'ä日.npy' -q 'naïve 東京' -k 3
same "names with letters of other alphabets"

for on in linux windows; do
  mkdir -p "$folder/$on/notes/日"
  cp docs/s*.md "$folder/$on/notes/日/"
  touch -d 2026-01-01 "$folder/$on/notes/日"/*
done
both split notes -o passages.jsonl
both collect notes -o notes.collection
both search notes.collection -q "how is a search index built" -k 3 --format lines
for on in linux windows; do
  echo 'A cat rests on a mat.' >"$folder/$on/notes/cat.txt"
  touch -d 2026-01-02 "$folder/$on/notes/cat.txt"
done
both collect -o notes.collection
both search notes.collection -q "kitten" -k 3 --format lines
# These files have the full names of folders, and the times at which files were looked at.
rm "$folder"/{linux,windows}/notes.collection/{collection.json,*/files.parquet}
same "split, and a collection that is brought up to date"

for bad in "$data"/*/bad_*; do both inspect "$bad"; done
both embed no.txt -o v.npy
both embed "$texts" -o none/v.npy
both embed "$texts" -o v.npy --compute f64
both convert "$texts" v.npy
same "files that are refused"

# The job is killed at moments when its journal has rows, and resumed.
both embed "$texts" -o v.npy --on-truncate ignore
killed=0
for ((kill = 0; kill < 5; kill++)); do
  rm -f "$folder"/windows/v.npy*
  (cd "$folder/windows" && exec wine "$windows" embed "$texts" -o v.npy --on-truncate ignore --resume --batch-tokens 64) &
  process=$!
  for ((wait = 0; wait < 600; wait++)); do
    [ "$(stat -c %s "$folder/windows/v.npy.journal" 2>/dev/null || echo 0)" -lt $((5000 + 15000 * kill)) ] || break
    kill -0 "$process" 2>/dev/null || break
    sleep 0.05
  done
  kill -KILL "$process" 2>/dev/null || true
  wait "$process" 2>/dev/null || killed=$((killed + 1)) # it may end before it is killed
  (cd "$folder/windows" && wine "$windows" embed "$texts" -o v.npy --on-truncate ignore --resume --batch-tokens 64) || failed=1
done
[ "$killed" -ge 3 ] || failed=1
same "killed $killed times and resumed"

for program in "${tests[@]}"; do
  echo "$program"
  TEST_TMPDIR=$folder/ wine "$(find "$PWD/build/windows/tests" -name "$program.exe")" --gtest_brief=1 || failed=1
done
exit "$failed"
