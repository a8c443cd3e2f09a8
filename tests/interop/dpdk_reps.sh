#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that DPDK's own programs (as Debian ships them) manage the e-switch: testpmd has a port for the uplink and for
# each representor, carries what no rule takes between two VFs, and its transfer rules do so in the chip and count it;
# test-flow-perf inserts and deletes transfer rules.
. "$top_srcdir/tests/tap.sh"

if [ -z "$DVX_NETNS" ]; then
	[ -n "${DVX_TEST_LONG-}" ] || skip_all "check long runs it"
	[ -c /dev/net/tun ] || skip_all "there is no /dev/net/tun"
	command -v dpdk-testpmd >/dev/null || skip_all "dpdk is not installed"
	command -v ip >/dev/null || skip_all "iproute2 is not installed"
	as=
	[ "$(id -u)" = 0 ] || as=-r
	own='mount -t sysfs sysfs /sys && exec "$@"'
	unshare -mn $as sh -c "$own" sh true 2>"$scratch/err" || skip_all "no network namespace: $(cat "$scratch/err")"
	finish
	DVX_NETNS=1 exec unshare -mn $as sh -c "$own" sh sh "$0"
fi
[ -z "$asan" ] || skip_all "a sanitizer's runtime and DPDK want the same addresses"

chips=n
check "a ConnectX in switchdev mode, with interfaces" \
	"$dvx_sim" up n --netdev --vfs 2 --set chip=cx6dx,switchdev=1

# Each VF is a machine of its own.
mkfifo "$scratch/hold"
exec 6<>"$scratch/hold"
machine() { # INTERFACE ADDRESS
	background "$scratch/err" unshare -n sh -c 'exec <"$0" 6>&-; echo there; read -r end' "$scratch/hold"
	ip link set "$1" netns "$child" && nsenter -t "$child" -n ip addr add "$2/24" dev "$1" && nsenter -t "$child" -n ip link set "$1" up
}
check "a VF in a namespace of its own" machine n-vf0 10.9.0.1
first=$child
check "... and the other one" machine n-vf1 10.9.0.2
ping() { # ADDRESS SECONDS
	nsenter -t "$first" -n perl -MNet::Ping -e '$p = Net::Ping->new("icmp", $ARGV[1]); exit !$p->ping($ARGV[0])' "$@"
}

# PROGRAM DEVARGS ARGUMENTS OF EAL... -- OTHERS...
dpdk() {
	program=$1 devargs=$2
	shift 2
	timeout 300 "$dvx_sim" exec n -f host -- stdbuf -oL "$program" --no-huge -m 512 --no-telemetry --file-prefix "dvx$$" \
		-d librte_net_mlx5.so -d librte_mempool_ring.so -a "0000:03:00.0,dv_esw_en=1$devargs" "$@"
}
mkfifo "$scratch/commands"
dpdk dpdk-testpmd ",representor=vf[0-1]" -- -i --total-num-mbufs=8192 --portlist=1,2 \
	<"$scratch/commands" >"$scratch/pmd" 2>&1 &
pmd=$!
exec 5>"$scratch/commands"
# COMMAND OUTPUT: returns when testpmd has printed it
command_of() {
	echo "$1" >&5
	shows_up "$scratch/pmd" "$2" "$pmd" && cat "$scratch/pmd"
}
check "testpmd has the uplink" command_of "show port info 0" "Switch name: 0000:03:00.0"
check "... and a VF's representor" command_of "show port info 1" "Device name: 0000:03:00.0_representor_vf0"
no_ping() { ! ping 10.9.0.2 1; }
check "nobody carries what no rule takes" no_ping
check "testpmd does" command_of start "packet forwarding packets/burst"
check "... between the VFs" ping 10.9.0.2 60
forwarded() { command_of stop "Accumulated forward statistics" && command_of "show port stats 2" "NIC statistics for port 2" && command_of "show port stats 1" "RX-packets: [1-9]"; }
check "... as the representor's port counts" forwarded
rule() { # FROM TO NUMBER
	command_of "flow create $1 transfer pattern represented_port ethdev_port_id is $1 / eth / end actions count / represented_port ethdev_port_id $2 / end" "Flow rule #$3 created"
}
check "a transfer rule from one VF to the other" rule 1 2 0
check "... alone makes no ping" no_ping
check "... with one back" rule 2 1 0
check "... it does" ping 10.9.0.2 60
counted() { command_of "flow query 1 0 count" "hits: [1-9]"; }
check "... and counts it" counted
quit() { command_of quit "Bye" && wait "$pmd"; }
check "testpmd ends" quit
exec 5>&-

# Rules on the uplink's port with these items and actions, which lead to the first VF's.
perf() {
	dpdk dpdk-test-flow-perf ",representor=vf[0-1]" -- --portmask=1 --transfer --group=1 --rules-count=2000 --rules-batch=1000 \
		--deletion-rate --ether --ipv4 "$@" && grep -q "The average time for deleting 2000 rules" "$scratch/out"
}
check "test-flow-perf inserts and deletes rules to a port" perf --port-id=1
check "... which count" perf --count --port-id=1
check "... which begin a tunnel" perf --vxlan-encap --port-id=1
check "... which end one" perf --udp --vxlan --vxlan-decap --port-id=1
check "... which have a meter each, whose policy leads to the port or drops" perf --meter --policy-mtr=port-id::drop
plan
