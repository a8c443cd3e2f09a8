#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that DPDK's own programs (as Debian ships them) manage the e-switch: testpmd has a port for the uplink and for
# each representor, carries what no rule takes between two VFs, and its transfer rules do so in the chip and count it;
# test-flow-perf inserts and deletes transfer rules.
. "$top_srcdir/tests/interop/dpdk_lib.sh"

check "a ConnectX in switchdev mode, with interfaces" \
	"$dvx_sim" up n --netdev --check --vfs 2 --set chip=cx6dx,switchdev=1

two_machines
ping() { # ADDRESS SECONDS
	nsenter -t "$first" -n perl -MNet::Ping -e '$p = Net::Ping->new("icmp", $ARGV[1]); exit !$p->ping($ARGV[0])' "$@"
}

testpmd ",dv_esw_en=1,representor=vf[0-1]" --total-num-mbufs=8192 --portlist=1,2
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
check "testpmd ends" quit

# Rules on the uplink's port with these items and actions, which lead to the first VF's.
perf() {
	dpdk dpdk-test-flow-perf ",dv_esw_en=1,representor=vf[0-1]" -- --portmask=1 --transfer --group=1 --rules-count=2000 --rules-batch=1000 \
		--deletion-rate --ether --ipv4 "$@" && grep -q "The average time for deleting 2000 rules" "$scratch/out"
}
check "test-flow-perf inserts and deletes rules to a port" perf --port-id=1
check "... which count" perf --count --port-id=1
check "... which begin a tunnel" perf --vxlan-encap --port-id=1
check "... which end one" perf --udp --vxlan --vxlan-decap --port-id=1
check "... which have a meter each, whose policy leads to the port or drops" perf --meter --policy-mtr=port-id::drop
check "the device's rules find nothing" "$dvx_sim" check n
plan
