# SPDX-License-Identifier: BSD-2-Clause
# A dump of a domain, its entries, and a packet's way through them: no device needed.
noinst_LTLIBRARIES += tools/dvx-flow/libexplain.la
tools_dvx_flow_libexplain_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir) \
	-I$(top_srcdir)/tools/dvx-flow $(JANSSON_CFLAGS)
tools_dvx_flow_libexplain_la_SOURCES = \
	tools/dvx-flow/explain/dump.h tools/dvx-flow/explain/dump.c tools/dvx-flow/explain/dump_mask.c \
	tools/dvx-flow/explain/dump_rewrite.c tools/dvx-flow/explain/change.h tools/dvx-flow/explain/change.c \
	tools/dvx-flow/explain/change_frame.c tools/dvx-flow/explain/change_words.c \
	tools/dvx-flow/explain/walk_change.c \
	tools/dvx-flow/explain/trace_change.h tools/dvx-flow/explain/trace_change.c \
	tools/dvx-flow/explain/fields.def tools/dvx-flow/explain/fields.h tools/dvx-flow/explain/fields.c \
	tools/dvx-flow/explain/frame_fields.c \
	tools/dvx-flow/explain/ste.h tools/dvx-flow/explain/ste.c tools/dvx-flow/explain/ste_tag.c \
	tools/dvx-flow/explain/ste_v0.c tools/dvx-flow/explain/ste_v1.c \
	tools/dvx-flow/explain/walk.h tools/dvx-flow/explain/walk.c tools/dvx-flow/explain/views.c \
	tools/dvx-flow/explain/registers.h tools/dvx-flow/explain/codes_priv.h tools/dvx-flow/explain/codes.c \
	tools/dvx-flow/explain/codes_words.c tools/dvx-flow/explain/codes_hits.c \
	tools/dvx-flow/explain/walk_trace.h tools/dvx-flow/explain/walk_trace.c
tools_dvx_flow_libexplain_la_LIBADD = src/prm/libprm.la $(JANSSON_LIBS)
# The command, which asks the daemon.
tools_dvx_flow_dvx_flow_SOURCES += tools/dvx-flow/explain/explain.h tools/dvx-flow/explain/explain.c \
	tools/dvx-flow/explain/dumpcmd.c tools/dvx-flow/explain/rulefields.c tools/dvx-flow/explain/source.c tools/dvx-flow/explain/part.c
