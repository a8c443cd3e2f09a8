# SPDX-License-Identifier: BSD-2-Clause
# The data path and the transport on a device without firmware (queue_rig.h).
SIM_TESTS += tests/queue/rc tests/queue/rc_fdb tests/queue/queue_atomic tests/queue/queue_umr tests/queue/reg_umr \
	tests/queue/queue_errors tests/queue/queue_cq tests/queue/queue_cross tests/queue/mmo \
	tests/queue/queue_life tests/queue/trace tests/queue/queue_ud tests/queue/queue_xrc tests/queue/self \
	tests/queue/direct tests/queue/post tests/queue/queue_raw tests/queue/raw_rx tests/queue/rss \
	tests/queue/functions tests/queue/queue_srq tests/queue/inline tests/queue/queue_dc tests/queue/shape \
	tests/queue/queue_sig tests/queue/lso tests/queue/cq_event tests/queue/queue_aso tests/queue/queue_rules
tests_queue_queue_atomic_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=queue_buffer_get
tests_queue_queue_cq_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=syscall
tests_queue_direct_SOURCES = tests/queue/direct.c tests/queue/direct_keys.c tests/queue/direct_run.c \
	tests/queue/direct_run.h
tests_queue_direct_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=port_send
tests_librigs_a_SOURCES += tests/queue/queue_rig.c tests/queue/queue_rig_wqe.c tests/queue/queue_rig_pair.c \
	tests/queue/queue_rig_frame.c tests/queue/queue_rig.h tests/queue/queue_raw_rig.c \
	tests/queue/queue_raw_rig.h
