# SPDX-License-Identifier: BSD-2-Clause
"""The manual pages as pages of the site: mandoc writes them, their sections become Sphinx's."""
import glob
import html
import os
import re
import subprocess

SECTION = re.compile(r'<section class="Sh">\s*<h1 class="Sh"[^>]*>(?:<a [^>]*>)?(.*?)(?:</a>)?</h1>', re.S)


def names(text):
    """What the page's NAME section names: each is found under its own name."""
    section = re.search(r"^\.SH NAME\n(.*?)^\.SH ", text, re.M | re.S).group(1)
    before = re.split(r" \\- ", section)[0]
    return [n for n in re.split(r"[,\s]+", re.sub(r"^\.\w+", "", before, flags=re.M)) if n]


def linked(text, page_of):
    def one(match):
        page = page_of.get((match.group(2), match.group(3)))
        return '<a href="%s.html">%s</a>' % (page, match.group(0)) if page else match.group(0)
    return re.sub(r"<(b|i)>([\w-]+)</\1>\((\d)\)", one, text)


def to_reference(text, places):
    """The PRM section's commands and headlines, led to their structures."""
    def one(match):
        place = places.get(html.unescape(match.group(1) or match.group(2)))
        return '<a href="../prm/%s">%s</a>' % (place, match.group(0)) if place else match.group(0)
    return re.sub(r"&quot;(.+?)&quot;|\b([A-Z][A-Z0-9_]+)\b", one, text)


def heading(words, mark):
    return "%s\n%s\n\n" % (words, mark * max(4, len(words)))


def raw(folder, name, text, parts):
    # In code mandoc puts a <br/> before an indented line, which would show as an empty line.
    text = re.sub(r"<pre>.*?</pre>", lambda code: re.sub(r"<br ?/?>\n", "", code.group(0)), text, flags=re.S)
    # Sphinx's search takes the tags away: words of two cells would be one.
    text = re.sub(r"(</(?:td|th|tr|dt|dd|li|p|div|h\d)>|<br ?/?>)", r"\1 ", text)
    path = os.path.join(folder, "raw", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    parts.append(".. raw:: html\n   :file: raw/%s\n\n" % name)


def write_page(source, folder, page, page_of, places):
    text = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", source], check=True, capture_output=True,
                          encoding="utf-8").stdout
    text = linked(re.sub(r'<table class="(?:head|foot)">.*?</table>', "", text, flags=re.S), page_of)
    pieces = SECTION.split(text)
    parts = [heading("%s(%s)" % tuple(page.rsplit(".", 1)), "=")]
    for n in range(1, len(pieces), 2):
        title = " ".join(html.unescape(re.sub(r"<[^>]*>", "", pieces[n])).split())
        parts.append(heading(title.capitalize() if title != "PRM" else title, "-"))
        body = pieces[n + 1].rsplit("</section>", 1)[0]
        if title == "PRM":
            body = to_reference(body, places)
        raw(folder, "%s.%d.html" % (page, n), '<div class="manpage">%s</div>' % body, parts)
    with open(os.path.join(folder, page + ".rst"), "w", encoding="utf-8") as out:
        out.writelines(parts)


def write_all(top, folder, places):
    """Writes man/. Returns for each word of the pages' PRM sections the pages that have it."""
    folder = os.path.join(folder, "man")
    os.makedirs(folder)
    page_of, prm, texts = {}, {}, {}
    for source in sorted(glob.glob(os.path.join(top, "doc/man/*.[0-9]"))):
        with open(source, encoding="utf-8") as page:
            texts[source] = page.read()
        page = os.path.basename(source)
        for name in names(texts[source]) + [page.rsplit(".", 1)[0]]:
            page_of[(name, page.rsplit(".", 1)[1])] = page
        words = re.search(r"^\.SH PRM\n(.*?)^\.SH ", texts[source], re.M | re.S)
        for word in re.findall(r'"[^"]+"|\w+', words.group(1)) if words else []:
            prm.setdefault(word.strip('"'), []).append(page)
    for source in texts:
        write_page(source, folder, os.path.basename(source), page_of, places)
    order = sorted((os.path.basename(s) for s in texts), key=lambda p: ("1 7 3".index(p[-1]), p))
    with open(os.path.join(folder, "index.rst"), "w", encoding="utf-8") as out:
        out.write(heading("Manual pages", "=") + "Tools, then the library.\n\n.. toctree::\n\n" +
                  "".join("   %s\n" % p for p in order))
    return prm
