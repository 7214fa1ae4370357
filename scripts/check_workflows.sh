#!/usr/bin/env bash
# Checks .github/workflows with actionlint. If it is not installed, Go fetches and builds the version that is named below.
set -euo pipefail
cd "$(dirname "$0")/.."

if command -v actionlint >/dev/null; then
  actionlint
elif command -v go >/dev/null; then
  go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.7
else
  echo "SKIPPED: neither actionlint nor Go is installed, so nothing checks the workflows"
fi
