# SPDX-License-Identifier: BSD-2-Clause
"""Who uses a field or a value of the PRM tables: the sources by name of accessor, argument, path or row of a table, the
manual pages by word; and the line of the table, which the decoder of dvx-prm and of the trace reads."""
import glob
import os
import re

FOLDERS = ["include/dvx", "src/lib", "src/prm", "src/sim", "tools", "examples", "doc/tutorial"]  # in order of interest
TOKEN = re.compile(r"\bprm_(\w+)_pack\(([^;]*);|\b(prm_\w+)\b|\"([a-z][\w%]+)\"|\b(PRM_\w+)|\b([a-z]\w+)\.([a-z]\w+)\b")
MACRO = re.compile(r"^#define (\w+)\(([^)]*)\)((?:.*\\\n)*.*)$", re.M)


class Uses:
    """at: (structure or enum, field or value) -> [(path, line)], a file once; (structure, None) for whoever reads all
    of a structure's fields by its name."""

    def __init__(self, tables):
        self.fields = {s["name"]: {f["name"]: f["offset"] for f in s["fields"]} for s in tables["structs"]}
        self.value = {("PRM_%s_%s" % (e["name"], v["name"])).upper(): (e["name"], v["name"])
                      for e in tables["enums"] for v in e["values"]}
        self.owners = {}
        for s, fields in self.fields.items():
            for f in fields:
                self.owners.setdefault(f, []).append(s)
        self.at = {}

    def note(self, name, part, path, line):
        at = self.at.setdefault((name, part), [])
        if path not in (p for p, _ in at):
            at.append((path, line))

    def only_owner(self, field):
        owners = self.owners.get(field, ())
        return owners[0] if "_" in field and len(owners) == 1 else None

    def split(self, token):
        """prm_qpc_get_st -> qpc, st"""
        words = token.split("_")
        for n in range(len(words) - 2, 0, -1):
            struct, field = "_".join(words[1:n + 1]), "_".join(words[n + 2:])
            if field in self.fields.get(struct, ()):
                return struct, field
        return None

    def structs(self, name):
        """The structures of a name in quotes, which may be a format: ste_def%d_v1"""
        if "%d" in (name or ""):
            return [s for s in self.fields if re.fullmatch(name.replace("%d", r"\d+"), s)]
        return [name] if name in self.fields else []

    def read(self, path, text, rows):
        """A source, and what its macros with ## make of their calls: prm_##S##_set_dscp(tag, v). The calls are in the
        source itself, or in a file of rows that it includes: rows is [(path, text)]."""
        self.read_tokens(path, text)
        for macro, params, body in MACRO.findall(text):
            if "##" not in body:
                continue
            for source, calls in [(path, text)] + rows:
                for call in re.finditer(r"^(?!#).*?\b%s\(([^;]*?)\)" % macro, calls, re.M):
                    made = body
                    for param, arg in zip(params.split(","), call.group(1).split(",")):
                        made = re.sub(r"(##)?\b%s\b(##)?" % re.escape(param.strip()), lambda _: arg.strip(), made)
                    self.read_tokens(source, made, calls.count("\n", 0, call.start()) + 1)

    def read_tokens(self, path, text, at=None):
        """Accessors, arguments of pack(), values, "qpc.st" in messages, names in the tools' tables."""
        for match in TOKEN.finditer(text):
            line = at or text.count("\n", 0, match.start()) + 1
            struct, args, token, name, value, owner, part = match.groups()
            if value in self.value:
                self.note(*self.value[value], path, line)
            for field in re.findall(r"\.(\w+) = ", args or ""):
                if field in self.fields.get(struct, ()):
                    self.note(struct, field, path, line)
            if token and self.split(token):
                self.note(*self.split(token), path, line)
            for struct in self.structs(name):
                self.note(struct, None, path, line)
            if name and self.only_owner(name):
                self.note(self.only_owner(name), name, path, line)
            if owner and part in self.fields.get(owner, ()):
                self.note(owner, part, path, line)

    def read_manual(self, page, text):
        """A manual page: fields by name, where no other structure has such a field, or by path. Its line is None."""
        for owner, field in re.findall(r"\b(?:([a-z]\w+)\.)?([a-z]\w+)\b", re.sub(r"\\f.|\\", "", text)):
            struct = owner if field in self.fields.get(owner, ()) else self.only_owner(field)
            if struct:
                self.note(struct, field, page, None)

    def of(self, struct, field):
        """The uses of a field, and whether they are of the whole structure. All mailboxes begin alike, and are read as
        mbox_in and mbox_out."""
        own = self.at.get((struct, field))
        if own or struct not in self.fields:
            return own, False
        mailbox = "mbox_in" if struct.endswith("_in") else "mbox_out" if struct.endswith("_out") else None
        if mailbox and self.fields[mailbox].get(field, -1) == self.fields[struct].get(field):
            return self.at.get((mailbox, field), []), False
        return self.at.get((struct, None), []), True


def table_lines(top):
    """(structure or enum, field or value) -> the line of its table."""
    at = {}
    for path in sorted(glob.glob("prm/*.prm", root_dir=top)):
        name = None
        with open(os.path.join(top, path), encoding="utf-8") as table:
            for n, line in enumerate(table, 1):
                head = re.match(r"(?:struct|enum) (\w+)", line)
                part = re.match(r"\s+(\w+)\s+(?:0x|-?\d)", line)
                if head:
                    name = head.group(1)
                elif part:
                    at.setdefault((name, part.group(1)), (path, n))
    return at


def read_file(top, path):
    with open(os.path.join(top, path), encoding="utf-8") as source:
        return source.read()


def find(top, tables):
    uses = Uses(tables)
    for folder in FOLDERS:
        for path in sorted(glob.glob(folder + "/**/*.[ch]", root_dir=top, recursive=True)):
            text = read_file(top, path)
            rows = [os.path.join(os.path.dirname(path), name) for name in re.findall(r'#include "(\w+\.def)"', text)]
            uses.read(path, text, [(row, read_file(top, row)) for row in rows])
    for path in sorted(glob.glob("doc/man/*.[0-9]", root_dir=top)):
        with open(os.path.join(top, path), encoding="utf-8") as page:
            uses.read_manual(path, page.read())
    return uses
