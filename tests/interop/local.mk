# SPDX-License-Identifier: BSD-2-Clause
# Programs that we did not write, as Debian ships them.
dist_check_SCRIPTS += tests/interop/pingpong.sh tests/interop/faults.sh tests/interop/hostile.sh tests/interop/wires.sh tests/interop/udp.sh tests/interop/tap.sh tests/interop/srq.sh tests/interop/ucx.sh tests/interop/dpdk.sh tests/interop/dpdk_hws.sh tests/interop/dpdk_hws_reps.sh tests/interop/dpdk_hws_aso.sh tests/interop/dpdk_newest.sh tests/interop/dpdk_reps.sh tests/interop/dpdk_ecpri.sh tests/interop/perftest.sh tests/interop/rdma_core.sh \
	tests/interop/capture.sh tests/interop/raw_ethernet.sh tests/interop/first_rules.sh tests/interop/machines.sh \
	tests/interop/counters.sh tests/interop/rdma_netlink.sh tests/interop/devlink.sh tests/interop/rdmacm.sh tests/interop/encap.sh tests/interop/encap_linux.sh tests/interop/tunnels.sh tests/interop/tunnel_rules.sh tests/interop/signatures.sh tests/interop/checked.sh
# The PCI identity; the table of programs.
dist_check_SCRIPTS += tests/interop/pci.sh tests/interop/programs.sh
dist_check_SCRIPTS += tests/interop/rxe.sh
EXTRA_DIST += tests/interop/dpdk_lib.sh tests/interop/ring.c tests/interop/dpdk.c tests/interop/dpdk_hws.c tests/interop/dpdk_newest.c tests/interop/dpdk_hws_model.h
EXTRA_DIST += tests/interop/newest.sh tests/interop/pair.sh tests/interop/suite.py tests/interop/scoreboard.py tests/interop/reasons.tsv \
	tests/interop/scapy_roce.py tests/interop/icrc.py tests/interop/encap.py tests/interop/encap_linux.py tests/interop/tunnels.py tests/interop/signatures.py tests/interop/crypto.json
SIM_HELPERS += tests/interop/encap_show tests/interop/parse_show
FLOW_HELPERS += tests/interop/encap_rules
