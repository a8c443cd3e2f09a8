# SPDX-License-Identifier: BSD-2-Clause
# A dump of a domain, its entries, and a packet's way through them: no device needed.
noinst_LTLIBRARIES += tools/dvx-flow/libexplain.la
tools_dvx_flow_libexplain_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir) \
	-I$(top_srcdir)/tools/dvx-flow $(JANSSON_CFLAGS)
tools_dvx_flow_libexplain_la_SOURCES = tools/dvx-flow/dump.h tools/dvx-flow/dump.c tools/dvx-flow/dump_mask.c \
	tools/dvx-flow/fields.h tools/dvx-flow/fields.c tools/dvx-flow/packet.c \
	tools/dvx-flow/ste.h tools/dvx-flow/ste.c tools/dvx-flow/ste_tag.c \
	tools/dvx-flow/walk.h tools/dvx-flow/walk.c tools/dvx-flow/views.c tools/dvx-flow/story.h tools/dvx-flow/story.c
tools_dvx_flow_libexplain_la_LIBADD = src/prm/libprm.la $(JANSSON_LIBS)
