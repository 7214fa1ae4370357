#!/usr/bin/env bash
# Makes the site of the documentation in build/site. It consists of the Markdown pages, and of references made from the help of the
# program, from the docstrings of the Python package, and from the public headers of C and C++. The site has a search and makes no
# request to another host. Warnings are errors, and every link of the site is checked.
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
