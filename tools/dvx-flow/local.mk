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
	tools/dvx-flow/words.h tools/dvx-flow/words.c tools/dvx-flow/draft.h tools/dvx-flow/draft.c tools/dvx-flow/draft_addr.c tools/dvx-flow/draft_rule.c \
	tools/dvx-flow/compile.h tools/dvx-flow/compile.c tools/dvx-flow/expand.c tools/dvx-flow/keys.c \
	tools/dvx-flow/map.h tools/dvx-flow/map.c
tools_dvx_flow_librules_la_LIBADD = tools/dvx-flow/libgrammar.la
tools/dvx-flow/librules_la-words.lo tools/dvx-flow/libgrammar_la-scanner.lo: tools/dvx-flow/grammar.h
bin_PROGRAMS += tools/dvx-flow/dvx-flow
tools_dvx_flow_dvx_flow_SOURCES = tools/dvx-flow/dvx-flow.h tools/dvx-flow/main.c tools/dvx-flow/out.c \
	tools/dvx-flow/input.c tools/dvx-flow/check.c \
	tools/dvx-flow/where.h tools/dvx-flow/where.c tools/dvx-flow/msg.h tools/dvx-flow/msg.c \
	tools/dvx-flow/client.h tools/dvx-flow/client.c tools/dvx-flow/commands.c tools/dvx-flow/show.c \
	tools/dvx-flow/server.h tools/dvx-flow/server.c tools/dvx-flow/daemon.c \
	tools/dvx-flow/answers.h tools/dvx-flow/answers.c tools/dvx-flow/holder.h tools/dvx-flow/holder.c \
	tools/dvx-flow/state.h tools/dvx-flow/state.c tools/dvx-flow/fault.h tools/dvx-flow/fault.c \
	tools/dvx-flow/generation.h tools/dvx-flow/generation.c tools/dvx-flow/ground.h tools/dvx-flow/ground.c \
	tools/dvx-flow/counters.h tools/dvx-flow/counters.c tools/dvx-flow/fill.h tools/dvx-flow/fill.c \
	tools/dvx-flow/pump.h tools/dvx-flow/pump.c tools/dvx-flow/capture.h tools/dvx-flow/capture.c \
	tools/dvx-flow/explain.h tools/dvx-flow/explain.c tools/dvx-flow/dumpcmd.c \
	tools/dvx-flow/rulefields.c tools/dvx-flow/source.c
tools_dvx_flow_dvx_flow_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir) $(JANSSON_CFLAGS) $(PCAP_CFLAGS)
tools_dvx_flow_dvx_flow_LDADD = tools/dvx-flow/librules.la tools/dvx-flow/libexplain.la src/lib/libdvx.la \
	$(JANSSON_LIBS) $(PCAP_LIBS) -lpthread
include tools/dvx-flow/explain.mk
dist_man_MANS += doc/man/dvx-flow.1
EXTRA_DIST += doc/design/0065-dvx-flow.md
