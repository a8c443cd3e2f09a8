# SPDX-License-Identifier: BSD-2-Clause
# Programs on a device made of software: libdvx's, then raw packets and libmlx5's software-managed steering
# without libdvx. `dvx-sim run` starts the tests, scripts start the helpers.
LIB_TESTS += tests/sim/lib_cq tests/sim/lib_cq_compressed tests/sim/lib_rxq_strides tests/sim/lib_dc tests/sim/lib_cross tests/sim/lib_xrc
LIB_TESTS += tests/sim/lib_queues tests/sim/lib_errors tests/sim/lib_bad tests/sim/lib_objects tests/sim/lib_adopt tests/sim/lib_life tests/sim/lib_connect tests/sim/lib_events tests/sim/lib_atomic tests/sim/lib_ud tests/sim/lib_srq tests/sim/lib_umr tests/sim/lib_sig tests/sim/lib_flow \
	tests/sim/lib_rules tests/sim/lib_raw tests/sim/lib_flow_qp tests/sim/lib_flow_change tests/sim/lib_flow_tags tests/sim/caps
tests_sim_caps_SOURCES = tests/sim/caps.c tests/sim/caps.h tests/sim/caps_cq.c tests/sim/caps_memory.c tests/sim/caps_queues.c
VERBS_TESTS += tests/sim/verbs_cq tests/sim/ud_verbs tests/sim/raw_verbs tests/sim/raw_rss tests/sim/verbs_tunnels tests/sim/dr_fields tests/sim/dr_limits
VERBS_TESTS += tests/sim/verbs_srq tests/sim/dm_op tests/sim/imports tests/sim/dmabuf tests/sim/verbs_odp
SIM_TESTS += tests/sim/link_hostile
# The RDMA_CM device: by `dvx-sim run`, and by cm_bare.sh.
VERBS_TESTS += tests/sim/cm_calls
dist_check_SCRIPTS += tests/sim/cm_bare.sh
tests/sim/%.log: private LOG_COMPILER = $(RUN_TEST) ./tools/dvx-sim/dvx-sim run $(CHIP) --
# Little steering memory: libmlx5 takes an eighth at a time.
tests/sim/dr_limit%.log: private CHIP = --set log_ste_icm=27
LIB_TESTS += tests/sim/strict_rings
tests/sim/strict%.log: private CHIP = --set strict_doorbells=1
LIB_HELPERS += tests/sim/lib_alias tests/sim/lib_gone tests/sim/limits
VERBS_HELPERS += tests/sim/port_eventfd tests/sim/front_client tests/sim/refused tests/sim/hooks tests/sim/raw_stream tests/sim/verbs_flow tests/sim/dr_garbage \
	tests/sim/share
# A program whose pages are shared with the device: share.c and its scenes.
tests_sim_share_SOURCES = tests/sim/share.c tests/sim/share_scenes.h tests/sim/share_threads.c \
	tests/sim/share_children.c tests/sim/share_changes.c tests/sim/share_calls.c tests/sim/share_device.c \
	tests/sim/share_others.c tests/sim/share_mem.c tests/sim/share_mem.h \
	tests/sim/share_rig.c tests/sim/share_rig.h
# Rules against packets, through libmlx5 and the device.
FLOW_HELPERS += tests/sim/flow_diff tests/sim/flow_explain tests/sim/flow_acl tests/sim/flow_edit
# The daemon's way from a rule's changes to actions is under test, too; and how it holds rules on the device.
DIFF_CHANGES = tools/dvx-flow/daemon/changes.c tools/dvx-flow/daemon/locate.c tools/dvx-flow/fault.c
DIFF_DAEMON = tools/dvx-flow/daemon/generation.c tools/dvx-flow/daemon/generation_table.c \
	tools/dvx-flow/daemon/generation_edit.c tools/dvx-flow/daemon/generation_fits.c tools/dvx-flow/daemon/rule_state.c \
	tools/dvx-flow/daemon/flow_list.c tools/dvx-flow/daemon/flow_list_edit.c tools/dvx-flow/daemon/codes.c tools/dvx-flow/daemon/overlay.c \
	tools/dvx-flow/daemon/base_tables.c tools/dvx-flow/daemon/spread.c \
	tools/dvx-flow/daemon/counters.c tools/dvx-flow/daemon/fill.c \
	tools/dvx-flow/daemon/pause.c tools/dvx-flow/input.c
DIFF_HOLDER = tools/dvx-flow/daemon/holder.c tools/dvx-flow/daemon/apply.c tools/dvx-flow/daemon/state.c tools/dvx-flow/daemon/journal.c
DIFF_OBJECTS = $(DIFF_CHANGES:.c=.$(OBJEXT)) $(DIFF_DAEMON:.c=.$(OBJEXT)) $(DIFF_HOLDER:.c=.$(OBJEXT)) tests/sim/flow_edit.$(OBJEXT) \
	tests/perf/flow_apply.$(OBJEXT) tests/perf/flow_inserts.$(OBJEXT) tests/perf/no_pump.$(OBJEXT)
$(DIFF_OBJECTS): private AM_CPPFLAGS += -I$(top_srcdir) -I$(top_builddir) -I$(top_srcdir)/tools/dvx-flow $(JANSSON_CFLAGS)
DIFF_RIG = tests/sim/diff_rig.c tests/sim/diff_rig.h tests/sim/diff_file.c $(DIFF_CHANGES)
tests_sim_flow_diff_SOURCES = tests/sim/flow_diff.c tests/sim/diff_daemon.c $(DIFF_RIG) $(DIFF_DAEMON)
tests_sim_flow_acl_SOURCES = tests/sim/flow_acl.c
tests_sim_flow_explain_SOURCES = tests/sim/flow_explain.c $(DIFF_RIG)
# Packets are sent whenever an entry came or went.
tests_sim_flow_edit_SOURCES = tests/sim/flow_edit.c tests/sim/flow_edit_lines.h tests/sim/diff_daemon.c $(DIFF_RIG) $(DIFF_DAEMON) $(DIFF_HOLDER)
# Their way to the device, compared with libmlx5 alone.
FLOW_HELPERS += tests/perf/flow_apply tests/perf/flow_inserts
tests_perf_flow_apply_SOURCES = tests/perf/flow_apply.c tests/perf/no_pump.c $(DIFF_CHANGES) $(DIFF_DAEMON) $(DIFF_HOLDER)
tests_perf_flow_inserts_SOURCES = tests/perf/flow_inserts.c tests/perf/no_pump.c $(DIFF_CHANGES) $(DIFF_DAEMON) $(DIFF_HOLDER)
FLOW_BY_DAEMON = tests/sim/flow_diff tests/sim/flow_edit tests/perf/flow_apply tests/perf/flow_inserts
$(FLOW_BY_DAEMON): tools/cli/libcli.la
$(FLOW_BY_DAEMON): private FIRST = tools/cli/libcli.la
tests_sim_flow_edit_LDFLAGS = -Wl,--wrap=dvx_flow_rule_create,--wrap=dvx_flow_rule_destroy,--wrap=generation_edit_begin,--wrap=generation_build,--wrap=journal_append

tests_librigs_a_SOURCES += tests/sim/verbs_qp.c tests/sim/verbs_qp.h tests/sim/raw_end.c tests/sim/raw_end.h \
	tests/sim/flow_random.c tests/sim/flow_random.h tests/sim/flow_random_values.h \
	tests/sim/flow_random_packet.c tests/sim/flow_random_change.c
tests_librigs_a_SOURCES += tests/sim/verbs_self.c tests/sim/verbs_self.h
dist_check_SCRIPTS += tests/sim/cli.sh tests/sim/ci_recipe.sh tests/sim/front.sh tests/sim/hooks.sh tests/sim/deaths.sh tests/sim/gone.sh \
	tests/sim/onecpu.sh tests/sim/readme.sh tests/sim/refusals.sh tests/sim/profile.sh tests/sim/wire.sh \
	tests/sim/faults.sh tests/sim/netdev.sh tests/sim/share.sh tests/sim/copy_tree.sh \
	tests/sim/copy_refuse.sh tests/sim/copy_network.sh tests/sim/copy_death.sh tests/sim/copy_resume.sh tests/sim/copy_disk.sh \
	tests/sim/copy_faults.sh tests/sim/copy_rsync.sh tests/sim/copy_sync.sh tests/sim/copy_entries.sh tests/sim/copy_habits.sh tests/sim/lib_alias.sh \
	tests/sim/lib_example.sh tests/sim/lib_sig_wrapped.sh tests/sim/examples.sh tests/sim/connect.sh tests/sim/info.sh tests/sim/doctor.sh tests/sim/perf.sh tests/sim/perf_pair.sh tests/sim/perf_threads.sh tests/sim/tools.sh \
	tests/sim/raw_death.sh tests/sim/verbs_flow.sh tests/sim/dr_garbage.sh tests/sim/flow_diff.sh tests/sim/flow_acl.sh tests/sim/flow_edit.sh \
	tests/sim/flow_explain.sh tests/sim/flow_tell.sh tests/sim/flow_manners.sh tests/sim/flow_rules.sh \
	tests/sim/flow_lacks.sh tests/sim/flow_death.sh tests/sim/flow_icm.sh
EXTRA_DIST += tests/sim/tap.sh tests/sim/until_dead.sh tests/sim/copy_proxy.pl tests/sim/copy_random.pl tests/sim/patience.h tests/sim/old_chip.pl tests/sim/copy_lib.sh tests/sim/lib_rig.h \
	tests/sim/flow_rig.h tests/sim/flow_stage.h tests/sim/flow_change.h tests/sim/flow_lib.sh tests/sim/flow_ways.pl
