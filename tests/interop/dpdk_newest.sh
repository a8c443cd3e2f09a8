#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a newer DPDK than Debian's steers by hardware steering with ranges, updates of rules, and tables that are
# resized: a model judges the packets after each step. By hand, with a build folder as doc/design/0094 has it:
#   make check TESTS=tests/interop/dpdk_newest.sh DVX_DPDK_BUILD=FOLDER
. "$top_srcdir/tests/tap.sh"

if [ -z "$DVX_NETNS" ]; then
	[ -n "${DVX_DPDK_BUILD-}" ] || skip_all "DVX_DPDK_BUILD names no build of DPDK"
	[ -c /dev/net/tun ] || skip_all "there is no /dev/net/tun"
	as=
	[ "$(id -u)" = 0 ] || as=-r
	unshare -n $as true 2>"$scratch/err" || skip_all "no network namespace: $(cat "$scratch/err")"
	finish
	DVX_NETNS=1 exec unshare -n $as sh "$0"
fi
[ -z "$asan" ] || skip_all "a sanitizer's runtime and DPDK want the same addresses"

PKG_CONFIG_PATH=$DVX_DPDK_BUILD/meson-uninstalled
LD_LIBRARY_PATH=$DVX_DPDK_BUILD/lib:$DVX_DPDK_BUILD/drivers
export PKG_CONFIG_PATH LD_LIBRARY_PATH
program() {
	cc -O2 -Wall -DALLOW_EXPERIMENTAL_API -o "$scratch/dpdk_newest" "$top_srcdir/tests/interop/dpdk_newest.c" \
		$(pkg-config --cflags libdpdk) -L"$DVX_DPDK_BUILD/lib" -lrte_ethdev -lrte_mbuf -lrte_mempool -lrte_net -lrte_eal
}
# FUNCTION ROLE PEER_MAC [DEVARGS]
dpdk() {
	timeout -k 5 300 "$dvx_sim" exec h -f "$1" -- "$scratch/dpdk_newest" --no-huge -m 512 --no-telemetry --file-prefix "dvx$$$1" \
		-d "$DVX_DPDK_BUILD/drivers/librte_net_mlx5.so" -d "$DVX_DPDK_BUILD/drivers/librte_mempool_ring.so" \
		-a "0000:03:00.0$4" -- "$2" "$3"
}
chips=h
check "a program for this DPDK" program
check "a BlueField-3 with network interfaces" "$dvx_sim" up h --netdev --check --set chip=bf3
dpdk host rules 02:d7:00:00:00:02 ,dv_flow_en=2 >"$scratch/rules" 2>&1 &
rules=$!
for step in written changed resized emptied; do
	shows_up "$scratch/rules" "$step" "$rules"
	report $? "rules are $step" "$(cat "$scratch/rules")"
	check "packets" dpdk dpu send 02:d7:00:00:00:01
done
wait "$rules"
report $? "they arrive as the model has them" "$(cat "$scratch/rules")"
check "the device's rules find nothing" "$dvx_sim" check h
grep '[0-9] of ' "$scratch/rules" | sed 's/^/# /'
plan
