# SPDX-License-Identifier: BSD-2-Clause
"""Who uses a field or a value of the PRM tables: the sources by name of accessor, argument, path or match field, the
manual pages by word; and the line of the table, which the decoder of dvx-prm and of the trace reads."""
import glob
import os
import re

FOLDERS = ["include/dvx", "src/lib", "src/prm", "src/sim", "tools", "examples", "doc/tutorial"]  # in order of interest
TOKEN = re.compile(r"\bprm_(\w+)_pack\(([^;]*);|\b(prm_\w+)\b|\"([a-z][\w%]+)\"|\b(PRM_\w+)|\b([a-z]\w+)\.([a-z]\w+)\b")
MACRO = re.compile(r"^#define (\w+)\(([^)]*)\)((?:.*\\\n)*.*)$", re.M)
MATCH_FIELD = re.compile(r"^(HEADER|MAC|MPLS|MISC|MISC_PAIR|GRE|MISC2|MISC3|MISC3_PAIR)\(\w+, (\w+),", re.M)
# Structure of a row of match_fields.def, and the field's names with "F" for the row's.
MATCH_STRUCTS = {"HEADER": ("fte_match_set_lyr_2_4", "F"), "MAC": ("fte_match_set_lyr_2_4", "F_47_16 F_15_0"),
                 "MPLS": ("fte_match_mpls", "F"), "MISC": ("fte_match_set_misc", "F"),
                 "MISC_PAIR": ("fte_match_set_misc", "outer_F inner_F"), "GRE": ("gre_key", "F"),
                 "MISC2": ("fte_match_set_misc2", "F"), "MISC3": ("fte_match_set_misc3", "F"),
                 "MISC3_PAIR": ("fte_match_set_misc3", "outer_F inner_F")}


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

    def read(self, path, text):
        """A source: accessors, arguments of pack(), values, "qpc.st" in messages, names in the tools' tables."""
        for match in TOKEN.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
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
        self.read_macros(path, text)

    def read_macros(self, path, text):
        """Accessors whose structure is an argument: prm_##S##_set_dscp(tag, v)"""
        for macro, params, body in MACRO.findall(text):
            for param, field in re.findall(r"\bprm_##(\w+)##_[a-z]+_(\w+)", body):
                n = [p.strip() for p in params.split(",")].index(param)
                for call in re.finditer(r"^(?!#).*\b%s\(([^;]*?)\)" % macro, text, re.M):
                    struct = call.group(1).split(",")[n].strip()
                    if field in self.fields.get(struct, ()):
                        self.note(struct, field, path, text.count("\n", 0, call.start()) + 1)

    def read_match_fields(self, path, text):
        for match in MATCH_FIELD.finditer(text):
            struct, names = MATCH_STRUCTS[match.group(1)]
            for field in names.replace("F", match.group(2)).split():
                if field in self.fields.get(struct, ()):
                    self.note(struct, field, path, text.count("\n", 0, match.start()) + 1)

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


def find(top, tables):
    uses = Uses(tables)
    for folder in FOLDERS:
        for path in sorted(glob.glob(folder + "/**/*.[ch]", root_dir=top, recursive=True)):
            with open(os.path.join(top, path), encoding="utf-8") as source:
                uses.read(path, source.read())
    fields = "src/prm/match_fields.def"
    with open(os.path.join(top, fields), encoding="utf-8") as source:
        uses.read_match_fields(fields, source.read())
    for path in sorted(glob.glob("doc/man/*.[0-9]", root_dir=top)):
        with open(os.path.join(top, path), encoding="utf-8") as page:
            uses.read_manual(path, page.read())
    return uses
