# SPDX-License-Identifier: BSD-2-Clause
# The tables and what is generated from them: never committed, never in the tarball.
PRM_TABLES = \
	prm/admin.prm prm/alias.prm prm/boot.prm prm/cap.prm prm/cong.prm prm/reg.prm prm/cmd.prm prm/cq.prm prm/cqe.prm prm/db.prm \
	prm/dct.prm prm/eq.prm prm/eqe.prm prm/eth.prm prm/flow.prm prm/hws.prm prm/match.prm \
	prm/misc.prm prm/mkey.prm prm/object.prm prm/qp.prm prm/query.prm prm/rq.prm prm/ste.prm \
	prm/ste1.prm prm/vport.prm prm/wqe.prm
PRM_BUILT = \
	include/dvx/prm/admin.h include/dvx/prm/alias.h include/dvx/prm/boot.h include/dvx/prm/cap.h include/dvx/prm/cong.h include/dvx/prm/reg.h include/dvx/prm/cmd.h \
	include/dvx/prm/cq.h include/dvx/prm/cqe.h include/dvx/prm/db.h include/dvx/prm/dct.h \
	include/dvx/prm/eq.h include/dvx/prm/eqe.h include/dvx/prm/eth.h include/dvx/prm/flow.h \
	include/dvx/prm/hws.h include/dvx/prm/match.h include/dvx/prm/misc.h include/dvx/prm/mkey.h \
	include/dvx/prm/object.h include/dvx/prm/qp.h include/dvx/prm/query.h include/dvx/prm/rq.h \
	include/dvx/prm/ste.h include/dvx/prm/ste1.h include/dvx/prm/vport.h include/dvx/prm/wqe.h
PRM_PAGES = \
	doc/prm/admin.html doc/prm/alias.html doc/prm/boot.html doc/prm/cap.html doc/prm/cong.html doc/prm/reg.html doc/prm/cmd.html doc/prm/cq.html \
	doc/prm/cqe.html doc/prm/db.html doc/prm/dct.html doc/prm/eq.html doc/prm/eqe.html \
	doc/prm/eth.html doc/prm/flow.html doc/prm/hws.html doc/prm/match.html doc/prm/misc.html \
	doc/prm/mkey.html doc/prm/object.html doc/prm/qp.html doc/prm/query.html doc/prm/rq.html \
	doc/prm/ste.html doc/prm/ste1.html doc/prm/vport.html doc/prm/wqe.html doc/prm/index.html doc/prm/search.js
PRM_GENERATED = $(PRM_BUILT) $(PRM_PAGES) src/prm/rows.c src/prm/match.c src/prm/enums.c \
	src/prm/fields.inc prm/prm.json

EXTRA_DIST += prm/README.md prm/gen.pl prm/Table.pm prm/Export.pm prm/Pages.pm prm/pages.css prm/pages.js $(PRM_TABLES)
dvxprm_HEADERS = include/dvx/prm/platform.h include/dvx/prm/prm.h
nodist_dvxprm_HEADERS = $(PRM_BUILT)
dvxdatadir = $(datadir)/dvx
nodist_dvxdata_DATA = prm/prm.json
dvxprmdocdir = $(docdir)/prm
nodist_dvxprmdoc_DATA = $(PRM_PAGES)
BUILT_SOURCES += $(PRM_GENERATED)
CLEANFILES += $(PRM_GENERATED) prm/generated

# One run makes everything; the stamp keeps a parallel make from running it once per file.
prm/generated: prm/gen.pl prm/Table.pm prm/Export.pm prm/Pages.pm prm/pages.css prm/pages.js $(PRM_TABLES)
	$(AM_V_GEN)$(MKDIR_P) prm include/dvx/prm src/prm doc/prm && \
	cd '$(srcdir)' && $(PERL) prm/gen.pl --headers '$(abs_builddir)/include/dvx/prm' \
		--rows '$(abs_builddir)/src/prm/rows.c' --match '$(abs_builddir)/src/prm/match.c' \
		--enums '$(abs_builddir)/src/prm/enums.c' \
		--list '$(abs_builddir)/src/prm/fields.inc' \
		--json '$(abs_builddir)/prm/prm.json' \
		--pages '$(abs_builddir)/doc/prm' $(PRM_TABLES) && \
	touch '$(abs_builddir)/$@'

$(PRM_GENERATED): prm/generated
	@test -f $@ || { rm -f prm/generated; $(MAKE) $(AM_MAKEFLAGS) prm/generated; }
