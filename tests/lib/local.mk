# SPDX-License-Identifier: BSD-2-Clause
# libdvx: rings on plain memory, tickets and its machine code without a device; its objects and queues on one.
LIB_TESTS += tests/lib/attrs tests/lib/ring_sq tests/lib/ring_cq tests/lib/ring_sessions tests/lib/ring_rq tests/lib/ring_srq \
	tests/lib/ring_users tests/lib/ring_rules tests/lib/ticket tests/lib/cmd tests/lib/flow_match tests/lib/flow_fake tests/lib/flow_fdb
LIB_DEVICE_TESTS += tests/lib/lib_cq tests/lib/cq_compressed tests/lib/rxq_strides tests/lib/lib_dc \
	tests/lib/lib_cross tests/lib/lib_xrc tests/lib/lib_queues tests/lib/lib_errors tests/lib/bad \
	tests/lib/lib_objects tests/lib/adopt tests/lib/lib_life tests/lib/lib_connect tests/lib/lib_events \
	tests/lib/lib_atomic tests/lib/lib_ud tests/lib/lib_srq tests/lib/lib_umr tests/lib/lib_sig \
	tests/lib/lib_flow tests/lib/lib_aso tests/lib/lib_rules tests/lib/lib_raw tests/lib/flow_qp tests/lib/flow_change \
	tests/lib/flow_tags tests/lib/strict_rings tests/lib/lib_hws tests/lib/hws_rules tests/lib/hws_change tests/lib/hws_tags tests/lib/hws_aso tests/lib/hws_easy \
	tests/lib/hws_fdb tests/lib/hws_index
# Tests of the flow API once more, with rules that requests write.
tests_lib_hws_rules_SOURCES = tests/lib/lib_rules.c
tests_lib_hws_change_SOURCES = tests/lib/flow_change.c
tests_lib_hws_tags_SOURCES = tests/lib/flow_tags.c
tests_lib_hws_aso_SOURCES = tests/lib/lib_aso.c
tests_lib_lib_hws_CPPFLAGS = $(AM_CPPFLAGS) -DSTAGE_HARDWARE
tests_lib_hws_rules_CPPFLAGS = $(AM_CPPFLAGS) -DSTAGE_HARDWARE
tests_lib_hws_change_CPPFLAGS = $(AM_CPPFLAGS) -DSTAGE_HARDWARE
tests_lib_hws_tags_CPPFLAGS = $(AM_CPPFLAGS) -DSTAGE_HARDWARE
tests_lib_hws_aso_CPPFLAGS = $(AM_CPPFLAGS) -DSTAGE_HARDWARE
tests_lib_hws_easy_CPPFLAGS = $(AM_CPPFLAGS) -DSTAGE_HARDWARE
tests_lib_hws_index_SOURCES = tests/lib/hws_index.c tests/lib/hws_ranges.c
tests_lib_hws_index_CPPFLAGS = $(AM_CPPFLAGS) -DSTAGE_HARDWARE
tests_lib_hws_fdb_CPPFLAGS = $(AM_CPPFLAGS) -DSTAGE_HARDWARE
tests/lib/lib_hws.log tests/lib/hws_%.log: private CHIP = --set chip=bf3
tests/lib/hws_fd%.log: private CHIP = --set chip=cx7,switchdev=1
LIB_HELPERS += tests/lib/lib_alias tests/lib/lib_gone
tests_lib_flow_fake_SOURCES = tests/lib/flow_fake.c tests/lib/flow_fake_rig.c tests/lib/flow_fake_rig.h
tests_lib_flow_fdb_SOURCES = tests/lib/flow_fdb.c tests/lib/flow_fake_rig.c tests/lib/flow_fake_rig.h
tests/lib/strict%.log: private CHIP = --set strict_doorbells=1
dist_check_SCRIPTS += tests/lib/barriers.sh tests/lib/aarch64.sh tests/lib/gone.sh tests/lib/lib_alias.sh \
	tests/lib/example.sh tests/lib/sig_wrapped.sh tests/lib/connect.sh
EXTRA_DIST += tests/lib/posts.pl tests/lib/posts.awk tests/lib/ring.h tests/lib/lib_rig.h \
	tests/lib/lib_flow_rig.h tests/lib/lib_flow_stage.h tests/lib/lib_flow_change.h tests/lib/lib_hws_rig.h \
	tests/lib/cross/cmocka.h
