# SPDX-License-Identifier: BSD-2-Clause
# make html: tutorial, manual pages, PRM reference and glossary as one site with a search, in doc/site/html of the
# build directory. Sphinx with MyST and furo, and mandoc; nothing else needs these (doc/design/0081).
EXTRA_DIST += doc/site/collect.py doc/site/sources.py doc/site/manual.py doc/site/reference.py doc/site/uses.py \
	doc/site/check.py doc/site/conf.py doc/site/index.md doc/site/site.css doc/site/theme.js doc/site/search.js
html-local: prm/generated
	@for tool in sphinx-build mandoc; do command -v $$tool >/dev/null || \
		{ echo "make html needs $$tool: ./quickstart html installs it" >&2; exit 1; }; done
	$(AM_V_GEN)export PYTHONDONTWRITEBYTECODE=1 && \
	'$(srcdir)/doc/site/collect.py' '$(srcdir)' '$(builddir)' doc/site/src && \
	sphinx-build -q -W --keep-going -j 2 -b html doc/site/src doc/site/html && \
	'$(srcdir)/doc/site/check.py' doc/site/html
	@echo "the site: file://$(abs_builddir)/doc/site/html/index.html"
clean-local: clean-site
clean-site:
	rm -rf doc/site/src doc/site/html
