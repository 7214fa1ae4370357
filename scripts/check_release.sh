#!/usr/bin/env bash
# Installs every package of a release into bare Debian systems, runs `embed`, `search` and `serve` there, compares the rows of all, and
# prints a table. As root, on Debian for x86-64. Systems for aarch64 run under QEMU, which the kernel is told to start for their programs.
#
#   check_release.sh [--from FOLDER] [SYSTEM...]
#
# FOLDER is build/release-files if none is given; scripts/release.sh makes it. The systems are bookworm and trixie for amd64 and arm64 if
# none are named; debootstrap makes each once, in build/systems. Another bare system, such as Ubuntu, can be unpacked there by hand: into a
# folder such as noble-amd64, beside an empty file noble-amd64.complete.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/release-files
[ "${1:-}" != --from ] || { folder=$2 && shift 2; }
folder=$(realpath "$folder")
[ $# -gt 0 ] || set -- bookworm-amd64 trixie-amd64 bookworm-arm64 trixie-arm64
systems=$PWD/build/systems

bash scripts/install_packages.sh scripts/check_release_packages.txt
(cd "$folder" && sha256sum --quiet -c SHA256SUMS && echo "checksums: $(wc -l <SHA256SUMS) files have theirs")

# The kernel starts QEMU, which this opens once for all, for the programs of aarch64.
binfmt=/proc/sys/fs/binfmt_misc
if [[ "$*" == *-arm64* ]]; then
  [ -e "$binfmt/register" ] || mount -t binfmt_misc binfmt_misc "$binfmt"
  [ -e "$binfmt/qemu-aarch64" ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >"$binfmt/register"
fi

scratch=$(mktemp -d)
# Nothing is mounted in the folder when it is removed: what in_system mounts goes with its process.
trap 'rm -rf "$scratch"' EXIT

# Becomes a command in a system, with processes of its own and this machine's network. If it is killed, all of them end.
enter_system() {
  local system=$1
  shift
  exec unshare --mount --pid --fork --kill-child --mount-proc="$system/proc" \
    env -i PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    HF_HOME=/try/models HF_ENDPOINT=http://here.example:9 \
    ${http_proxy:+http_proxy="$http_proxy"} chroot "$system" "$@"
}
# Runs a command in a system.
in_system() { (enter_system "$@"); }

# Makes a bare system.
make_system() {
  local system=$systems/$1
  [ ! -e "$system.complete" ] || return 0
  rm -rf "$system"
  mkdir -p "$system"
  # In a namespace of its own, so that nothing stays mounted if debootstrap is ended.
  unshare --mount debootstrap --variant=minbase --arch="${1#*-}" "${1%-*}" "$system" >"$system.log" 2>&1 ||
    { tail "$system.log" && return 1; }
  in_system "$system" apt-get clean
  touch "$system.complete"
}

# Makes the bare system with packages of the distribution, and nothing else: make_larger_system SYSTEM NAME PACKAGE...
make_larger_system() {
  local system=$systems/$1-$2
  [ ! -e "$system.complete" ] || return 0
  rm -rf "$system"
  cp -a "$systems/$1" "$system"
  { in_system "$system" apt-get update && in_system "$system" apt-get install -y --no-install-recommends "${@:3}"; } \
    >"$system.log" 2>&1 || { tail "$system.log" && return 1; }
  in_system "$system" apt-get clean
  touch "$system.complete"
}

# Embeds, searches and serves with a program that is installed in a system.
try_program() {
  local system=$1 program=$2 port server status=0
  in_system "$system" "$program" --version
  in_system "$system" "$program" embed /try/example.txt -m /try/plain.weights -o /try/rows.npy -o /try/rows.usearch --progress never
  in_system "$system" "$program" search /try/rows.usearch -m /try/plain.weights -q "A cat sits on the mat." -k 1 --texts /try/example.txt |
    grep -F '"text":'
  port=$(python3 -c 'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')
  enter_system "$system" "$program" serve -m /try/plain.weights --port "$port" &
  server=$!
  curl -sf --retry 60 --retry-delay 1 --retry-connrefused -H 'Content-Type: application/json' \
    -d '{"inputs":"A cat sits.","dimensions":4}' "http://127.0.0.1:$port/embed" || status=$?
  kill -KILL "$server"  # unshare takes no other signal
  wait "$server" 2>/dev/null || true
  return "$status"
}

# Has a program ask a host by its name: a static one looks up the address without the shared glibc. Nothing listens there, and the program
# has to say so.
try_name() {
  echo 127.0.0.1 here.example >>"$1/etc/hosts"
  { in_system "$1" "$2" model get a/b || true; } 2>&1 | grep -F "the connection to here.example:9 could not be made"
}

# Embeds and searches with a Python package that is installed in a system. It has no server.
try_python() {
  in_system "$1" python3 -c '
import embd
model = embd.Model("/try/plain.weights")
embd.embed_file(model, "/try/example.txt", ["/try/rows.npy", "/try/rows.usearch"])
hit = embd.Searcher("/try/rows.usearch").search_texts(model, "A cat sits on the mat.", 1)
print(embd.__version__, hit)'
}

# Embeds with the npm package, which a system has in /node_modules.
try_javascript() {
  in_system "$1" node --input-type=module -e '
import { readFileSync, writeFileSync } from "node:fs";
import { open } from "embd";
const model = await open("/try/plain.weights");
const texts = readFileSync("/try/example.txt", "utf8").replace(/\n$/, "").split("\n");
writeFileSync("/try/rows", new Uint8Array((await model.encode(texts)).buffer));
await model.close();'
  # The rows that the other packages write, without the header of NumPy.
  cmp "$1/try/rows" <(tail -c +129 "$scratch/rows.npy")
}

# Prints the files of the release that a system can use: the packages for its architecture, the wheel for its Python, and the npm package
# if it has Node 20. If one is missing, its pattern is printed, and fails as a file.
files_for() {
  local python=cp312-abi3 machine=x86_64
  [[ "$1" != *-arm64 ]] || machine=aarch64
  [[ "$1" != bookworm-* ]] || python=cp311-cp311
  printf '%s\n' "$folder"/*_"${1#*-}".deb "$folder"/*-linux-"$machine".tar.gz "$folder"/*-oci-"${1#*-}".tar \
    "$folder"/*-"$python"-*"$machine".whl
  [[ "$1" != trixie-amd64 ]] || printf '%s\n' "$folder"/embd-*.tgz
}

# Installs one file into a copy of a bare system, and uses it there.
try_file() {
  local file=$1 system=$2 copy=$scratch/system
  rm -rf "$copy"
  case $file in
    *-oci-*) mkdir -p "$copy/proc" ;;
    *.whl) make_larger_system "$system" python python3-numpy python3-pip && cp -a "$systems/$system-python" "$copy" ;;
    *.tgz) make_larger_system "$system" node nodejs && cp -a "$systems/$system-node" "$copy" ;;
    *) cp -a "$systems/$system" "$copy" ;;
  esac
  mkdir "$copy/try"
  cp tests/data/embd/plain.weights models/example.txt "$file" "$copy/try"
  case $file in
    *.deb)
      in_system "$copy" dpkg -i "/try/$(basename "$file")"
      try_program "$copy" /usr/bin/embd
      try_name "$copy" /usr/bin/embd
      in_system "$copy" dpkg --purge embd
      ;;
    *-linux-*.tar.gz)
      tar -C "$copy/usr/local" --strip-components=1 -xzf "$file"
      try_program "$copy" /usr/local/bin/embd
      ;;
    *-oci-*)
      # By tools that others wrote: what they read is what a host of containers reads.
      skopeo copy -q --override-arch "${system#*-}" "oci-archive:$file" "oci:$scratch/image:embd"
      umoci raw unpack --image "$scratch/image:embd" "$scratch/unpacked" >/dev/null
      cp -a "$scratch/unpacked/." "$copy"
      rm -rf "$scratch/image" "$scratch/unpacked"
      try_program "$copy" /usr/bin/embd
      ;;
    *.whl)
      # Without --break-system-packages, which older versions do not know: nothing else manages packages here.
      rm -f "$copy"/usr/lib/python3*/EXTERNALLY-MANAGED
      in_system "$copy" pip install --no-index --no-deps "/try/$(basename "$file")"
      try_python "$copy"
      ;;
    *.tgz)
      mkdir -p "$copy/node_modules/embd"
      tar -C "$copy/node_modules/embd" --strip-components=1 -xzf "$file"
      try_javascript "$copy"
      return
      ;;
  esac
  # Every package has to write the same rows, whatever it runs on.
  for rows in rows.npy rows.usearch; do
    [ -e "$scratch/$rows" ] || cp "$copy/try/$rows" "$scratch"
    cmp "$copy/try/$rows" "$scratch/$rows"
  done
}

failed=0
# Prints a row of the table.
row() {
  local file=$1 system=$2 begin=$EPOCHREALTIME result=good status
  # In a shell of its own a command that fails ends it, which `if` would not let it.
  set +e
  (set -e && try_file "$file" "$system") >"$scratch/log" 2>&1
  status=$?
  set -e
  [ "$status" = 0 ] || { result=failed failed=1 && cat "$scratch/log"; }
  printf '| %s | %s | %s | %.1f | %s |\n' "$(basename "$file")" "$system" "$result" "$(bc <<<"$EPOCHREALTIME - $begin")" \
    "$(numfmt --to=si --round=nearest --suffix=B --format=%.1f "$(stat -c %s "$file")")"
}

echo '| file | system | result | seconds | size |'
echo '|---|---|---|---:|---:|'
for system; do
  make_system "$system"
  for file in $(files_for "$system"); do row "$file" "$system"; done
done
exit "$failed"
