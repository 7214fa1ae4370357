#!/usr/bin/env python3
"""Prints a C program that calls every function of the headers with NULL for each pointer:

    print_null_calls.py embd.h embd_search.h > calls.c

Numbers are 0 in the first round and 1 in the second. No call may crash. A function that returns a status must refuse the arguments
of the second round, and one that returns a number must have none to tell. Standard library only."""
import re
import sys

text = "".join(open(path).read() for path in sys.argv[1:])
text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
functions = re.findall(r"^EMBD_API\s+([^;(]*?)(\w+)\(([^;]*)\);", text, flags=re.M)
assert len(functions) == len(re.findall(r"^EMBD_API\b", text, flags=re.M)), "a function is declared in another way"


def argument(parameter):
    if "*" in parameter:
        return "NULL"
    if parameter.startswith("embd_text "):
        return "(embd_text){NULL, n}"
    return "(int)n"


print("#include <embd.h>\n#include <stdio.h>\n\nint main(void) {\n  int faults = 0;")
print("  for (size_t n = 0; n < 2; ++n) {")
for kind, name, parameters in functions:
    arguments = [argument(" ".join(each.split())) for each in parameters.split(",") if each.strip() != "void"]
    call = f"{name}({', '.join(arguments)})"
    print(f'    puts("{name}");\n    fflush(stdout);  /* before a crash */')
    if kind.strip() == "embd_status":
        print(f"    if ({call} != EMBD_BAD_ARGUMENT && n == 1) faults += !!puts(\"  takes NULL\");")
    elif kind.strip() in ("void", "const char*"):
        print(f"    {call};")
    else:
        print(f"    if ({call} != {'EMBD_METRIC_OF_FILE' if name.endswith('_metric') else 0}) faults += !!puts(\"  has a value\");")
print("  }\n  return faults;\n}")
