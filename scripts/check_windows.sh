#!/usr/bin/env bash
# Builds the program for Windows with Debian's MinGW GCC, and shows under Wine that it writes the bytes that the program for Linux
# writes: vectors in three arithmetics with every set of kernels, all formats, converted models, indexes, collections, names with letters
# of other alphabets, directories, what is printed and refused, the server, and a job that was killed and resumed. Then tests run that
# are built for Windows.
#
#   check_windows.sh EMBD [FOLDER...]    EMBD is the program for Linux, built here; FOLDER is a folder of tests/ (base formats); to build
#                                        all of base, tokenizer, formats, engine, index and jobs takes some minutes more
set -euo pipefail
linux=$(realpath "${1:?usage: $0 EMBD [FOLDER...]}")
folders=("${@:2}")
[ $# -gt 1 ] || folders=(base formats)
cd "$(dirname "$0")/.."
data=$PWD/tests/data

bash scripts/port_sysroot.sh
cmake --preset windows -DEMBD_TESTS=ON >/dev/null
folders=("${folders[@]/#/tests/}")
cmake --build build/windows -j "$(nproc)" --target embd_cli "${folders[@]/%//all}"
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
both index v.npy -o vamana.svs # this directory is replaced, too
both index v.svs -o hnsw2.usearch
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

# ask PATH [BODY]: sends a request to the server, and adds the answer to what was printed.
ask() {
  local method=GET body=${2-}
  [ $# -eq 1 ] || method=POST
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf '%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Request-Id: same\r\nContent-Length: %d\r\n\r\n%s' \
    "$method" "$1" "$(printf %s "$body" | wc -c)" "$body" >&3
  sed '/^x-.*-time: /d' <&3
  exec 3>&-
}
# Questions to a server, many of them at the same time, and what it says when it ends.
questions() {
  ask /health
  ask /v1/models
  ask /
  ask /v1/embeddings '{"input": ["a cat", "naïve 東京"]}'
  ask /v1/embeddings '{"input": "dogs", "encoding_format": "base64", "dimensions": 4}'
  ask /v2/embed '{"model": "m", "texts": ["a"], "input_type": "search_query", "embedding_types": ["float", "binary"]}'
  ask /embed '{"inputs": ["a cat", "the stock market"]}'
  ask /tokenize '{"inputs": "naïve 東京"}'
  ask /search '{"index": "docs", "texts": "kitten", "k": 3}'
  ask /search '{"index": "docs", "texts": "the stock market", "match": "both", "rerank": true}'
  ask /map
  ask /rerank '{"query": "how much is the ticket", "texts": ["a ticket", "the house"]}'
  ask /embed '{"inputs": '
  ask /none
  local number askers=()
  for number in {10..41}; do
    ask /embed "{\"inputs\": [\"text $number\", \"the cat sat on mat $number\"]}" >"$folder/answer$number" &
    askers+=($!)
  done
  wait "${askers[@]}"
  cat "$folder"/answer*
}
rerankers=$folder/rerankers
mkdir "$rerankers"
cp -r "$data/rerank/bert_sigmoid" "$data/rerank/tokenizer.json" "$rerankers"
mv "$rerankers/tokenizer.json" "$rerankers/bert_sigmoid"
cp "$data/rerank/one_label.safetensors" "$rerankers/bert_sigmoid/model.safetensors"
both embed "$texts" -o docs.usearch -o docs.terms --on-truncate ignore
for on in linux windows; do
  program=("$linux")
  [ "$on" = linux ] || program=(wine "$windows")
  (cd "$folder/$on" && exec timeout 300 "${program[@]}" serve --port 0 --reranker "$rerankers/bert_sigmoid" \
    --index docs=docs.usearch --texts "docs=$texts" --terms docs=docs.terms) 2>"$folder/$on.err" &
  process=$!
  until grep -q '^listening' "$folder/$on.err" || ! kill -0 "$process" 2>/dev/null; do sleep 0.1; done
  port=$(sed -n 's/^listening on .*:\([0-9]*\).*/\1/p' "$folder/$on.err")
  questions >>"$folder/$on.out"
  # The port is taken: a second server is refused.
  refused=0
  "${program[@]}" serve --port "$port" 2>/dev/null || refused=$?
  kill -INT "$process" # Wine makes it a Ctrl-C
  ended=0
  wait "$process" || ended=$?
  echo "a second server $refused, the first $ended" >>"$folder/$on.out"
done
same "serve: answers of all kinds, of many requests at the same time, and Ctrl-C"

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

# Wine takes a millisecond to open a file, and this test opens a third of a million.
export TEST_TMPDIR=$folder/ SLOW=Forms/Parts.HoldEveryRecordOnceAndKnowTheirPlace/*
(cd build/windows && find "${folders[@]}" -name '*_tests.exe') | LC_ALL=C sort | xargs -P "$(nproc)" -n 1 bash -c \
  'output=$(wine "build/windows/$0" --gtest_brief=1 --gtest_filter="-$SLOW" 2>&1); code=$?; echo "$0"; echo "$output"; exit "$code"' ||
  failed=1
exit "$failed"
