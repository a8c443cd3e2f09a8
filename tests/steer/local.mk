# SPDX-License-Identifier: BSD-2-Clause
# Packets through flow tables and steering entries, beside a slow model; libmlx5's software-managed steering.
SIM_TESTS += tests/steer/agree tests/steer/aso_ct tests/steer/aso_meter tests/steer/fdb tests/steer/fdb_acl \
	tests/steer/fdb_actions tests/steer/fdb_meters tests/steer/reformat tests/steer/rules \
	tests/steer/rules_alias tests/steer/rules_ranges tests/steer/steer_packet tests/steer/tables tests/steer/walk tests/steer/walk_aso \
	tests/steer/walk_ends tests/steer/walk_v0
VERBS_TESTS += tests/steer/dr_aso tests/steer/dr_fields tests/steer/dr_limits tests/steer/dr_reformat
VERBS_HELPERS += tests/steer/dr_fdb tests/steer/dr_fdb_changes tests/steer/dr_fdb_peer \
	tests/steer/dr_fdb_show tests/steer/dr_garbage tests/steer/dr_ports
tests_steer_agree_LDADD = tools/dvx-flow/libexplain.la $(SIM_LIBS) $(CMOCKA_LIBS)
# Little steering memory: libmlx5 takes an eighth at a time.
tests/steer/dr_limit%.log: private CHIP = --set log_ste_icm=27
dist_check_SCRIPTS += tests/steer/chips.sh tests/steer/ct_kernel.sh tests/steer/dr_fdb.sh \
	tests/steer/dr_fdb_changes.sh tests/steer/dr_garbage.sh
SIM_HELPERS += tests/steer/ct_kernel
LIB_HELPERS += tests/steer/lib_fdb
tests_librigs_a_SOURCES += tests/steer/ct_traces.c tests/steer/ct_traces.h tests/steer/flow_rig.c \
	tests/steer/flow_rig.h tests/steer/flow_slow.c \
	tests/steer/flow_slow.h tests/steer/flow_slow_change.c tests/steer/flow_slow_change.h \
	tests/steer/flow_slow_spread.c tests/steer/flow_slow_spread.h
EXTRA_DIST += tests/steer/packets.h tests/steer/beside_far.sh tests/steer/hws_rig.h tests/steer/walk_rig.h \
	tests/steer/dr_fdb_ends.h tests/steer/dr_fdb_rig.h tests/steer/dr_packets.h tests/steer/fdb_rig.h
