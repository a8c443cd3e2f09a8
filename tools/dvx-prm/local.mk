# SPDX-License-Identifier: BSD-2-Clause
# Without libdvx: the decoder over the tables is all it needs (doc/design/0011-dvx-prm.md).
bin_PROGRAMS += tools/dvx-prm/dvx-prm
noinst_LTLIBRARIES += tools/dvx-prm/libtool.la
tools_dvx_prm_libtool_la_SOURCES = tools/dvx-prm/dvx-prm.h \
	tools/dvx-prm/hexrow.h tools/dvx-prm/hexrow.c tools/dvx-prm/hex.h tools/dvx-prm/hex.c \
	tools/dvx-prm/trace.h tools/dvx-prm/trace.c tools/dvx-prm/input.h tools/dvx-prm/input.c \
	tools/dvx-prm/walk.h tools/dvx-prm/walk.c tools/dvx-prm/tree.c \
	tools/dvx-prm/find.c \
	tools/dvx-prm/explain.h tools/dvx-prm/explain.c tools/dvx-prm/recognise.c \
	tools/dvx-prm/find_out.c tools/dvx-prm/explain_cqe.c tools/dvx-prm/explain_mini.c \
	tools/dvx-prm/explain_eqe.c tools/dvx-prm/explain_wqe.c \
	tools/dvx-prm/explain_address.c tools/dvx-prm/explain_rwqe.c \
	tools/dvx-prm/explain_cmd.c tools/dvx-prm/explain_cap.c tools/dvx-prm/explain_status.c \
	tools/dvx-prm/fit.h tools/dvx-prm/fit.c \
	tools/dvx-prm/failure.h tools/dvx-prm/failure.c tools/dvx-prm/wc.c tools/dvx-prm/explain_failure.c \
	tools/dvx-prm/forms.h tools/dvx-prm/forms.c tools/dvx-prm/topics.h tools/dvx-prm/topics.c \
	tools/dvx-prm/topic_details.c tools/dvx-prm/explain_topic.c tools/dvx-prm/health.h tools/dvx-prm/health.c \
	tools/dvx-prm/paste.h tools/dvx-prm/paste.c tools/dvx-prm/explain_text.c \
	tools/dvx-prm/errnum.h tools/dvx-prm/errnum.c tools/dvx-prm/refusal.h tools/dvx-prm/refusal.c
tools_dvx_prm_libtool_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir) $(JANSSON_CFLAGS)
tools_dvx_prm_libtool_la_LIBADD = tools/cli/libcli.la src/prm/libprm.la $(JANSSON_LIBS) -lm
tools_dvx_prm_dvx_prm_SOURCES = tools/dvx-prm/main.c tools/dvx-prm/list.c tools/dvx-prm/show.c \
	tools/dvx-prm/diagram.c tools/dvx-prm/decode.c tools/dvx-prm/complete.c \
	tools/dvx-prm/encode.c tools/dvx-prm/diff.c tools/dvx-prm/export.c
tools_dvx_prm_dvx_prm_CPPFLAGS = $(tools_dvx_prm_libtool_la_CPPFLAGS)
tools_dvx_prm_dvx_prm_LDADD = tools/dvx-prm/libtool.la
BUILT_SOURCES += tools/dvx-prm/export.inc
CLEANFILES += tools/dvx-prm/export.inc

# prm.json as a C string.
tools/dvx-prm/export.inc: prm/prm.json
	$(AM_V_GEN)$(MKDIR_P) tools/dvx-prm && \
	$(SED) -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' prm/prm.json > $@.tmp && mv $@.tmp $@
tools/dvx-prm/dvx_prm-export.$(OBJEXT): tools/dvx-prm/export.inc
