#!/usr/bin/env bash
# One file, embedded in parts by GNU parallel, on this machine or, with --sshlogin, on several that share a file system:
#
#   examples/parts/parallel.sh INPUT OUT PARTS [options of parallel]
#
# Run again, it goes on: parts that are whole (those with a manifest) stay, and a part that is made again gets the same bytes.
set -euo pipefail
input=$1
out=$2
parts=$3
shift 3
folder=$out.parts
mkdir -p "$folder"
threads=${THREADS:-1}  # of a part; parallel runs as many parts at a time as there are cores
export input folder parts threads

embed_part() {
  local file=$folder/part-$1-of-$parts.npy
  [ -e "$file.part.json" ] || embd embed "$input" --part "$1/$parts" -t "$threads" --progress never -o "$file"
}
export -f embed_part
SHELL=$(type -p bash) parallel "$@" --halt soon,fail=1 embed_part ::: $(seq 0 $((parts - 1)))
embd join "$folder"/part-*-of-"$parts".npy.part.json -o "$out"
