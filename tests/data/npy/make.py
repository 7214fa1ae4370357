#!/usr/bin/env python3
"""Writes this folder with NumPy 2.4: arrays as NumPy saves them, and files that must be refused.

The value at row i, column j of a [4, 3] array is i * 3 + j, and of a floating one that minus 5.5;
a boolean one holds whether the number is odd.
"""
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
numbers = np.arange(12).reshape(4, 3)
good = {}
for name in ["f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]:
    values = numbers - 5.5 if name[0] == "f" else numbers
    good[name] = values.astype("<" + name)
good["bool"] = numbers % 2 == 1
good["big_f4"] = good["f4"].astype(">f4")
good["big_i2"] = good["i2"].astype(">i2")
good["fortran_f4"] = np.asfortranarray(good["f4"])
good["fortran_big_f8"] = np.asfortranarray(good["f8"].astype(">f8"))
good["no_rows"] = np.zeros((0, 384), "<f4")
good["wide"] = np.zeros((1, 4096), "<f4")
for name, array in good.items():
    np.save(here / f"good_{name}.npy", array)
for version in [(2, 0), (3, 0)]:
    with open(here / f"good_version{version[0]}.npy", "wb") as file:
        np.lib.format.write_array(file, good["f4"], version=version)

np.save(here / "bad_1d.npy", np.zeros(3, "<f4"))
np.save(here / "bad_3d.npy", np.zeros((1, 2, 3), "<f4"))
np.save(here / "bad_dim0.npy", np.zeros((4, 0), "<f4"))
np.save(here / "bad_complex.npy", np.zeros((4, 3), "<c8"))
np.save(here / "bad_records.npy", np.zeros((4,), [("x", "<f4")]))
np.save(here / "bad_text.npy", np.full((4, 3), "ab"))

whole = (here / "good_f4.npy").read_bytes()


def bad(name, data):
    (here / f"bad_{name}.npy").write_bytes(data)


def header(text):
    text = text.encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


bad("empty", b"")
bad("magic", b"\x93NUMPX" + whole[6:])
bad("version9", whole[:6] + b"\x09" + whole[7:])
bad("minor", whole[:7] + b"\x01" + whole[8:])
bad("header_cut", whole[:40])
bad("header_huge", b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + whole[10:])
bad("data_cut", whole[:-1])
bad("data_long", whole + b"\0")
shape = "{'descr': '<f4', 'fortran_order': False, 'shape': %s}\n"
bad("count_overflow", header(shape % "(4611686018427387905, 4)"))
bad("count_too_big", header(shape % "(18446744073709551616, 4)"))
bad("negative", header(shape % "(-1, 4)"))
bad("key_twice", header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (0, 1)}"))
bad("key_unknown", header("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 1), 'x': 1}"))
bad("key_missing", header("{'descr': '<f4', 'shape': (0, 1)}"))
bad("after", header("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 1)} x"))
bad("unquoted", header("{'descr': <f4, 'fortran_order': False, 'shape': (0, 1)}"))
bad("open_quote", header("{'descr': '<f4, fortran_order: False, shape: (0, 1)}"))
bad("order", header("{'descr': '<f4', 'fortran_order': 0, 'shape': (0, 1)}"))
bad("no_comma", header("{'descr': '<f4' 'fortran_order': False, 'shape': (0, 1)}"))
