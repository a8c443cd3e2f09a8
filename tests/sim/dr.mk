# SPDX-License-Identifier: BSD-2-Clause
# libmlx5's software-managed steering by itself, without libdvx.
dist_check_SCRIPTS += tests/sim/dr_fields.sh tests/sim/dr_limits.sh tests/sim/dr_garbage.sh tests/sim/dr_decap.sh
TESTS += tests/sim/dr_fields.sh tests/sim/dr_limits.sh tests/sim/dr_garbage.sh tests/sim/dr_decap.sh
check_PROGRAMS += tests/sim/dr_fields tests/sim/dr_limits tests/sim/dr_garbage tests/sim/dr_decap
tests_sim_dr_fields_SOURCES = tests/sim/dr_fields.c $(RAW_END)
tests_sim_dr_fields_CFLAGS = $(AM_CFLAGS) $(IBVERBS_CFLAGS) $(MLX5_CFLAGS) $(CMOCKA_CFLAGS)
tests_sim_dr_fields_LDADD = $(MLX5_LIBS) $(IBVERBS_LIBS) $(CMOCKA_LIBS)
tests_sim_dr_limits_CFLAGS = $(AM_CFLAGS) $(IBVERBS_CFLAGS) $(MLX5_CFLAGS) $(CMOCKA_CFLAGS)
tests_sim_dr_limits_LDADD = $(MLX5_LIBS) $(IBVERBS_LIBS) $(CMOCKA_LIBS)
tests_sim_dr_garbage_SOURCES = tests/sim/dr_garbage.c $(RAW_END)
tests_sim_dr_garbage_CFLAGS = $(AM_CFLAGS) $(IBVERBS_CFLAGS) $(MLX5_CFLAGS) $(CMOCKA_CFLAGS)
tests_sim_dr_garbage_LDADD = $(MLX5_LIBS) $(IBVERBS_LIBS) $(CMOCKA_LIBS)
tests_sim_dr_decap_SOURCES = tests/sim/dr_decap.c $(RAW_END)
tests_sim_dr_decap_CFLAGS = $(AM_CFLAGS) $(IBVERBS_CFLAGS) $(MLX5_CFLAGS) $(CMOCKA_CFLAGS)
tests_sim_dr_decap_LDADD = $(MLX5_LIBS) $(IBVERBS_LIBS) $(CMOCKA_LIBS)
