# SPDX-License-Identifier: BSD-2-Clause
# The lab: what queues wait for.
SIM_TESTS += tests/lab/record_writers tests/lab/why_rig tests/lab/check_rig
VERBS_HELPERS += tests/lab/why_hangs tests/lab/misuse tests/lab/sweep_bugs tests/lab/hostile_bugs \
	tests/lab/stat_costs tests/lab/stat_exact tests/lab/record_ring
dist_check_SCRIPTS += tests/lab/record.sh tests/lab/why.sh tests/lab/stat.sh tests/lab/fault.sh tests/lab/sweep.sh tests/lab/hostile.sh tests/lab/misuse.sh
# Distributions build programs that any address takes: dvx-check finds their functions, too.
ANYWHERE = tests/lab/misuse
$(ANYWHERE): private LDFLAGS =
tests_lab_misuse_SOURCES = tests/lab/misuse.c tests/lab/misuse.h tests/lab/misuse_memory.c tests/lab/misuse_depth.c \
	tests/lab/misuse_extended.c tests/lab/misuse_events.c tests/lab/misuse_other.c tests/lab/misuse_device.c \
	tests/lab/misuse_srq.c
