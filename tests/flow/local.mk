# SPDX-License-Identifier: BSD-2-Clause
# dvx-flow: its rules, importers and explain without a device; scripts that send packets through rules on a device.
FLOW_TESTS += tests/flow/import tests/flow/rules_parse tests/flow/rules_mistakes tests/flow/rules_edit \
	tests/flow/rules_fill tests/flow/rules_compile tests/flow/rules_entries tests/flow/rules_acl \
	tests/flow/server
FLOW_HELPERS += tests/flow/diff tests/flow/explain_walks tests/flow/acl tests/flow/edit tests/flow/switch_diff
DIFF_CHANGES = tools/dvx-flow/daemon/changes.c tools/dvx-flow/daemon/option.c tools/dvx-flow/daemon/locate.c tools/dvx-flow/fault.c
DIFF_DAEMON = tools/dvx-flow/daemon/generation.c tools/dvx-flow/daemon/generation_table.c \
	tools/dvx-flow/daemon/generation_edit.c tools/dvx-flow/daemon/generation_fits.c \
	tools/dvx-flow/daemon/rule_state.c tools/dvx-flow/daemon/flow_list.c \
	tools/dvx-flow/daemon/codes.c tools/dvx-flow/daemon/overlay.c \
	tools/dvx-flow/daemon/base_tables.c tools/dvx-flow/daemon/switch_base.c tools/dvx-flow/daemon/spread.c tools/dvx-flow/daemon/counters.c \
	tools/dvx-flow/daemon/aso_bulk.c tools/dvx-flow/daemon/limit.c tools/dvx-flow/daemon/rule_object.c \
	tools/dvx-flow/daemon/track/track.c tools/dvx-flow/daemon/track/track_packet.c tools/dvx-flow/daemon/track/track_connections.c \
	tools/dvx-flow/daemon/track/track_queue.c tools/dvx-flow/daemon/fill.c tools/dvx-flow/daemon/pause.c tools/dvx-flow/input.c
DIFF_HOLDER = tools/dvx-flow/daemon/holder.c tools/dvx-flow/daemon/holder_edit.c \
	tools/dvx-flow/daemon/apply.c tools/dvx-flow/daemon/state.c
DIFF_RIG = tests/flow/diff_rig.c tests/flow/diff_rig.h tests/flow/diff_file.c $(DIFF_CHANGES)
tests_flow_import_SOURCES = tests/flow/import.c tests/flow/export.c tests/flow/import_text.h
tests_flow_rules_parse_SOURCES = tests/flow/rules_parse.c tests/flow/rules_ends.c tests/flow/rules_parse.h
tests_flow_rules_mistakes_SOURCES = tests/flow/rules_mistakes.c tests/flow/rules_mistakes_switch.c \
	tests/flow/rules_mistakes.h
tests_flow_rules_compile_SOURCES = tests/flow/rules_compile.c tests/flow/rules_rig.h
tests_flow_rules_entries_SOURCES = tests/flow/rules_entries.c tests/flow/rules_rig.h
tests_flow_rules_edit_SOURCES = tests/flow/rules_edit.c tests/flow/rules_rig.h
tests_flow_rules_acl_SOURCES = tests/flow/rules_acl.c tests/flow/acl_run.c tests/flow/acl_run.h \
	tests/flow/rules_rig.h
tests_flow_rules_fill_SOURCES = tests/flow/rules_fill.c tests/flow/rules_rig.h tools/dvx-flow/daemon/fill.c \
	tools/dvx-flow/daemon/generation_fits.c
tests_flow_server_SOURCES = tests/flow/server.c tools/dvx-flow/daemon/server.c tools/dvx-flow/daemon/pause.c \
	tools/dvx-flow/daemon/members.c tools/dvx-flow/msg.c tools/dvx-flow/fault.c
tests_flow_server_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/tools/dvx-flow $(JANSSON_CFLAGS)
tests_flow_rules_fill_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/tools/dvx-flow \
	-I$(top_srcdir)/src
tests_flow_diff_SOURCES = tests/flow/diff.c tests/flow/diff_daemon.c $(DIFF_RIG) $(DIFF_DAEMON)
tests_flow_explain_walks_SOURCES = tests/flow/explain_walks.c $(DIFF_RIG)
tests_flow_switch_diff_SOURCES = tests/flow/switch_diff.c $(DIFF_RIG)
tests_flow_edit_SOURCES = tests/flow/edit.c tests/flow/flow_edit_lines.h tests/flow/flow_edit_result.h tests/flow/diff_daemon.c $(DIFF_RIG) \
	$(DIFF_DAEMON) $(DIFF_HOLDER)
tests_flow_edit_LDFLAGS = \
	-Wl,--wrap=dvx_flow_rule_create,--wrap=dvx_flow_rule_destroy,--wrap=generation_edit_begin,--wrap=generation_build,--wrap=journal_append
# The way of the daemon's rules to the device, compared with libmlx5 alone.
FLOW_HELPERS += tests/perf/flow_apply tests/perf/flow_inserts
tests_perf_flow_apply_SOURCES = tests/perf/flow_apply.c tests/perf/no_pump.c $(DIFF_CHANGES) $(DIFF_DAEMON) \
	$(DIFF_HOLDER)
tests_perf_flow_inserts_SOURCES = tests/perf/flow_inserts.c tests/perf/no_pump.c $(DIFF_CHANGES) \
	$(DIFF_DAEMON) $(DIFF_HOLDER)
FLOW_BY_DAEMON = tests/flow/diff tests/flow/edit tests/perf/flow_apply tests/perf/flow_inserts
$(FLOW_BY_DAEMON): tools/cli/libcli.la
$(FLOW_BY_DAEMON): private FIRST = tools/cli/libcli.la
DIFF_OBJECTS = $(DIFF_CHANGES:.c=.$(OBJEXT)) $(DIFF_DAEMON:.c=.$(OBJEXT)) $(DIFF_HOLDER:.c=.$(OBJEXT)) \
	tests/flow/edit.$(OBJEXT) tests/perf/flow_apply.$(OBJEXT) tests/perf/flow_inserts.$(OBJEXT) \
	tests/perf/no_pump.$(OBJEXT)
$(DIFF_OBJECTS): private AM_CPPFLAGS += -I$(top_srcdir) -I$(top_builddir) -I$(top_srcdir)/tools/dvx-flow $(JANSSON_CFLAGS)
dist_check_SCRIPTS += tests/flow/flow_explain.sh tests/flow/flow_import.sh tests/flow/include.sh \
	tests/flow/diff.sh tests/flow/acl.sh tests/flow/edit.sh tests/flow/explain_walks.sh tests/flow/tell.sh \
	tests/flow/manners.sh tests/flow/batch.sh tests/flow/flow_rules.sh tests/flow/lacks.sh tests/flow/flow_death.sh \
	tests/flow/flow_icm.sh tests/flow/switch.sh tests/flow/switch_diff.sh tests/flow/switch_tunnel.sh \
	tests/flow/tunnel.sh tests/flow/limits.sh tests/flow/track.sh tests/flow/track_kernel.sh
# The same tests over hardware steering.
dist_check_SCRIPTS += tests/flow/hws_flow_rules.sh tests/flow/hws_tell.sh tests/flow/hws_batch.sh \
	tests/flow/hws_acl.sh tests/flow/hws_edit.sh tests/flow/hws_limits.sh tests/flow/hws_diff.sh tests/flow/hws_tunnel.sh tests/flow/hws_switch.sh \
	tests/flow/hws_switch_tunnel.sh
tests_librigs_a_SOURCES += tests/flow/acl_sets.c tests/flow/acl_sets.h tests/flow/acl_packets.c \
	tests/flow/acl_packets.h tests/flow/flow_random.c tests/flow/flow_random.h \
	tests/flow/flow_random_values.h tests/flow/flow_random_packet.c tests/flow/flow_random_change.c
EXTRA_DIST += tests/flow/import.rows tests/flow/flow_lib.sh tests/flow/ways.pl tests/flow/track_frame.pl
