#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Proves that prm.json is enough to make accessors in another language: classes made from it read
back every field that they wrote, and read every field of every structure as dvx-prm's own rows do."""
import copy
import json
import os
import random
import re
import subprocess
import sys

BUILD = os.environ.get("top_builddir", ".")
EXPORT = os.path.join(BUILD, "prm", "prm.json")
DVX_PRM = os.path.join(BUILD, "tools", "dvx-prm", "dvx-prm")


def field_property(offset, width, size):
    """A field of a structure of `size` bytes as a Python property over self._bytes."""
    shift, mask = size * 8 - offset - width, (1 << width) - 1

    def get(self):
        return int.from_bytes(self._bytes, "big") >> shift & mask

    def put(self, value):
        if value >> width:
            raise ValueError("%d bits do not hold 0x%x" % (width, value))
        whole = int.from_bytes(self._bytes, "big") & ~(mask << shift)
        self._bytes[:] = (whole | value << shift).to_bytes(size, "big")

    return property(get, put)


def make_class(struct):
    """One class per structure; element i of an array NAME is NAME_i."""
    size, body = struct["bytes"], {}
    for f in struct["fields"]:
        for i in range(f["count"] or 0):
            name = "%s_%d" % (f["name"], i) if f["array"] else f["name"]
            body[name] = field_property(f["offset"] + i * f["width"], f["width"], size)
    body["__init__"] = lambda self: setattr(self, "_bytes", bytearray(size))
    return type(struct["name"], (), body)


def round_trip(struct, cls):
    """Each field alone: what is written is read, and no other bit changes."""
    size = struct["bytes"]
    for f in struct["fields"]:
        for i in sorted({0, (f["count"] or 1) - 1}) if f["count"] else []:
            name = "%s_%d" % (f["name"], i) if f["array"] else f["name"]
            obj = cls()
            before = obj._bytes = bytearray(random.randbytes(size))
            value = random.getrandbits(f["width"])
            obj._bytes = bytearray(before)
            setattr(obj, name, value)
            if getattr(obj, name) != value:
                return "%s.%s" % (struct["name"], name)
            offset = f["offset"] + i * f["width"]
            mask = ((1 << f["width"]) - 1) << (size * 8 - offset - f["width"])
            if (int.from_bytes(obj._bytes, "big") ^ int.from_bytes(before, "big")) & ~mask:
                return "%s.%s changes its neighbours" % (struct["name"], name)
    return None


def place(structs, name, path):
    """Offset and width of "a.b[3].c", from the export alone."""
    base, width = 0, 0
    for word in path.split("."):
        field, index = re.match(r"(\w+)(?:\[(\d+)\])?$", word).groups()
        f = next(f for f in structs[name]["fields"] if f["name"] == field)
        base += f["offset"] + int(index or 0) * f["width"]
        width, name = f["width"] * (f["count"] if f["array"] and index is None else 1), f.get("struct")
    return base, width


def as_rows_read(structs, name):
    """Random bytes: what dvx-prm decodes by its rows, and what the export makes of the same bytes."""
    size = structs[name]["bytes"]
    data = random.randbytes(size)
    text = "\n".join("%08x: %s" % (i, data[i:i + 16].hex(" ")) for i in range(0, size, 16))
    out = subprocess.run([DVX_PRM, "decode", "--all", "--json", name], input=text.encode(), check=True,
                         stdout=subprocess.PIPE).stdout
    whole = int.from_bytes(data, "big")
    for f in json.loads(out)[0]["fields"]:
        offset, width = place(structs, name, f["path"])
        value = whole >> (size * 8 - offset - width) & ((1 << width) - 1)
        theirs = int(f["hex"], 16) if "hex" in f else int(str(f["value"]), 0)
        if (offset, width, value) != (f["offset"], f["width"], theirs):
            return "%s.%s: export 0x%x+%d, rows 0x%x+%d" % (name, f["path"], offset, width, f["offset"],
                                                          f["width"])
    return None


def swapped(structs, name, one, other):
    """The same tables with the places of two fields exchanged."""
    wrong = copy.deepcopy({name: structs[name]})
    a, b = (next(f for f in wrong[name]["fields"] if f["name"] == n) for n in (one, other))
    a["offset"], b["offset"] = b["offset"], a["offset"]
    return {**structs, **wrong}


def covered(struct):
    """Fields and reserved places together name every bit."""
    bits = bytearray(struct["bytes"] * 8)
    for f in struct["fields"] + struct["reserved"]:
        end = f["offset"] + f["width"] * (f.get("count", 1) or 0)
        bits[f["offset"]:end] = b"\1" * (end - f["offset"])
    return all(bits) and len(bits) == struct["bytes"] * 8


def main():
    random.seed(1)
    with open(EXPORT) as export:
        tables = json.load(export)
    results = [("format and version", tables["format"] == "dvx-prm" and tables["version"] == 1)]
    structs = {s["name"]: s for s in tables["structs"]}
    enums = {e["name"]: e for e in tables["enums"]}
    classes = {name: make_class(s) for name, s in structs.items()}
    wrong = [w for w in (round_trip(s, classes[n]) for n, s in structs.items()) if w]
    results.append(("%d structures round-trip" % len(structs), not wrong))
    differ = [w for w in (as_rows_read(structs, n) for n in structs) if w]
    results.append(("%d structures read as dvx-prm's rows read them" % len(structs), not differ))
    wrong += differ
    results.append(("two fields that changed places are noticed",
                    as_rows_read(swapped(structs, "qpc", "cqn_snd", "cqn_rcv"), "qpc") is not None))
    results.append(("every bit is covered", all(covered(s) for s in structs.values())))
    known = all(f.get("struct", n) in structs and f.get("enum", "opcode") in enums
                for n, s in structs.items() for f in s["fields"])
    results.append(("every structure and enum that a field names is there", known))
    # A control segment as libmlx5 writes it: RDMA_WRITE, WQE 0x1234, QP 0x56789a, 3 units, signaled.
    seg = classes["wqe_ctrl_seg"]()
    opcode = {v["name"]: v["value"] for v in enums["wqe_opcode"]["values"]}
    seg.wqe_index, seg.opcode, seg.qpn, seg.ds, seg.ce = 0x1234, opcode["RDMA_WRITE"], 0x56789a, 3, 2
    results.append(("a control segment", seg._bytes.hex() == "0012340856789a030000000800000000"))
    for i, (what, good) in enumerate(results, 1):
        print("ok" if good else "not ok", i, "-", what)
    for w in wrong:
        print("#", w)
    print("1..%d" % len(results))
    return not all(good for _, good in results)


sys.exit(main())
