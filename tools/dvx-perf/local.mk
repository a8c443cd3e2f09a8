# SPDX-License-Identifier: BSD-2-Clause
bin_PROGRAMS += tools/dvx-perf/dvx-perf
tools_dvx_perf_dvx_perf_SOURCES = \
	tools/dvx-perf/main.c \
	tools/dvx-perf/loop.h \
	tools/dvx-perf/ticks.h \
	tools/dvx-perf/ticks.c \
	tools/dvx-perf/report.h \
	tools/dvx-perf/report.c \
	tools/dvx-perf/dvx.c \
	tools/dvx-perf/verbs.c
tools_dvx_perf_dvx_perf_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tools_dvx_perf_dvx_perf_CFLAGS = $(AM_CFLAGS) $(IBVERBS_CFLAGS) $(JANSSON_CFLAGS)
tools_dvx_perf_dvx_perf_LDADD = tools/cli/libcli.la src/lib/libdvx.la $(IBVERBS_LIBS) $(JANSSON_LIBS)
