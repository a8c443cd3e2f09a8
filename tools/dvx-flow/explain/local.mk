# SPDX-License-Identifier: BSD-2-Clause
# A dump of a domain, its entries, and a packet's way through them: no device needed.
noinst_LTLIBRARIES += tools/dvx-flow/libexplain.la
tools_dvx_flow_libexplain_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir) \
	-I$(top_srcdir)/tools/dvx-flow $(JANSSON_CFLAGS)
tools_dvx_flow_libexplain_la_SOURCES = \
	tools/dvx-flow/explain/tables.h tools/dvx-flow/explain/tables.c \
	tools/dvx-flow/explain/dump.h tools/dvx-flow/explain/dump.c tools/dvx-flow/explain/dump_hardware.c tools/dvx-flow/explain/dump_mask.c \
	tools/dvx-flow/explain/ste.h tools/dvx-flow/explain/ste.c tools/dvx-flow/explain/ste_tag.c \
	tools/dvx-flow/explain/ste_v0.c tools/dvx-flow/explain/ste_v1.c \
	tools/dvx-flow/explain/ste_hardware.c \
	tools/dvx-flow/explain/change.h tools/dvx-flow/explain/change.c \
	tools/dvx-flow/explain/change_frame.c \
	tools/dvx-flow/explain/fields.def tools/dvx-flow/explain/fields.h tools/dvx-flow/explain/fields.c \
	tools/dvx-flow/explain/frame_fields.c \
	tools/dvx-flow/explain/walk.h tools/dvx-flow/explain/walk.c \
	tools/dvx-flow/explain/codes.h tools/dvx-flow/explain/codes.c \
	tools/dvx-flow/explain/trace.h tools/dvx-flow/explain/trace.c
tools_dvx_flow_libexplain_la_LIBADD = src/prm/libprm.la $(JANSSON_LIBS)
# The command, which asks the daemon.
tools_dvx_flow_dvx_flow_SOURCES += tools/dvx-flow/explain/explain.h tools/dvx-flow/explain/explain.c tools/dvx-flow/explain/goal.c \
	tools/dvx-flow/explain/dumpcmd.c tools/dvx-flow/explain/rulefields.c tools/dvx-flow/explain/source.c
