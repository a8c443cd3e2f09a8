# SPDX-License-Identifier: BSD-2-Clause
"""Sphinx's settings for the site; collect.py makes its sources."""
import os

project = "dvx"
author = "the dvx authors"
copyright = "the dvx authors, BSD-2-Clause"
html_title = "dvx"
extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]
highlight_language = "text"  # blocks without a language: commands and what they print
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["pages.css", "site.css"]
html_js_files = ["theme.js"]
html_search_scorer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "search.js")
html_extra_path = ["extra"]
html_show_sphinx = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
