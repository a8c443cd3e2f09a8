# SPDX-License-Identifier: BSD-2-Clause
bin_PROGRAMS += tools/dvx-perf/dvx-perf
tools_dvx_perf_dvx_perf_SOURCES = \
	tools/dvx-perf/main.c tools/dvx-perf/options.c tools/dvx-perf/options.h tools/dvx-perf/exits.h \
	tools/dvx-perf/ops.c tools/dvx-perf/ops.h tools/dvx-perf/params.h \
	tools/dvx-perf/site.c tools/dvx-perf/site.h \
	tools/dvx-perf/run.c tools/dvx-perf/session.c tools/dvx-perf/session.h \
	tools/dvx-perf/crew.c tools/dvx-perf/crew.h \
	tools/dvx-perf/loop.h tools/dvx-perf/ticks.h tools/dvx-perf/ticks.c \
	tools/dvx-perf/histogram.c tools/dvx-perf/histogram.h \
	tools/dvx-perf/engine.h tools/dvx-perf/engine_dvx.c tools/dvx-perf/engine_template.c \
	tools/dvx-perf/rings.h tools/dvx-perf/rings.c \
	tools/dvx-perf/verbs/verbs.h tools/dvx-perf/verbs/queue.c \
	tools/dvx-perf/verbs/connect.c tools/dvx-perf/verbs/connect.h tools/dvx-perf/verbs/xrc.c tools/dvx-perf/verbs/xrc.h \
	tools/dvx-perf/verbs/post_send.c tools/dvx-perf/verbs/wr.c \
	tools/dvx-perf/responder.c tools/dvx-perf/responder.h \
	tools/dvx-perf/windows.c tools/dvx-perf/windows.h tools/dvx-perf/peer.c tools/dvx-perf/peer.h \
	tools/dvx-perf/control.c tools/dvx-perf/control_net.c tools/dvx-perf/control.h tools/dvx-perf/serve.c \
	tools/dvx-perf/result.c tools/dvx-perf/result.h tools/dvx-perf/report.h \
	tools/dvx-perf/report_table.c tools/dvx-perf/report_json.c tools/dvx-perf/report_csv.c \
	tools/dvx-perf/plot.c tools/dvx-perf/plot.h \
	tools/dvx-perf/threads.c tools/dvx-perf/threads.h tools/dvx-perf/threads_report.c \
	tools/dvx-perf/hub.c tools/dvx-perf/hub.h tools/dvx-perf/hub_loop.c \
	tools/dvx-perf/rules.c tools/dvx-perf/rules.h tools/dvx-perf/rules_keys.c tools/dvx-perf/rules_flow.c \
	tools/dvx-perf/rules_posts.c tools/dvx-perf/rules_report.c \
	tools/dvx-perf/progress.c tools/dvx-perf/progress.h \
	tools/dvx-perf/stop.c tools/dvx-perf/stop.h
tools_dvx_perf_dvx_perf_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tools_dvx_perf_dvx_perf_CFLAGS = $(AM_CFLAGS) $(IBVERBS_CFLAGS) $(JANSSON_CFLAGS)
tools_dvx_perf_dvx_perf_LDADD = tools/cli/libcli.la src/lib/libdvx.la $(MLX5_LIBS) $(IBVERBS_LIBS) $(JANSSON_LIBS) -lpthread
