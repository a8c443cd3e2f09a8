#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that DPDK's testpmd (as Debian ships it) manages the e-switch by hardware steering: its transfer rules lead packets
# between two VFs and count them, beside those that its driver makes for its own queues, of two WQEs each.
. "$top_srcdir/tests/interop/dpdk_lib.sh"

check "a ConnectX-7 in switchdev mode, with interfaces" \
	"$dvx_sim" up n --netdev --check --vfs 2 --set chip=cx7,switchdev=1

two_machines
# ping TIMES: again and again, as ARP gives up after three requests
ping() {
	nsenter -t "$first" -n perl -MNet::Ping -e '$p = Net::Ping->new("icmp", 1); $p->ping("10.9.0.2") && exit for 1 .. $ARGV[0]; exit 1' "$1"
}

testpmd ",dv_esw_en=1,dv_flow_en=2,representor=vf[0-1]" --total-num-mbufs=8192 --portlist=1,2
configure() {
	echo "port stop all" >&5
	for port in 0 1 2; do
		command_of "flow configure $port queues_number 1 queues_size 64 counters_number 1024" "Configure flows on port $port" || return
	done
	command_of "port start all" "Port 2: .*"
}
check "hardware steering on the uplink's port and on representors" configure
templates() {
	command_of "flow pattern_template 0 create transfer relaxed yes pattern_template_id 1 template represented_port ethdev_port_id mask 0xffff / eth / end" "Pattern template #1 created" &&
		command_of "flow actions_template 0 create transfer actions_template_id 1 template count / represented_port ethdev_port_id 1 / end mask count / represented_port / end" "Actions template #1 created" &&
		command_of "flow template_table 0 create table_id 1 group 0 priority 0 transfer rules_number 64 pattern_template 1 actions_template 1" "Template table #1 created"
}
check "a table of transfer rules" templates
no_ping() { ! ping 2; }
check "nobody carries what no rule takes" no_ping
rule() { # FROM TO NUMBER
	command_of "flow queue 0 create 0 template_table 1 pattern_template 0 actions_template 0 postpone no pattern represented_port ethdev_port_id is $1 / eth / end actions count / represented_port ethdev_port_id $2 / end" "Flow rule #$3 creation enqueued" &&
		echo "flow push 0 queue 0" >&5 && command_of "flow pull 0 queue 0" "0 failed, 1 succeeded"
}
check "a rule from one VF to the other" rule 1 2 0
check "... alone makes no ping" no_ping
check "... with one back" rule 2 1 1
check "... it does" ping 60
counted() {
	until grep -q "hits: [1-9]" "$scratch/pmd"; do
		command_of "flow query 0 1 count" "hits: [0-9]" || return
	done
}
check "... and counts it" counted
removed() { echo "flow queue 0 destroy 0 postpone no rule 1" >&5 && command_of "flow push 0 queue 0" "Queue #0 operations pushed" && no_ping; }
check "without the rule back there is no ping" removed
check "testpmd ends" quit 1 2 0 # the manager's port goes last
check "the device's rules find nothing" "$dvx_sim" check n
plan
