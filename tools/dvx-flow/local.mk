# SPDX-License-Identifier: BSD-2-Clause
bin_PROGRAMS += tools/dvx-flow/dvx-flow
tools_dvx_flow_dvx_flow_SOURCES = tools/dvx-flow/dvx-flow.h tools/dvx-flow/main.c \
	tools/dvx-flow/input.c tools/dvx-flow/check.c tools/dvx-flow/cost.h tools/dvx-flow/cost.c \
	tools/dvx-flow/where.h tools/dvx-flow/where.c tools/dvx-flow/msg.h tools/dvx-flow/msg.c \
	tools/dvx-flow/client.h tools/dvx-flow/client.c tools/dvx-flow/commands.c tools/dvx-flow/batch.h tools/dvx-flow/batch.c tools/dvx-flow/edit.c tools/dvx-flow/diff.c tools/dvx-flow/show.h tools/dvx-flow/show.c \
	tools/dvx-flow/stats.h tools/dvx-flow/stats.c tools/dvx-flow/stats_table.c \
	tools/dvx-flow/stats_screen.c tools/dvx-flow/stats_prometheus.c \
	tools/dvx-flow/splice.c tools/dvx-flow/places.h tools/dvx-flow/places.c \
	tools/dvx-flow/fault.h tools/dvx-flow/fault.c \
	tools/dvx-flow/rule_json.h tools/dvx-flow/rule_json.c tools/dvx-flow/draw.c \
	tools/dvx-flow/import_cmd.c tools/dvx-flow/export_cmd.c
tools_dvx_flow_dvx_flow_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir) \
	-I$(top_srcdir)/tools/dvx-flow $(JANSSON_CFLAGS) $(PCAP_CFLAGS)
tools_dvx_flow_dvx_flow_LDADD = tools/dvx-flow/libimport.la tools/dvx-flow/librules.la tools/dvx-flow/libexplain.la tools/cli/libcli.la \
	src/lib/libdvx.la $(JANSSON_LIBS) $(PCAP_LIBS) -lpthread
include tools/dvx-flow/rules/local.mk
include tools/dvx-flow/daemon/local.mk
include tools/dvx-flow/explain/local.mk
include tools/dvx-flow/import/local.mk
dist_man_MANS += doc/man/dvx-flow.1
dist_systemdunit_DATA = tools/dvx-flow/systemd/dvx-flow@.socket
nodist_systemdunit_DATA += tools/dvx-flow/systemd/dvx-flow@.service
tools/dvx-flow/systemd/dvx-flow@.service: tools/dvx-flow/systemd/dvx-flow@.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed 's|@bindir[@]|$(bindir)|' $(srcdir)/$@.in >$@
CLEANFILES += tools/dvx-flow/systemd/dvx-flow@.service
EXTRA_DIST += tools/dvx-flow/systemd/dvx-flow@.service.in
