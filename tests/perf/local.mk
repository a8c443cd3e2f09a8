# SPDX-License-Identifier: BSD-2-Clause
dist_check_SCRIPTS += tests/perf/budget.sh tests/perf/steer.sh tests/perf/crowd.sh
TESTS += tests/perf/budget.sh tests/perf/steer.sh tests/perf/crowd.sh
EXTRA_DIST += tests/perf/budget.c
check_PROGRAMS += tests/perf/steer_bench tests/perf/steer_rules
tests_perf_steer_bench_SOURCES = tests/perf/steer_bench.c
tests_perf_steer_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)/src/sim
tests_perf_steer_bench_LDADD = libsim.la
tests_perf_steer_rules_SOURCES = tests/perf/steer_rules.c
tests_perf_steer_rules_CFLAGS = $(AM_CFLAGS) $(IBVERBS_CFLAGS) $(MLX5_CFLAGS)
tests_perf_steer_rules_LDADD = $(MLX5_LIBS) $(IBVERBS_LIBS)
check_PROGRAMS += tests/perf/steer_pair
tests_perf_steer_pair_SOURCES = tests/perf/steer_pair.c tests/unit/dp_rig.c tests/unit/dp_rig.h
tests_perf_steer_pair_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)/src/sim
tests_perf_steer_pair_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_perf_steer_pair_LDADD = libsim.la $(CMOCKA_LIBS)
