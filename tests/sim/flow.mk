# SPDX-License-Identifier: BSD-2-Clause
# Rules against packets, through libmlx5 and the device.
EXTRA_DIST += tests/sim/flow_random.h tests/sim/diff_rig.h tests/unit/flow_slow.h
check_PROGRAMS += tests/sim/flow_diff
tests_sim_flow_diff_SOURCES = tests/sim/flow_diff.c tests/sim/diff_rig.c tests/sim/flow_random.c tests/unit/flow_slow.c
tests_sim_flow_diff_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir) -I$(top_srcdir)/tools/dvx-flow
tests_sim_flow_diff_LDADD = tools/dvx-flow/librules.la tools/dvx-flow/libexplain.la src/lib/libdvx.la $(IBVERBS_LIBS)
dist_check_SCRIPTS += tests/sim/flow_diff.sh
TESTS += tests/sim/flow_diff.sh
EXTRA_DIST += tests/sim/flow_ways.pl
check_PROGRAMS += tests/sim/flow_explain
tests_sim_flow_explain_SOURCES = tests/sim/flow_explain.c tests/sim/diff_rig.c tests/sim/flow_random.c tests/unit/flow_slow.c
tests_sim_flow_explain_CPPFLAGS = $(tests_sim_flow_diff_CPPFLAGS)
tests_sim_flow_explain_LDADD = $(tests_sim_flow_diff_LDADD)
dist_check_SCRIPTS += tests/sim/flow_explain.sh
TESTS += tests/sim/flow_explain.sh
dist_check_SCRIPTS += tests/sim/flow_tell.sh
TESTS += tests/sim/flow_tell.sh
dist_check_SCRIPTS += tests/sim/flow_manners.sh
TESTS += tests/sim/flow_manners.sh
