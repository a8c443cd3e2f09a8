#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that DPDK's own driver (net_mlx5, as Debian ships it) steers by hardware steering: rules of each kind, and 200,000
# more, whose packets are judged by a model of the test's own, before and after two fifths of the rules are removed.
. "$top_srcdir/tests/tap.sh"

if [ -z "$DVX_NETNS" ]; then
	[ -n "${DVX_TEST_LONG-}" ] || skip_all "check long runs it"
	[ -c /dev/net/tun ] || skip_all "there is no /dev/net/tun"
	pkg-config --exists libdpdk || skip_all "libdpdk-dev is not installed"
	as=
	[ "$(id -u)" = 0 ] || as=-r
	unshare -n $as true 2>"$scratch/err" || skip_all "no network namespace: $(cat "$scratch/err")"
	finish
	DVX_NETNS=1 exec unshare -n $as sh "$0"
fi
[ -z "$asan" ] || skip_all "a sanitizer's runtime and DPDK want the same addresses"

program() { cc -O2 -Wall -DALLOW_EXPERIMENTAL_API -o "$scratch/dpdk_hws" "$top_srcdir/tests/interop/dpdk_hws.c" $(pkg-config --cflags --libs libdpdk); }
# FUNCTION ROLE PEER_MAC [DEVARGS]
dpdk() {
	timeout 500 "$dvx_sim" exec h -f "$1" -- "$scratch/dpdk_hws" --no-huge -m 512 --no-telemetry --file-prefix "dvx$$$1" \
		-d librte_net_mlx5.so -d librte_mempool_ring.so -a "0000:03:00.0$4" -- "$2" "$3"
}
chips=h
check "a program of DPDK's" program
check "a BlueField-3 with network interfaces" "$dvx_sim" up h --netdev --set chip=bf3
dpdk host rules 02:d7:00:00:00:02 ,dv_flow_en=2 >"$scratch/rules" 2>&1 &
rules=$!
shows_up "$scratch/rules" ready "$rules"
report $? "201,400 rules are written" "$(cat "$scratch/rules")"
check "packets for rules of each kind" dpdk dpu send 02:d7:00:00:00:01
shows_up "$scratch/rules" thinned "$rules"
report $? "... end as the model has them, those that are dropped are counted" "$(cat "$scratch/rules")"
check "... and again, without two fifths of the rules" dpdk dpu send 02:d7:00:00:00:01
wait "$rules"
report $? "... as the model has them" "$(cat "$scratch/rules")"
grep '[0-9] of ' "$scratch/rules" | sed 's/^/# /'
plan
