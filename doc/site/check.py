#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the links of the built site: each leads to a file that is there, and its anchor into that file; and each field
and value of the PRM reference has one."""
import glob
import html.parser
import os
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = set(), set()
        with open(path, encoding="utf-8") as page:
            self.feed(page.read())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or name == "name" and tag == "a":
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.add(value)


def rows(path):
    """The rows of fields and values on a page of the reference: name, HTML."""
    with open(path, encoding="utf-8") as page:
        return re.findall(r'<tr id="(\w+\.\w+)">(.*?)</tr>', page.read(), re.S)


def main():
    folder = sys.argv[1]
    pages = {}
    for root, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(root, name)
                pages[path] = Page(path)
    broken = []
    for path, page in pages.items():
        for link in page.links:
            to, _, anchor = link.partition("#")
            if urllib.parse.urlsplit(link).scheme:
                continue
            to = urllib.parse.unquote(to.split("?")[0])
            target = os.path.normpath(os.path.join(os.path.dirname(path), to)) if to else path
            anchor = urllib.parse.unquote(anchor)
            if not os.path.exists(target) or anchor and target in pages and anchor not in pages[target].ids:
                broken.append("%s: %s" % (os.path.relpath(path, folder), link))
    reference = [row for path in glob.glob(os.path.join(folder, "prm/*.html")) for row in rows(path)]
    broken += ["%s has no link to its use" % name for name, row in reference if not re.search(r'class="used">.*<a ', row)]
    for line in sorted(broken):
        print("broken link:", line)
    print("%d pages, %d links, %d broken; %d rows of the reference" %
          (len(pages), sum(len(p.links) for p in pages.values()), len(broken), len(reference)))
    return bool(broken) or not pages or not reference


sys.exit(main())
