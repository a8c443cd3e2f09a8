# SPDX-License-Identifier: BSD-2-Clause
# Raw packets through libibverbs and libmlx5.
dist_check_SCRIPTS += tests/sim/raw_verbs.sh tests/sim/raw_rss.sh tests/sim/raw_death.sh
TESTS += tests/sim/raw_verbs.sh tests/sim/raw_rss.sh tests/sim/raw_death.sh
check_PROGRAMS += tests/sim/raw_verbs tests/sim/raw_rss tests/sim/raw_stream
RAW_CFLAGS = $(AM_CFLAGS) $(IBVERBS_CFLAGS) $(CMOCKA_CFLAGS)
RAW_END = tests/sim/raw_end.c tests/sim/raw_end.h
RAW_LIBS = $(IBVERBS_LIBS) $(CMOCKA_LIBS)
tests_sim_raw_verbs_SOURCES = tests/sim/raw_verbs.c $(RAW_END)
tests_sim_raw_verbs_CFLAGS = $(RAW_CFLAGS)
tests_sim_raw_verbs_LDADD = $(RAW_LIBS)
tests_sim_raw_rss_SOURCES = tests/sim/raw_rss.c $(RAW_END)
tests_sim_raw_rss_CFLAGS = $(RAW_CFLAGS)
tests_sim_raw_rss_LDADD = $(RAW_LIBS)
tests_sim_raw_stream_SOURCES = tests/sim/raw_stream.c $(RAW_END)
tests_sim_raw_stream_CFLAGS = $(RAW_CFLAGS)
tests_sim_raw_stream_LDADD = $(RAW_LIBS)

dist_check_SCRIPTS += tests/sim/verbs_flow.sh
TESTS += tests/sim/verbs_flow.sh
check_PROGRAMS += tests/sim/verbs_flow
tests_sim_verbs_flow_CFLAGS = $(AM_CFLAGS) $(IBVERBS_CFLAGS) $(MLX5_CFLAGS)
tests_sim_verbs_flow_LDADD = $(IBVERBS_LIBS) $(MLX5_LIBS)

# Verbs' specs of tunnels.
dist_check_SCRIPTS += tests/sim/verbs_tunnels.sh
TESTS += tests/sim/verbs_tunnels.sh
check_PROGRAMS += tests/sim/verbs_tunnels
tests_sim_verbs_tunnels_SOURCES = tests/sim/verbs_tunnels.c $(RAW_END)
tests_sim_verbs_tunnels_CFLAGS = $(RAW_CFLAGS)
tests_sim_verbs_tunnels_LDADD = $(RAW_LIBS)
