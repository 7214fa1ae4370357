#!/usr/bin/env bash
# Fetches all-MiniLM-L6-v2 and converts it to models/all-MiniLM-L6-v2.weights. If this file is newer than models/manifest.json, it does
# nothing.
#
#   scripts/get_model.sh EMBD [HUGGING_FACE_FOLDER]
set -euo pipefail
embd=$(realpath "$1")
cd "$(dirname "$0")/.."

out=models/all-MiniLM-L6-v2.weights
folder=models/cache/all-MiniLM-L6-v2
if [ -s "$out" ] && [ "$out" -nt models/manifest.json ]; then exit 0; fi
python3 models/fetch.py ${2:+"$2"}
manifest() { python3 -c 'import json, sys; print(json.load(open("models/manifest.json"))[sys.argv[1]])' "$1"; }
# The date in the file is the date of the model, so that every conversion gives the same file.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date -u -d "$(manifest created_at)" +%s)} \
  "$embd" model convert "$folder" "$out" --license "$(manifest license)"
"$embd" model verify "$out"
