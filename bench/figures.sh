#!/usr/bin/env bash
# Makes every figure of docs/performance.md again, in the order of the page, on a machine that does nothing else.
#
#   figures.sh [PART...]     peers laptops quality server beside roofline one start tokenizer repeats memory files index python;
#                            by default all
#
# VENV: a Python environment that has bench/requirements.txt and this package; by default build/bench-venv, which is made (6 GB).
# EMBD_GOLDEN: the folder with the texts of quality.py, which repeats.py takes, too, and INFINITY: the program infinity_emb, which
# wants an environment of its own. What needs one of these is left out without it, which is said. THREADS: of the server, by default 1.
set -euo pipefail
cd "$(dirname "$0")/.."

bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt
{ cmake --preset bench && cmake --build build/bench; } >/dev/null
built=$PWD/build/bench
embd=$built/cli/embd
bash scripts/get_model.sh "$embd"
model=$PWD/models/all-MiniLM-L6-v2.weights
folder=$PWD/models/cache/all-MiniLM-L6-v2
if [ -z "${VENV:-}" ]; then
  VENV=$PWD/build/bench-venv
  bash scripts/make_venv.sh "$VENV" bench/requirements.txt
  "$VENV/bin/pip" install -q --no-deps --force-reinstall .
fi
python=$VENV/bin/python
export EMBD_MODEL=$model
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case " ${*:-all} " in *" all "* | *" server "* | *" beside "*) bash scripts/install_packages.sh scripts/server_packages.txt ;; esac

# part NAME COMMAND...: runs the command where all parts or this one are wanted; a figure that fails does not stop the others.
wanted=" ${*:-all} "
failed=()
part() {
  case $wanted in *" all "* | *" $1 "*) ;; *) return 0 ;; esac
  printf '\n== %s: %s\n' "$1" "${*:2}"
  "${@:2}" || failed+=("$1")
}
missing() { echo "left out: $1 is not given"; }

lscpu | grep 'Model name'
uptime
part peers "$python" bench/peers/peers.py --compute f32,bf16,int8
# The instructions of laptops, whatever else this machine has: embd and its rival are held to AVX2, and to AVX-VNNI where it is there.
laptop() { env EMBD_KERNELS="$1" ONEDNN_MAX_CPU_ISA="$2" CT2_USE_MKL=0 "$python" bench/peers/peers.py "${@:3}"; }
part laptops laptop avx2 AVX2 --peers ctranslate2
part laptops laptop avx2 AVX2 --compute int8 --peers ctranslate2-int8
# The rival knows VNNI in 256 bits only in the encoding of AVX-VNNI.
if grep -qw avx_vnni /proc/cpuinfo; then
  part laptops laptop avx2_vnni AVX2_VNNI --compute int8 --peers ctranslate2-int8
else
  part laptops echo "left out: this processor has no AVX-VNNI"
fi
if [ -n "${EMBD_GOLDEN:-}" ]; then
  part quality "$python" bench/quality/quality.py "$embd" "$EMBD_GOLDEN" "$folder"
  part quality "$python" bench/quality/rerank_quality.py "$embd" "$EMBD_GOLDEN" "$folder"
else
  part quality missing EMBD_GOLDEN
fi
part server "$python" bench/server/load.py "$embd" "$model" -t "${THREADS:-1}"
part server "$python" bench/server/rerank_latency.py "$embd" "$model" "$folder" -t "${THREADS:-1}"
part server "$python" bench/server/rerank_ratio.py "$embd" "$folder" -t "${THREADS:-1}"
part beside "$python" bench/server/beside.py "$embd" "$model" "$folder" --python "$python" ${INFINITY:+--infinity "$INFINITY"}
part peers "$python" bench/peers/rerank_peers.py "$folder"
for shape in granite-small modernbert-base; do
  part peers "$python" bench/peers/long_texts.py --embd "$embd" --shape "$shape"
done
part roofline "$built/bench/roofline" 31 peaks
part roofline "$built/bench/roofline" 5 f32
part roofline "$built/bench/roofline" 5 int8
part one "$built/bench/engine/model_bench"
part start "$python" bench/start.py "$embd" "$model"
part tokenizer "$built/bench/tokenizer_bench"
unigram() {
  bash scripts/make_venv.sh build/unigram-venv tests/tokenizer/unigram/requirements.txt &&
    "$python" bench/tokenizer/make_unigram_corpus.py "$work/unigram" &&
    build/unigram-venv/bin/python bench/tokenizer/unigram_peers.py "$built/bench/tokenizer/unigram_encode" "$work/unigram" "$@"
}
part tokenizer unigram
part tokenizer unigram --words
part repeats "$python" bench/repeats.py "$embd" "$model" ${EMBD_GOLDEN:+--golden "$EMBD_GOLDEN"}
part memory "$python" bench/memory.py "$embd" "$model"
part memory "$python" bench/time_left.py "$embd" "$model"
part files "$python" bench/formats/packages.py "$built/bench/formats"
part files "$built/bench/formats/parquet_bench"
rows() {
  "$python" bench/corpus.py distinct 52000 > "$work/texts.txt" &&
    "$embd" embed "$work/texts.txt" --compute int8 -o "$work/rows.npy" --progress never
}
part index rows
part index "$python" bench/index/index_peers.py --peer "$built/bench/index/index_peer" "$work/rows.npy"
part index "$python" bench/index/index_peers.py --peer "$built/bench/index/index_peer" "$work/rows.npy" --limit 20000
part index "$python" bench/index/hard_rows.py --peer "$built/bench/index/hard_rows_peer"
part python "$python" bench/python/packages.py "$model" "$folder" build/peers --program "$embd"
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}"; exit 1; }
