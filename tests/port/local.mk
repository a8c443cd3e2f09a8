# SPDX-License-Identifier: BSD-2-Clause
# Frames, wires, faults and counters; two machines of network namespaces.
SIM_TESTS += tests/port/loss tests/port/drops tests/port/port tests/port/fault tests/port/peer \
	tests/port/port_udp
VERBS_HELPERS += tests/port/port_eventfd
dist_check_SCRIPTS += tests/port/wire.sh tests/port/faults.sh tests/port/netdev.sh tests/port/representors.sh
