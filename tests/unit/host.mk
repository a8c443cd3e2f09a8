# SPDX-License-Identifier: BSD-2-Clause
# The leaf (log, timers), the far side of PCIe, and the chip's loop.
HOST_TESTS = tests/unit/base_log tests/unit/base_maps tests/unit/base_timer tests/unit/host_dma tests/unit/host_share \
	tests/unit/host_share_moves tests/unit/host_uar tests/unit/host_wake \
	tests/unit/host_lockstep tests/unit/chip_loop
check_PROGRAMS += $(HOST_TESTS)
TESTS += $(HOST_TESTS)
HOST_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)/src/sim
HOST_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
HOST_LDADD = libsim.la $(CMOCKA_LIBS)
tests_unit_base_log_SOURCES = tests/unit/base_log.c
tests_unit_base_log_CPPFLAGS = $(HOST_CPPFLAGS)
tests_unit_base_log_CFLAGS = $(HOST_CFLAGS)
tests_unit_base_log_LDADD = $(HOST_LDADD)
tests_unit_base_maps_SOURCES = tests/unit/base_maps.c
tests_unit_base_maps_CPPFLAGS = $(HOST_CPPFLAGS)
tests_unit_base_maps_CFLAGS = $(HOST_CFLAGS)
tests_unit_base_maps_LDADD = $(HOST_LDADD)
tests_unit_base_timer_SOURCES = tests/unit/base_timer.c
tests_unit_base_timer_CPPFLAGS = $(HOST_CPPFLAGS)
tests_unit_base_timer_CFLAGS = $(HOST_CFLAGS)
tests_unit_base_timer_LDADD = $(HOST_LDADD)
tests_unit_host_dma_SOURCES = tests/unit/host_dma.c
tests_unit_host_dma_CPPFLAGS = $(HOST_CPPFLAGS)
tests_unit_host_dma_CFLAGS = $(HOST_CFLAGS)
tests_unit_host_dma_LDADD = $(HOST_LDADD)
tests_unit_host_uar_SOURCES = tests/unit/host_uar.c
tests_unit_host_uar_CPPFLAGS = $(HOST_CPPFLAGS)
tests_unit_host_uar_CFLAGS = $(HOST_CFLAGS)
tests_unit_host_uar_LDADD = $(HOST_LDADD)
tests_unit_host_wake_SOURCES = tests/unit/host_wake.c
tests_unit_host_wake_CPPFLAGS = $(HOST_CPPFLAGS)
tests_unit_host_wake_CFLAGS = $(HOST_CFLAGS)
tests_unit_host_wake_LDADD = $(HOST_LDADD)
tests_unit_chip_loop_SOURCES = tests/unit/chip_loop.c
tests_unit_chip_loop_CPPFLAGS = $(HOST_CPPFLAGS)
tests_unit_chip_loop_CFLAGS = $(HOST_CFLAGS)
tests_unit_chip_loop_LDADD = $(HOST_LDADD)
tests_unit_host_lockstep_SOURCES = tests/unit/host_lockstep.c
tests_unit_host_lockstep_CPPFLAGS = $(HOST_CPPFLAGS)
tests_unit_host_lockstep_CFLAGS = $(HOST_CFLAGS)
tests_unit_host_lockstep_LDADD = $(HOST_LDADD)
# A client with shared pages: what both tests of them begin with.
HOST_SHARE_RIG = tests/unit/host_share_rig.c tests/unit/host_share_rig.h
tests_unit_host_share_SOURCES = tests/unit/host_share.c $(HOST_SHARE_RIG)
tests_unit_host_share_CPPFLAGS = $(HOST_CPPFLAGS)
tests_unit_host_share_CFLAGS = $(HOST_CFLAGS)
tests_unit_host_share_LDADD = $(HOST_LDADD)
tests_unit_host_share_moves_SOURCES = tests/unit/host_share_moves.c $(HOST_SHARE_RIG)
tests_unit_host_share_moves_CPPFLAGS = $(HOST_CPPFLAGS)
tests_unit_host_share_moves_CFLAGS = $(HOST_CFLAGS)
tests_unit_host_share_moves_LDADD = $(HOST_LDADD)
