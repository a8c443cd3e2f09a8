# SPDX-License-Identifier: BSD-2-Clause
# What libdvx writes, byte for byte beside what libmlx5 writes for the same request.
# The kept vectors come from `dvx-sim run -- tests/golden/verbs tests/golden/wqe`.
# eth_multi, eth_vlan and rules, which libmlx5 has no call for, are from send queues of DPDK's on dvx-sim.
# wait, send_enable and recv_enable are by hand, after the code that each names.
LIB_TESTS += tests/golden/vectors
LIB_HELPERS += tests/golden/verbs
tests_librigs_a_SOURCES += tests/golden/cases.c tests/golden/rules.c tests/golden/cases.h tests/golden/verbs_sig.c tests/golden/verbs_sig.h
dist_check_SCRIPTS += tests/golden/verbs.sh tests/golden/verbs_l2.sh
EXTRA_DIST += tests/golden/wqe tests/golden/dumps
