#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that DPDK's testpmd (as Debian ships it) meters packets and tracks connections by hardware steering: rules of a
# table behind judge each packet by its color, and by the state of its connection.
. "$top_srcdir/tests/interop/dpdk_lib.sh"

check "a BlueField-3" "$dvx_sim" up n --netdev --check --set chip=bf3
testpmd ",dv_flow_en=2" --total-num-mbufs=4096 --forward-mode=rxonly
configure() {
	echo "port stop 0" >&5
	command_of "flow configure 0 queues_number 1 queues_size 64 counters_number 64 meters_number 16 conn_tracks_number 64" "Configure flows on port 0" &&
		command_of "port start all" "Port 0: .*"
}
check "hardware steering with meters and connections" configure
# NUMBER GROUP PATTERN ACTIONS MASK: a table with templates of this number
table() {
	command_of "flow pattern_template 0 create ingress pattern_template_id $1 relaxed yes template $3 / end" "Pattern template #$1 created" &&
		command_of "flow actions_template 0 create ingress actions_template_id $1 template $4 / end mask $5 / end" "Actions template #$1 created" &&
		command_of "flow template_table 0 create table_id $1 group $2 priority 0 ingress rules_number 64 pattern_template $1 actions_template $1" "Template table #$1 created"
}
# RULE TABLE PATTERN ACTIONS
rule() {
	command_of "flow queue 0 create 0 template_table $2 pattern_template 0 actions_template 0 postpone no pattern $3 / end actions $4 / end" "Flow rule #$1 creation enqueued" &&
		echo "flow push 0 queue 0" >&5 && pulled $(($1 + 1))
}
pulled() { # RULES so far
	until [ "$(grep -c "0 failed, 1 succeeded" "$scratch/pmd")" = "$1" ]; do
		command_of "flow pull 0 queue 0" "operations" || return
	done
}
metered() {
	echo "add port meter profile srtcm_rfc2697 0 0 1 100 0 0" >&5
	table 1 0 eth "jump group 1" "jump group 1" &&
		table 2 1 "eth / ipv4 / udp dst mask 0xffff" "meter_mark mtr_profile 0 mtr_state 1 / jump group 2" "meter_mark mtr_profile 0 mtr_state 1 / jump group 2" &&
		table 3 2 "meter color is green" "count / queue index 0" "count / queue index 0xffff" &&
		rule 0 1 eth "jump group 1" &&
		rule 1 2 "eth / ipv4 / udp dst is 53" "meter_mark mtr_profile 0 mtr_state 1 / jump group 2" &&
		rule 2 3 "meter color is green" "count / queue index 0" &&
		rule 3 3 "meter color is red" "count / queue index 0"
}
check "a rule that meters, and one behind it for each color" metered

# Frames in pcap's format, from outside: 0 (UDP) [PORT]..., or 1 (TCP) [SEQUENCE]...
frames() {
	perl -e 'my ($tcp, @each) = @ARGV;
		print pack "LSSlLLL", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1;
		for (@each) {
			my $l4 = $tcp ? pack("nnNNnnnn", 1000, 80, $_, 2532480967, 0x5010, 510, 0, 0) : pack("nnnnN3", 1000, $_, 20, 0, 0, 0, 0);
			my $tcp_sum = unpack "%32n*", "\n\0\0\2\n\0\0\1" . pack("nn", 6, 20) . $l4;
			substr($l4, 16, 2) = pack "n", ~(($tcp_sum & 0xffff) + ($tcp_sum >> 16)) & 0xffff if $tcp;
			my $ip = pack "CCnnnCCna4a4", 0x45, 0, 40, 0, 0, 64, $tcp ? 6 : 17, 0, "\n\0\0\2", "\n\0\0\1";
			my $sum = unpack "%32n*", $ip;
			$sum = ($sum & 0xffff) + ($sum >> 16);
			substr($ip, 10, 2) = pack "n", ~$sum & 0xffff;
			my $frame = pack("H28", "02d7000000010211223344550800") . $ip . $l4 . "\0" x 6;
			print pack("LLLL", 0, 0, (length $frame) x 2), $frame;
		}' -- "$@" >"$scratch/pcap"
	"$dvx_sim" replay n "$scratch/pcap"
}
check "eight packets of 40 bytes of IP" frames 0 53 53 53 53 53 53 53 53
# RULE HITS: asks till the driver, which reads counters now and then, has this number. Its echo of a line that is no
# command shows that the answer before it is whole.
asked=0
hits() {
	while asked=$((asked + 1)) && echo "flow query 0 $1 count" >&5 && command_of "asked $asked" "asked $asked" >/dev/null; do
		tac "$scratch/pmd" | sed '/query/q' | grep -q " hits: $2$" && return
	done
	return 1
}
check "three or four are green, as the driver rounds a burst of 100 bytes" hits 2 "[34]"
check "... and as many are red: one is yellow" hits 3 "[34]"

tracked() {
	{
		echo "set conntrack com peer 0 is_orig 1 enable 1 live 1 sack 1 cack 0 last_dir 0 liberal 0 state 1 max_ack_win 7 r_lim 5 last_win 510 last_seq 2632987379 last_ack 2532480967 last_end 2632987379 last_index 0x8"
		echo "set conntrack orig scale 7 fin 0 acked 1 unack_data 0 sent_end 2632987379 reply_end 2633016339 max_win 28960 max_ack 2632987379"
		echo "set conntrack rply scale 7 fin 0 acked 1 unack_data 0 sent_end 2532480967 reply_end 2532546247 max_win 65280 max_ack 2532480967"
	} >&5
	# Its command for queues makes a connection without these values.
	command_of "flow indirect_action 0 create action_id 5 ingress action conntrack / end" "Indirect action #5 created" &&
		table 4 1 "eth / ipv4 / tcp dst mask 0xffff" "indirect 5 / jump group 3" "conntrack / jump group 3" &&
		table 5 3 "conntrack mask 0xffff" "count / queue index 0" "count / queue index 0xffff" &&
		rule 4 4 "eth / ipv4 / tcp dst is 80" "indirect 5 / jump group 3" &&
		rule 5 5 "conntrack is 1" "count / queue index 0"
}
check "a rule that tracks a connection, and one behind it for packets in its window" tracked
check "two packets, one of which is above the window" frames 1 2632987379 2643016339
check "one is in the window" hits 5 1
check "testpmd ends" quit
check "the device's rules find nothing" "$dvx_sim" check n
plan
