# SPDX-License-Identifier: BSD-2-Clause
# libdvx on a device made of software.
EXTRA_DIST += tests/sim/lib_rig.h tests/sim/flow_rig.h tests/sim/flow_stage.h
lib_sim_tests = tests/sim/lib_queues.sh tests/sim/lib_errors.sh tests/sim/lib_objects.sh \
	tests/sim/lib_adopt.sh tests/sim/lib_alias.sh tests/sim/lib_example.sh \
	tests/sim/lib_flow_root.sh tests/sim/lib_flow_level.sh tests/sim/lib_rules_root.sh \
	tests/sim/lib_rules_level.sh tests/sim/lib_raw.sh tests/sim/lib_flow_qp.sh tests/sim/caps.sh
dist_check_SCRIPTS += $(lib_sim_tests)
TESTS += $(lib_sim_tests)
check_PROGRAMS += tests/sim/lib_queues tests/sim/lib_errors tests/sim/lib_objects \
	tests/sim/lib_adopt tests/sim/lib_alias tests/sim/lib_flow tests/sim/lib_rules \
	tests/sim/lib_raw tests/sim/lib_flow_qp tests/sim/caps
tests_sim_lib_queues_LDADD = src/lib/libdvx.la $(CMOCKA_LIBS)
tests_sim_lib_errors_LDADD = src/lib/libdvx.la $(CMOCKA_LIBS)
tests_sim_lib_objects_LDADD = src/lib/libdvx.la $(CMOCKA_LIBS)
tests_sim_lib_adopt_LDADD = src/lib/libdvx.la $(MLX5_LIBS) $(IBVERBS_LIBS) $(CMOCKA_LIBS)
tests_sim_lib_alias_LDADD = src/lib/libdvx.la $(CMOCKA_LIBS)
tests_sim_lib_flow_LDADD = src/lib/libdvx.la $(CMOCKA_LIBS)
tests_sim_lib_raw_LDADD = src/lib/libdvx.la $(CMOCKA_LIBS)
tests_sim_lib_rules_LDADD = src/lib/libdvx.la $(CMOCKA_LIBS)
tests_sim_lib_flow_qp_LDADD = src/lib/libdvx.la $(IBVERBS_LIBS) $(CMOCKA_LIBS)
tests_sim_caps_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src
tests_sim_caps_LDADD = src/lib/libdvx.la src/prm/libprm.la $(MLX5_LIBS) $(IBVERBS_LIBS) $(CMOCKA_LIBS)
