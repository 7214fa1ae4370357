#!/usr/bin/env bash
# Makes a Python environment with the packages that a requirements file names. If the environment exists, it is made again only if a
# file of packages was changed. PYTHON names the interpreter (python3).
#
#   make_venv.sh VENV REQUIREMENTS [ALONE]     ALONE: a requirements file of packages that are installed without their dependencies
set -euo pipefail
venv=$1
shift

cmp -s <(cat "$@") "$venv/requirements.txt" && exit 0
"${PYTHON:-python3}" -m venv --clear "$venv"
"$venv/bin/pip" install -q -r "$1"
[ $# -eq 1 ] || "$venv/bin/pip" install -q --no-deps -r "$2"
cat "$@" >"$venv/requirements.txt"
