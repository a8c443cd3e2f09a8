#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that DPDK's own driver (net_mlx5, as Debian ships it) runs on two functions that have network interfaces:
# its queues send and receive (in strides, too: mprq_en), checksums are the device's work, a rule of rte_flow drops and counts.
. "$top_srcdir/tests/tap.sh"

if [ -z "$DVX_NETNS" ]; then
	[ -c /dev/net/tun ] || skip_all "there is no /dev/net/tun"
	pkg-config --exists libdpdk || skip_all "libdpdk-dev is not installed"
	as=
	[ "$(id -u)" = 0 ] || as=-r
	unshare -n $as true 2>"$scratch/err" || skip_all "no network namespace: $(cat "$scratch/err")"
	finish
	DVX_NETNS=1 exec unshare -n $as sh "$0"
fi
[ -z "$asan" ] || skip_all "a sanitizer's runtime and DPDK want the same addresses"

chips=d
program() { cc -O2 -Wall -DALLOW_EXPERIMENTAL_API -o "$scratch/dpdk" "$top_srcdir/tests/interop/dpdk.c" $(pkg-config --cflags --libs libdpdk); }
# FUNCTION ROLE PEER_MAC [DEVARGS]
dpdk() {
	timeout 120 "$dvx_sim" exec d -f "$1" -- $under "$scratch/dpdk" --no-huge -m 128 --no-telemetry --file-prefix "dvx$$$1" \
		-d librte_net_mlx5.so -d librte_mempool_ring.so -a "0000:03:00.0$4" -- "$2" "$3"
}
# Its rings are written by DPDK itself: of these the device's rules see more than dvx-check does.
under=${DVX_TEST_LONG:+$(cd "$top_builddir" && pwd)/tools/dvx-check/dvx-check --}
check "a program of DPDK's" program
check "a chip with network interfaces and rules" "$dvx_sim" up d --netdev --check
dpdk dpu echo 02:d7:00:00:00:01 >"$scratch/echo" 2>&1 &
echo=$!
shows_up "$scratch/echo" ready "$echo"
# One queue receives in strides, the other one does not.
check "64 packets go to the other function and come back" dpdk host ask 02:d7:00:00:00:02 ,mprq_en=1,rxqs_min_mprq=1
wait "$echo" && grep -q 'the rule dropped 64 packets' "$scratch/echo"
report $? "... where a rule dropped and counted 64 others" "$(cat "$scratch/echo")"
[ -z "$under" ] || check "dvx-check watched it" sh -c "! grep 'nothing was watched' '$scratch/echo'"
check "the device's rules find nothing" "$dvx_sim" check d
# Hardware steering: rules of the ConnectX generation that has it, written by WQEs.
chips="d h"
check "a BlueField-3 with network interfaces" "$dvx_sim" up h --netdev --set chip=bf3
dpdk() {
	timeout 120 "$dvx_sim" exec h -f "$1" -- "$scratch/dpdk" --no-huge -m 128 --no-telemetry --file-prefix "dvx$$$1" \
		-d librte_net_mlx5.so -d librte_mempool_ring.so -a "0000:03:00.0$4" -- "$2" "$3"
}
dpdk host rules 02:d7:00:00:00:02 ,dv_flow_en=2 >"$scratch/rules" 2>&1 &
echo=$!
shows_up "$scratch/rules" ready "$echo"
check "64 packets come back through 3,000 rules of hardware steering" dpdk dpu ask 02:d7:00:00:00:01
wait "$echo" && grep -q 'the rule dropped 64 packets' "$scratch/rules"
report $? "... one of which dropped and counted 64 others" "$(cat "$scratch/rules")"
plan
