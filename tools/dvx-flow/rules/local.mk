# SPDX-License-Identifier: BSD-2-Clause
# Rules, their words, and what they become in tables: no device needed. The unit tests link it.
# What bison writes keeps its own style of conversions.
noinst_LTLIBRARIES += tools/dvx-flow/libgrammar.la tools/dvx-flow/librules.la
AM_YFLAGS = -d -Wno-yacc
BUILT_SOURCES += tools/dvx-flow/rules/grammar.h
tools_dvx_flow_libgrammar_la_SOURCES = tools/dvx-flow/rules/grammar.y
tools_dvx_flow_libgrammar_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tools/dvx-flow -I$(top_builddir)/tools/dvx-flow \
	-I$(top_srcdir)/tools/dvx-flow/rules -I$(top_srcdir)
tools_dvx_flow_libgrammar_la_CFLAGS = $(AM_CFLAGS) -Wno-conversion -Wno-sign-conversion -Wno-undef -Wno-cast-align \
	-Wno-missing-prototypes -Wno-unused-function -Wno-unused-parameter
tools_dvx_flow_librules_la_CPPFLAGS = $(tools_dvx_flow_libgrammar_la_CPPFLAGS)
tools_dvx_flow_librules_la_SOURCES = tools/dvx-flow/rules/rule.h \
	tools/dvx-flow/rules/arena.h tools/dvx-flow/rules/arena.c \
	tools/dvx-flow/rules/words.h tools/dvx-flow/rules/words.c \
	tools/dvx-flow/rules/node.h tools/dvx-flow/rules/parse.h tools/dvx-flow/rules/scan.c tools/dvx-flow/rules/parse_text.c tools/dvx-flow/rules/parse_parts.c \
	tools/dvx-flow/rules/parse_value.c tools/dvx-flow/rules/define.h tools/dvx-flow/rules/parse_define.c \
	tools/dvx-flow/rules/parse_variable.c tools/dvx-flow/rules/marks.h tools/dvx-flow/rules/marks.c \
	tools/dvx-flow/rules/build.h tools/dvx-flow/rules/build.c tools/dvx-flow/rules/build_field.c tools/dvx-flow/rules/build_match.c \
	tools/dvx-flow/rules/build_change.c tools/dvx-flow/rules/build_encap.c tools/dvx-flow/rules/tunnels.h tools/dvx-flow/rules/tunnels.c tools/dvx-flow/rules/build_rate.c tools/dvx-flow/rules/build_track.c tools/dvx-flow/rules/build_to.c tools/dvx-flow/rules/dir.c \
	tools/dvx-flow/rules/build_name.c tools/dvx-flow/rules/build_table.c \
	tools/dvx-flow/rules/compile.h tools/dvx-flow/rules/compile.c tools/dvx-flow/rules/cost.c \
	tools/dvx-flow/rules/rates.h tools/dvx-flow/rules/rates.c \
	tools/dvx-flow/rules/cover.h tools/dvx-flow/rules/cover.c \
	tools/dvx-flow/rules/cubes.h tools/dvx-flow/rules/cubes.c \
	tools/dvx-flow/rules/expand.h tools/dvx-flow/rules/expand.c tools/dvx-flow/rules/expand_not.c \
	tools/dvx-flow/rules/keys.def tools/dvx-flow/rules/keys.c tools/dvx-flow/rules/location.c \
	tools/dvx-flow/rules/map.h tools/dvx-flow/rules/map.c \
	tools/dvx-flow/rules/pairs.h tools/dvx-flow/rules/pairs.c \
	tools/dvx-flow/rules/shape.h tools/dvx-flow/rules/shape.c tools/dvx-flow/rules/live.h tools/dvx-flow/rules/live.c \
	tools/dvx-flow/rules/source.h tools/dvx-flow/rules/source.c \
	tools/dvx-flow/rules/acl/acl.h tools/dvx-flow/rules/acl/work.h tools/dvx-flow/rules/acl/acl.c \
	tools/dvx-flow/rules/acl/class.c tools/dvx-flow/rules/acl/family.c tools/dvx-flow/rules/acl/range.c \
	tools/dvx-flow/rules/acl/field.c tools/dvx-flow/rules/acl/level.c tools/dvx-flow/rules/acl/merge.c \
	tools/dvx-flow/rules/acl/band.c tools/dvx-flow/rules/acl/code.c tools/dvx-flow/rules/acl/lookup.c \
	tools/dvx-flow/rules/acl/emit.c tools/dvx-flow/rules/acl/headers.c tools/dvx-flow/rules/acl/result.c \
	tools/dvx-flow/rules/acl/program.c \
	tools/dvx-flow/rules/plan.h tools/dvx-flow/rules/plan.c
tools_dvx_flow_librules_la_LIBADD = tools/dvx-flow/libgrammar.la tools/cli/libnames.la
tools/dvx-flow/rules/librules_la-words.lo tools/dvx-flow/rules/librules_la-parse_define.lo \
	tools/dvx-flow/rules/librules_la-parse_variable.lo tools/dvx-flow/rules/librules_la-parse_text.lo tools/dvx-flow/rules/librules_la-parse_parts.lo \
	tools/dvx-flow/rules/librules_la-scan.lo: tools/dvx-flow/rules/grammar.h
