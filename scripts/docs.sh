#!/usr/bin/env bash
# The documentation as a site in build/site: the Markdown pages as they are, the command line from its help, Python from its
# docstrings, C and C++ from the public headers; with search, and without a request to another host. Warnings are errors,
# and every link of the site is followed.
#
#   docs.sh EMBD     EMBD: the program whose help is shown, such as build/dev/cli/embd
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/.."

command -v doxygen >/dev/null || bash scripts/install_packages.sh scripts/check_packages.txt
venv=$PWD/build/docs-venv
bash scripts/make_venv.sh "$venv" scripts/docs_requirements.txt
python3 scripts/docs_pages.py "$program" build/pages
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build -q --clean -f docs/mkdocs.yml
doxygen docs/Doxyfile
cp -r build/api/html build/site/cpp
python3 scripts/check_site.py build/site
