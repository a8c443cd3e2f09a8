# SPDX-License-Identifier: BSD-2-Clause
"""The PRM reference as pages of the site: what prm/gen.pl wrote, cut into sections, and for each field and value the
sources that use it, for each structure the manual pages."""
import collections
import json
import os
import re
import shutil

import uses
from manual import heading, raw

MOST = 5    # sources that a field shows
Usage = collections.namedtuple("Usage", "uses lines")
# Headlines of the PRM that manual pages name, where a structure has another name.
CHAPTERS = {"QP Context": "qpc", "Memory Key Context": "mkc", "Completion Queue Entry Format": "cqe64",
            "Completion with Error": "err_cqe", "Completion Queue Context": "cqc", "Flow Context": "flow_context",
            "Address Vector": "base_av", "Address Path": "ads", "HCA Capabilities": "cmd_hca_cap",
            "Byte Stream Format (BSF)": "bsf", "Ethernet Segment": "wqe_eth_seg", "XRC Segment": "wqe_xrc_seg",
            "Send Work Queue Element Format": "wqe_ctrl_seg", "Events": "eqe", "fte_match_param": "fte_match_param"}


def places(build):
    """Where commands and headlines of the PRM are: CREATE_QP -> qp.html#create_qp_in"""
    with open(os.path.join(build, "prm/prm.json"), encoding="utf-8") as export:
        at = {s["name"]: "%s.html#%s" % (s["family"], s["name"]) for s in json.load(export)["structs"]}
    commands = {name[:-len("_in")].upper(): place for name, place in at.items() if name.endswith("_in")}
    return {**commands, **{title: at[name] for title, name in CHAPTERS.items() if name in at}}


def link(path, line, files):
    page = os.path.basename(path)
    return ('<a href="../man/%s.html">%s(%s)</a>' % (page, *page.rsplit(".", 1)) if line is None else
            '<a href="../%s">%s:%d</a>' % (files.page(path, line), path, line))


def used(struct, field, usage, files):
    """What is below a field's or a value's meaning: whoever uses it, else the line that dvx-prm and traces read."""
    at, whole = usage.uses.of(struct, field)
    if not at:
        return '<div class="used">only in the table: %s</div>' % link(*usage.lines[(struct, field)], files)
    manuals = [link(*a, files) for a in at if a[1] is None]
    sources = [link(*a, files) for a in at if a[1] is not None]
    by = "read with the whole structure by " if whole else "used by "
    words = ["in " + ", ".join(manuals)] if manuals else []
    words += [by + ", ".join(sources[:MOST]) + (" ..." if len(sources) > MOST else "")] if sources else []
    return '<div class="used">%s</div>' % "; ".join(words)


def with_uses(html, usage, files):
    def one(match):
        struct, field = match.group(1).split(".")
        return match.group(0)[:-len("</td></tr>")] + used(struct, field, usage, files) + "</td></tr>"
    return re.sub(r'<tr id="([\w.]+)">.*?</td></tr>', one, html)


def manuals(name, calls):
    pages = list(calls.get(re.sub(r"_(in|out)$", "", name).upper(), ()))
    for chapter, struct in CHAPTERS.items():
        pages += calls.get(chapter, ()) if struct == name else ()
    links = ['<a href="../man/%s.html">%s(%s)</a>' % (p, *p.rsplit(".", 1)) for p in sorted(set(pages))]
    return '<p class="used">In the manual: %s</p>' % ", ".join(links) if links else ""


def write_family(name, html, folder, usage, files, calls):
    body = re.search(r"<body[^>]*>(.*)</body>", html, re.S).group(1)
    head, *sections = re.split(r"<h2 id=", body)
    parts = [heading(name, "=")]
    raw(folder, name + ".html", '<div class="prm">%s</div>' % head.split("</h1>", 1)[1], parts)
    for section in sections:
        item, title, rest = re.match(r'"(\w+)">(.*?)</h2>(.*)', section, re.S).groups()
        parts.append(heading(title, "-"))
        own = '<span id="%s"></span>' % item if item != re.sub("_", "-", title).lower() else ""
        raw(folder, "%s.%s.html" % (name, item), '<div class="prm">%s%s%s</div>' %
            (own, manuals(item, calls), with_uses(rest, usage, files)), parts)
    with open(os.path.join(folder, name + ".rst"), "w", encoding="utf-8") as out:
        out.writelines(parts)


def write_all(top, build, folder, files, calls):
    os.makedirs(os.path.join(folder, "extra/prm"))
    shutil.copy(os.path.join(build, "doc/prm/search.js"), os.path.join(folder, "extra/prm"))
    folder = os.path.join(folder, "prm")
    with open(os.path.join(build, "prm/prm.json"), encoding="utf-8") as export:
        tables = json.load(export)
    usage = Usage(uses.find(top, tables), uses.table_lines(top))
    families = [f["name"] for f in tables["families"]]
    for name in families + ["index"]:
        with open(os.path.join(build, "doc/prm", name + ".html"), encoding="utf-8") as page:
            html = page.read()
        if name != "index":
            write_family(name, html, folder, usage, files, calls)
            continue
        parts = [heading("PRM reference", "=")]
        body = html.split("</h1>", 1)[1].split("</body>")[0]
        raw(folder, "index.html", '<div class="prm">%s</div>' % body, parts)
        parts.append(".. toctree::\n   :hidden:\n   :maxdepth: 1\n\n" + "".join("   %s\n" % f for f in families))
        with open(os.path.join(folder, "index.rst"), "w", encoding="utf-8") as out:
            out.writelines(parts)
