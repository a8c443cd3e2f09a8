# SPDX-License-Identifier: BSD-2-Clause
"""Files of the tree that the site's pages link to: pages with numbered lines."""
import os

import pygments
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>%s</title>
<style>body { font: 14px sans-serif; margin: 1em 2em } pre { line-height: 1.35; tab-size: 8 } .linenos, .linenos a { color: #888; text-decoration: none }
:target { background: #f2b84b55 }
%s
@media (prefers-color-scheme: dark) { body { background: #14181d; color: #e3e8ee } a { color: #7db8f5 }
%s }
</style></head>
<body><p><a href="%s">dvx</a> / %s</p>
"""


class Files:
    def __init__(self, top):
        self.top = top
        self.linked = set()

    def has(self, path):
        return os.path.isfile(os.path.join(self.top, path))

    def text(self, path):
        with open(os.path.join(self.top, path), encoding="utf-8") as source:
            return source.read()

    def page(self, path, line=None):
        """The page of a file, which is made because somebody asked for it."""
        self.linked.add(path)
        return "source/%s.html" % path + ("#L-%d" % line if line else "")

    def write_all(self, folder):
        light, dark = (HtmlFormatter(style=style) for style in ("friendly", "monokai"))
        style = light.get_style_defs("pre"), dark.get_style_defs("pre")
        for path in sorted(self.linked):
            try:
                lexer = get_lexer_for_filename(path, stripnl=False)
            except ClassNotFound:
                lexer = TextLexer(stripnl=False)
            out = os.path.join(folder, "source", path + ".html")
            os.makedirs(os.path.dirname(out), exist_ok=True)
            home = os.path.relpath("index.html", os.path.dirname("source/" + path))
            with open(out, "w", encoding="utf-8") as page:
                page.write(HEAD % (path, *style, home, path))
                try:
                    text = self.text(path)
                except UnicodeDecodeError:
                    text = "not a text"
                pygments.highlight(text, lexer, HtmlFormatter(linenos="inline", lineanchors="L", nowrap=False), page)
                page.write("</body></html>\n")
