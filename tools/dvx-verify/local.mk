# SPDX-License-Identifier: BSD-2-Clause
# The order of the rows' files is that of the page.
VERIFY_ROWS = \
	tools/dvx-verify/rows/words.rows tools/dvx-verify/rows/copy.rows tools/dvx-verify/rows/flow.rows tools/dvx-verify/rows/info.rows tools/dvx-verify/rows/prm.rows \
	tools/dvx-verify/rows/lib.rows tools/dvx-verify/rows/tutorial.rows tools/dvx-verify/rows/queue.rows tools/dvx-verify/rows/transport.rows \
	tools/dvx-verify/rows/obj.rows tools/dvx-verify/rows/fw.rows tools/dvx-verify/rows/steer.rows tools/dvx-verify/rows/port.rows tools/dvx-verify/rows/kernel.rows tools/dvx-verify/rows/lab.rows
EXTRA_DIST += tools/dvx-verify/rows.pl $(VERIFY_ROWS)
bin_PROGRAMS += tools/dvx-verify/dvx-verify
tools_dvx_verify_dvx_verify_SOURCES = tools/dvx-verify/dvx-verify.h tools/dvx-verify/rows.h tools/dvx-verify/verify.h \
	tools/dvx-verify/bench.c tools/dvx-verify/main.c tools/dvx-verify/results.c tools/dvx-verify/run.c tools/dvx-verify/steps.c \
	tools/dvx-verify/signed.c tools/dvx-verify/signed.h tools/dvx-verify/probe_aso.c tools/dvx-verify/probe_caps.c \
	tools/dvx-verify/probe_context.c tools/dvx-verify/probe_cq.c tools/dvx-verify/probe_cross.c tools/dvx-verify/probe_crypt.c tools/dvx-verify/probe_dc.c \
	tools/dvx-verify/probe_mkey.c tools/dvx-verify/probe_queue.c tools/dvx-verify/probe_raw.c tools/dvx-verify/probe_shared.c \
	tools/dvx-verify/probe_sig.c tools/dvx-verify/probe_transport.c tools/dvx-verify/probe_ud.c tools/dvx-verify/probe_umr.c \
	tools/dvx-verify/probe_verbs.c
nodist_tools_dvx_verify_dvx_verify_SOURCES = tools/dvx-verify/rows.c tools/dvx-verify/probes.h
tools_dvx_verify_dvx_verify_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir) $(JANSSON_CFLAGS)
tools_dvx_verify_dvx_verify_LDADD = tools/cli/libcli.la src/prm/libprm.la src/lib/libdvx.la $(MLX5_LIBS) $(IBVERBS_LIBS) $(JANSSON_LIBS)
BUILT_SOURCES += tools/dvx-verify/rows.c tools/dvx-verify/probes.h
CLEANFILES += tools/dvx-verify/rows.c tools/dvx-verify/probes.h

tools/dvx-verify/rows.c: private ROWS_AS = --c
tools/dvx-verify/probes.h: private ROWS_AS = --probes
tools/dvx-verify/rows.c tools/dvx-verify/probes.h: tools/dvx-verify/rows.pl $(VERIFY_ROWS)
	$(AM_V_GEN)$(MKDIR_P) tools/dvx-verify && cd '$(srcdir)' && \
	$(PERL) tools/dvx-verify/rows.pl $(ROWS_AS) $(VERIFY_ROWS) >'$(abs_builddir)/$@.new' && \
	mv '$(abs_builddir)/$@.new' '$(abs_builddir)/$@'

# After a change of a row; tests/tree/docs.pl finds a page that is not current.
hardware-page:
	cd '$(srcdir)' && $(PERL) tools/dvx-verify/rows.pl --page $(VERIFY_ROWS) >doc/hardware-to-verify.md
.PHONY: hardware-page
# Also where a target is made alone, without BUILT_SOURCES.
$(tools_dvx_verify_dvx_verify_OBJECTS): tools/dvx-verify/probes.h
