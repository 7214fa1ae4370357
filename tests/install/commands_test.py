#!/usr/bin/env python3
"""Looks for what the commands of the pages and workflows need: every script that they call and every CMake preset that they name is there.

commands_test.py SOURCE
"""

import json
import re
import sys
from pathlib import Path

SCRIPT = re.compile(r"(?:\b(?:bash|python3) |`)((?:scripts|bench|tests)/[\w./-]+\.(?:sh|py))")
PRESET = re.compile(r"\b(cmake|ctest)\b([^\n`]*?) --preset[ =]([\w-]+)")


def main() -> None:
    source = Path(sys.argv[1])
    presets = json.loads((source / "CMakePresets.json").read_text(encoding="utf-8"))
    names = {kind: {preset["name"] for preset in presets[f"{kind}Presets"]} for kind in ("configure", "build", "test", "workflow")}
    pages = [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").rglob("*.md"))]
    workflows = sorted((source / ".github/workflows").glob("*.yml"))
    looked_at, missing = 0, []
    for page in pages + workflows:
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            needed = [(script, (source / script).is_file()) for script in SCRIPT.findall(line)]
            for program, options, preset in PRESET.findall(line):
                kind = "test" if program == "ctest" else next((kind for kind in ("workflow", "build") if f"--{kind}" in options), "configure")
                needed.append((f"the {kind} preset {preset}", preset in names[kind]))
            looked_at += len(needed)
            missing += [f"{page.relative_to(source)}:{number}: expected {name} to be there" for name, is_there in needed if not is_there]
    if missing:
        sys.exit("\n".join(missing))
    assert looked_at > 30, f"only {looked_at} scripts and presets were found"
    print(f"{looked_at} scripts and presets that commands name are there")


main()
