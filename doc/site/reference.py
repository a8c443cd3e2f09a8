# SPDX-License-Identifier: BSD-2-Clause
"""The PRM reference as pages of the site: what prm/gen.pl wrote, cut into sections, and for each field and value the
sources that use it, for each structure the manual pages."""
import glob
import json
import os
import re
import shutil

from manual import heading, raw

FOLDERS = ["include/dvx", "src/lib", "src/sim", "tools", "examples"]  # in the order of interest
MOST = 5    # uses that a field shows
# Headlines of the PRM that manual pages name, where a structure has another name.
CHAPTERS = {"QP Context": "qpc", "Memory Key Context": "mkc", "Completion Queue Entry Format": "cqe64",
            "Completion with Error": "err_cqe", "Completion Queue Context": "cqc", "Flow Context": "flow_context",
            "Address Vector": "base_av", "Address Path": "ads", "HCA Capabilities": "cmd_hca_cap",
            "Byte Stream Format (BSF)": "bsf", "Ethernet Segment": "wqe_eth_seg", "XRC Segment": "wqe_xrc_seg",
            "Send Work Queue Element Format": "wqe_ctrl_seg", "Events": "eqe", "fte_match_param": "fte_match_param"}


class Uses:
    """Where sources name fields: by accessors, by arguments of pack(), by name in the tools' tables."""

    def __init__(self, structs):
        self.fields = {s["name"]: {f["name"] for f in s["fields"]} for s in structs}
        self.owners = {}
        for s, fields in self.fields.items():
            for f in fields:
                self.owners.setdefault(f, []).append(s)
        self.at = {}

    def split(self, token):
        """prm_qpc_get_st -> qpc, st"""
        words = token.split("_")
        for n in range(len(words) - 2, 0, -1):
            struct, field = "_".join(words[1:n + 1]), "_".join(words[n + 2:])
            if field in self.fields.get(struct, ()):
                return struct, field
        return None

    def values(self, enums):
        """PRM_QPC_RQ_TYPE_SRQ -> enum qpc_rq_type, SRQ"""
        self.value = {("PRM_%s_%s" % (e["name"], v["name"])).upper(): (e["name"], v["name"])
                      for e in enums for v in e["values"]}

    def note(self, struct, field, path, line):
        at = self.at.setdefault((struct, field), [])
        if path not in (p for p, _ in at):
            at.append((path, line))

    def read(self, path, text):
        for match in re.finditer(r"\bprm_(\w+)_pack\(([^;]*);|\b(prm_\w+)\(|\"([a-z]\w+)\"|\b(PRM_\w+)", text):
            line = text.count("\n", 0, match.start()) + 1
            struct, args, token, name, value = match.groups()
            if value in self.value:
                self.note(*self.value[value], path, line)
            if struct in self.fields:
                for field in re.findall(r"\.(\w+) = ", args):
                    if field in self.fields[struct]:
                        self.note(struct, field, path, line)
            elif token and self.split(token):
                self.note(*self.split(token), path, line)
            elif name and path.startswith("tools/dvx-info/") and len(self.owners.get(name, ())) == 1:
                self.note(self.owners[name][0], name, path, line)


def places(build):
    """Where commands and headlines of the PRM are: CREATE_QP -> qp.html#create_qp_in"""
    with open(os.path.join(build, "prm/prm.json"), encoding="utf-8") as export:
        at = {s["name"]: "%s.html#%s" % (s["family"], s["name"]) for s in json.load(export)["structs"]}
    commands = {name[:-len("_in")].upper(): place for name, place in at.items() if name.endswith("_in")}
    return {**commands, **{title: at[name] for title, name in CHAPTERS.items() if name in at}}


def find_uses(top, tables):
    uses = Uses(tables["structs"])
    uses.values(tables["enums"])
    for folder in FOLDERS:
        for path in sorted(glob.glob(folder + "/**/*.[ch]", root_dir=top, recursive=True)):
            with open(os.path.join(top, path), encoding="utf-8") as source:
                uses.read(path, source.read())
    return uses.at


def used(at, files):
    links = ['<a href="../%s">%s:%d</a>' % (files.page(path, line), path, line) for path, line in at[:MOST]]
    return '<div class="used">used by %s%s</div>' % (", ".join(links), " ..." if len(at) > MOST else "")


def with_uses(html, at, files):
    def one(match):
        struct, field = match.group(1).split(".")
        where = at.get((struct, field))
        return match.group(0)[:-len("</td></tr>")] + used(where, files) + "</td></tr>" if where else match.group(0)
    return re.sub(r'<tr id="([\w.]+)">.*?</td></tr>', one, html)


def manuals(name, calls):
    pages = list(calls.get(re.sub(r"_(in|out)$", "", name).upper(), ()))
    for chapter, struct in CHAPTERS.items():
        pages += calls.get(chapter, ()) if struct == name else ()
    links = ['<a href="../man/%s.html">%s(%s)</a>' % (p, *p.rsplit(".", 1)) for p in sorted(set(pages))]
    return '<p class="used">In the manual: %s</p>' % ", ".join(links) if links else ""


def write_family(name, html, folder, at, files, calls):
    body = re.search(r"<body[^>]*>(.*)</body>", html, re.S).group(1)
    head, *sections = re.split(r"<h2 id=", body)
    parts = [heading(name, "=")]
    raw(folder, name + ".html", '<div class="prm">%s</div>' % head.split("</h1>", 1)[1], parts)
    for section in sections:
        item, title, rest = re.match(r'"(\w+)">(.*?)</h2>(.*)', section, re.S).groups()
        parts.append(heading(title, "-"))
        own = '<span id="%s"></span>' % item if item != re.sub("_", "-", title).lower() else ""
        raw(folder, "%s.%s.html" % (name, item), '<div class="prm">%s%s%s</div>' %
            (own, manuals(item, calls), with_uses(rest, at, files)), parts)
    with open(os.path.join(folder, name + ".rst"), "w", encoding="utf-8") as out:
        out.writelines(parts)


def write_all(top, build, folder, files, calls):
    os.makedirs(os.path.join(folder, "extra/prm"))
    shutil.copy(os.path.join(build, "doc/prm/search.js"), os.path.join(folder, "extra/prm"))
    folder = os.path.join(folder, "prm")
    with open(os.path.join(build, "prm/prm.json"), encoding="utf-8") as export:
        tables = json.load(export)
    at = find_uses(top, tables)
    families = [f["name"] for f in tables["families"]]
    for name in families + ["index"]:
        with open(os.path.join(build, "doc/prm", name + ".html"), encoding="utf-8") as page:
            html = page.read()
        if name != "index":
            write_family(name, html, folder, at, files, calls)
            continue
        parts = [heading("PRM reference", "=")]
        body = html.split("</h1>", 1)[1].split("</body>")[0]
        raw(folder, "index.html", '<div class="prm">%s</div>' % body, parts)
        parts.append(".. toctree::\n   :hidden:\n   :maxdepth: 1\n\n" + "".join("   %s\n" % f for f in families))
        with open(os.path.join(folder, "index.rst"), "w", encoding="utf-8") as out:
            out.writelines(parts)
