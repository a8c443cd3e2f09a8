# SPDX-License-Identifier: BSD-2-Clause
# The memory of programs and the UAR pages: in one process, and under a program whose pages are shared (share.c).
SIM_TESTS += tests/host/dma tests/host/pins tests/host/host_share tests/host/share_moves tests/host/uar \
	tests/host/wake tests/host/lockstep
VERBS_HELPERS += tests/host/share
HOST_SHARE_RIG = tests/host/host_share_rig.c tests/host/host_share_rig.h
HOST_BAR_RIG = tests/host/host_bar_rig.c tests/host/host_bar_rig.h
tests_host_uar_SOURCES = tests/host/uar.c $(HOST_BAR_RIG)
tests_host_wake_SOURCES = tests/host/wake.c $(HOST_BAR_RIG)
tests_host_lockstep_SOURCES = tests/host/lockstep.c $(HOST_BAR_RIG)
tests_host_dma_SOURCES = tests/host/dma.c $(HOST_SHARE_RIG)
tests_host_host_share_SOURCES = tests/host/host_share.c $(HOST_SHARE_RIG)
tests_host_share_moves_SOURCES = tests/host/share_moves.c $(HOST_SHARE_RIG)
tests_host_share_SOURCES = tests/host/share.c tests/host/share_scenes.h tests/host/share_threads.c \
	tests/host/share_children.c tests/host/share_changes.c tests/host/share_calls.c \
	tests/host/share_device.c tests/host/share_others.c tests/host/share_mem.c tests/host/share_mem.h \
	tests/host/share_rig.c tests/host/share_rig.h
dist_check_SCRIPTS += tests/host/share.sh
