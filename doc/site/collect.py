#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Collects the sources of the site for Sphinx: collect.py TOP_SRCDIR TOP_BUILDDIR FOLDER

Documents are copied, with links to other files of the tree led to pages of these files; manual pages and
reference pages are cut into sections; a file that something links to becomes a page with numbered lines."""
import glob
import os
import re
import shutil
import sys

import manual
import reference
import sources

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "examples/README.md", "doc/GLOSSARY.md", "doc/syndromes.md",
             "doc/hardware-to-verify.md", "doc/first-nic.md", "doc/programs.md", "doc/rdma-core-tests.md", "doc/rdma-core-newest-tests.md",
             "prm/README.md", "tests/README.md"]


def place_of(path):
    """Where a document of the tree is in the site."""
    return path[len("doc/"):] if path.startswith("doc/tutorial/") else path


def led(link, at, documents, files):
    """A link of the document at this path: its target in the site, and whether Sphinx knows it."""
    target, _, anchor = link.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(at), target)) if target else at
    back = os.path.relpath(place_of(path), os.path.dirname(place_of(at)) or ".")
    anchor = "#" + anchor if anchor else ""
    if path in documents:
        return back + anchor, True
    if not files.has(path):
        return None, True
    return os.path.relpath(files.page(path), os.path.dirname(place_of(at)) or "."), False


def with_links(text, at, documents, files):
    """The text, its links led to the site's pages. Fenced blocks stay."""
    def one(match):
        words, link = match.group(1), match.group(2)
        if re.match(r"\w+:", link):
            return match.group(0)
        to, known = led(link, at, documents, files)
        if to is None:
            return words
        return "[%s](%s)" % (words, to) if known else '<a href="%s">%s</a>' % (to, words)

    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else
                   re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", one, part) for part in parts)


def copy_pictures(text, at, top, folder):
    for link in re.findall(r"!\[[^\]]*\]\(([^)\s:]+)\)", text):
        source = os.path.normpath(os.path.join(os.path.dirname(at), link))
        to = os.path.join(folder, os.path.dirname(place_of(at)), link)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(os.path.join(top, source), to)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def toctree(names):
    return "\n```{toctree}\n:maxdepth: 1\n:hidden:\n%s\n```\n" % "\n".join(names)


def main():
    top, build, folder = sys.argv[1:4]
    shutil.rmtree(folder, ignore_errors=True)
    files = sources.Files(top)
    pages = sorted(glob.glob("doc/tutorial/[0-9]*.md", root_dir=top))
    notes = sorted(glob.glob("doc/design/*.md", root_dir=top))
    documents = set(DOCUMENTS + pages + notes + ["doc/tutorial/README.md"])
    for path in documents:
        text = with_links(files.text(path), path, documents, files)
        if path == "doc/tutorial/README.md":
            text += toctree(os.path.basename(p)[:-3] for p in pages)
        write(os.path.join(folder, place_of(path)), text)
        copy_pictures(text, path, top, folder)
    write(os.path.join(folder, "doc/design/index.md"), "# Design notes\n\nA decision each, with what was rejected.\n" +
          "\n```{toctree}\n%s\n```\n" % "\n".join(os.path.basename(p)[:-3] for p in notes))
    for other in ["doc/programs", "doc/rdma-core-tests", "doc/rdma-core-newest-tests", "prm/README", "tests/README"]:
        path = os.path.join(folder, other + ".md")
        with open(path, encoding="utf-8") as page:
            write(path, "---\norphan: true\n---\n" + page.read())
    shutil.copy(os.path.join(top, "doc/rooms.svg"), os.path.join(folder, "doc"))
    calls = manual.write_all(top, folder, reference.places(build))
    reference.write_all(top, build, folder, files, calls)
    files.write_all(os.path.join(folder, "extra"))
    for name in ["doc/site/index.md", "doc/site/conf.py", "doc/site/search.js"]:
        shutil.copy(os.path.join(top, name), folder)
    for name in ["doc/site/site.css", "doc/site/theme.js", "prm/pages.css"]:
        os.makedirs(os.path.join(folder, "static"), exist_ok=True)
        shutil.copy(os.path.join(top, name), os.path.join(folder, "static"))


if __name__ == "__main__":
    main()
