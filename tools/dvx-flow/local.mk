# SPDX-License-Identifier: BSD-2-Clause
# What flex and bison write keeps its own style of conversions.
noinst_LTLIBRARIES += tools/dvx-flow/libgrammar.la tools/dvx-flow/librules.la
AM_YFLAGS = -d -Wno-yacc
BUILT_SOURCES += tools/dvx-flow/grammar.h
tools_dvx_flow_libgrammar_la_SOURCES = tools/dvx-flow/grammar.y tools/dvx-flow/scanner.l
tools_dvx_flow_libgrammar_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tools/dvx-flow -I$(top_builddir)/tools/dvx-flow
tools_dvx_flow_libgrammar_la_CFLAGS = $(AM_CFLAGS) -Wno-conversion -Wno-sign-conversion -Wno-undef -Wno-cast-align \
	-Wno-missing-prototypes -Wno-unused-function -Wno-unused-parameter
# Rules, their words, and what they become in tables: no device needed. The unit tests link it.
tools_dvx_flow_librules_la_CPPFLAGS = $(tools_dvx_flow_libgrammar_la_CPPFLAGS)
tools_dvx_flow_librules_la_SOURCES = tools/dvx-flow/rule.h tools/dvx-flow/arena.h tools/dvx-flow/arena.c \
	tools/dvx-flow/words.h tools/dvx-flow/words.c tools/dvx-flow/draft.h tools/dvx-flow/draft.c \
	tools/dvx-flow/compile.h tools/dvx-flow/compile.c tools/dvx-flow/expand.c tools/dvx-flow/keys.c \
	tools/dvx-flow/map.h tools/dvx-flow/map.c
tools_dvx_flow_librules_la_LIBADD = tools/dvx-flow/libgrammar.la
tools/dvx-flow/librules_la-words.lo tools/dvx-flow/libgrammar_la-scanner.lo: tools/dvx-flow/grammar.h
bin_PROGRAMS += tools/dvx-flow/dvx-flow
tools_dvx_flow_dvx_flow_SOURCES = tools/dvx-flow/dvx-flow.h tools/dvx-flow/main.c tools/dvx-flow/out.c \
	tools/dvx-flow/input.c tools/dvx-flow/check.c \
	tools/dvx-flow/explain.h tools/dvx-flow/explain.c tools/dvx-flow/dumpcmd.c \
	tools/dvx-flow/rulefields.c tools/dvx-flow/source.c
tools_dvx_flow_dvx_flow_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir) $(JANSSON_CFLAGS) $(PCAP_CFLAGS)
tools_dvx_flow_dvx_flow_LDADD = tools/dvx-flow/librules.la tools/dvx-flow/libexplain.la src/lib/libdvx.la \
	$(JANSSON_LIBS) $(PCAP_LIBS)
include tools/dvx-flow/explain.mk
