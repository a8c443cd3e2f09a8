# SPDX-License-Identifier: BSD-2-Clause
# A program whose pages are shared with the device: share.c and its scenes.
dist_check_SCRIPTS += tests/sim/share.sh
TESTS += tests/sim/share.sh
check_PROGRAMS += tests/sim/share
tests_sim_share_SOURCES = tests/sim/share.c tests/sim/share_scenes.h tests/sim/share_threads.c \
	tests/sim/share_children.c tests/sim/share_changes.c tests/sim/share_calls.c tests/sim/share_device.c \
	tests/sim/share_others.c tests/sim/share_mem.c tests/sim/share_mem.h \
	tests/sim/share_rig.c tests/sim/share_rig.h
tests_sim_share_CFLAGS = $(AM_CFLAGS) $(IBVERBS_CFLAGS) $(MLX5_CFLAGS)
tests_sim_share_LDADD = $(MLX5_LIBS) $(IBVERBS_LIBS)
