#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Proves that the reference pages are those of today's tables: they show every structure, field and
enum value of prm.json, their bit diagrams place every field, and no link leads nowhere; and that the search box
finds all of them."""
import html.parser
import json
import os
import sys

TOP = os.environ.get("top_builddir", ".")


class Page(html.parser.HTMLParser):
    """Collects anchors, links, code words, and for each row of a bit diagram its width in bits."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.codes, self.bad_rows = set(), set(), [], []
        self.drawn, self.section, self.bits, self.cell, self.code = {}, None, None, None, False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.add(attrs["id"])
        if tag == "h2":
            self.section = attrs["id"]
        if tag == "a":
            self.links.add(attrs["href"])
        if tag == "tr":
            self.bits = 0
        if tag == "td" and "colspan" in attrs:
            self.bits += int(attrs["colspan"])
            self.cell = attrs.get("class", "")
        self.code = tag == "code"

    def handle_endtag(self, tag):
        if tag == "tr" and self.bits and self.bits > 32:
            self.bad_rows.append((self.section, self.bits))
        if tag == "td":
            self.cell = None
        self.code = False

    def handle_data(self, data):
        if self.code:
            self.codes.append((self.section, data))
        if self.cell is not None:
            self.drawn.setdefault(self.section, set()).add(data.split("[")[0].split(" ")[0])


def main():
    with open(os.path.join(TOP, "prm", "prm.json")) as export:
        tables = json.load(export)
    pages = {}
    for family in tables["families"] + [{"name": "index"}]:
        with open(os.path.join(TOP, "doc", "prm", family["name"] + ".html")) as page:
            pages[family["name"]] = Page(page.read())
    bad = {"every structure, field and enum value is shown": [], "diagrams place every field": [],
           "diagrams have rows of 32 bits": [], "every link leads somewhere": [],
           "the search box finds all": []}
    shown, drawn, rows, links, lost = bad.values()
    with open(os.path.join(TOP, "doc", "prm", "search.js")) as script:
        found = json.loads(script.read().split("prm_rows = ")[1].split(";\n")[0])
    for s in tables["structs"]:
        page = pages[s["family"]]
        codes = {word for section, word in page.codes if section == s["name"]}
        shown += [s["name"] + "." + f["name"] for f in s["fields"] if f["name"] not in codes]
        drawn += [s["name"] + "." + f["name"] for f in s["fields"]
                  if f["count"] and f["name"] not in page.drawn.get(s["name"], ())]
    for e in tables["enums"]:
        codes = {word for section, word in pages[e["family"]].codes if section == e["name"]}
        shown += [e["name"] + "." + v["name"] for v in e["values"] if v["name"] not in codes]
    for name, page in pages.items():
        rows += page.bad_rows
        for link in page.links:
            family, _, anchor = link.rpartition("#") if "#" in link else (link, "", "")
            target = pages.get(family[:-5] if family else name)
            if not target or anchor and anchor not in target.ids:
                links.append("%s: %s" % (name, link))
    names = {row[0].split(" 0x")[0] for row in found}
    lost += [s["name"] + "." + f["name"] for s in tables["structs"] for f in s["fields"]
             if s["name"] + "." + f["name"] not in names]
    lost += [e["name"] + "." + v["name"] for e in tables["enums"] for v in e["values"]
             if e["name"] + "." + v["name"] not in names]
    links += [row[2] for row in found
              if row[2].partition("#")[2] not in pages[row[2].partition(".html")[0]].ids]
    for i, (what, wrong) in enumerate(bad.items(), 1):
        print("not ok" if wrong else "ok", i, "-", what)
        for w in wrong[:20]:
            print("#", w)
    print("1..%d" % len(bad))
    return any(bad.values())


sys.exit(main())
