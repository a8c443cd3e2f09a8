#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves: each word of the rule language is taken by the device, or refused with line, column and the
# PRM name of the capability that is missing; on chips and functions that lack something, too.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99

# One rule for each word: TX has no vport, RX no sqn; the last two columns say what refuses it.
cat >"$work/words" <<'END'
drop in any
pass in and all
count in eth src 02:00:00:00:00:01 dst 02:00:00:00:00:00/ff:ff:00:00:00:00 type 0x88cc
drop in ethertype 0x88cc
drop in vlan id 5 pcp 3 dei 1
drop in svlan 7 vlan id 9 pcp 2 dei 0
drop in untagged
drop in native ipv4
drop in vlan num_of_vlans 1
drop in ipv4 src 10.0.0.0/8 dst 10.1.2.3
drop in ipv6 src 2001:db8::/32 dst 2001:db8::1
drop in host 10.1.2.3 or 10.2.0.0/16, 10.3.0.0/16
drop in arp
drop in protocol 0x88cc
drop in proto 89
drop in tos 0x10/0xf0
drop in dscp ef ecn 1 ttl 64
drop in fragment
drop in not fragment
drop in nofrag
drop in ipv6 flowlabel 5
drop in tcp src port 80 flags syn,!ack
drop in udp sport 53 dport 1024-65535
drop in icmp type 8 code 0
drop in icmp6 type 128 code 0
drop in reg_a 1
drop in reg_c0 1 reg_c1 1 reg_c2 1 reg_c3 1
drop in reg_c4 1 reg_c5 1 reg_c6 1 reg_c7 1
drop in vxlan vni 5
drop in vxlan vni 5 gbp 7/0xff
drop in vxlan-gpe vni 5
drop in geneve vni 5 oam
drop in geneve vni 5 option 0x102 type 0x80 0x20007
drop in gtpu teid 0x1234 inner ipv4 dst 10.60.0.0/16
drop in gre key 5
drop in gretap key 5
drop in nvgre vni 5
drop in mpls label 5 tc 3 mpls_bos 1 mpls_ttl 64
drop in inner ipv4 dst 10.0.0.0/8 outer ipv6
send in ipv4 to queue 1 tag 7 count
drop out tcp dst port 25
send in ipv4 tcp set eth src 02:00:00:00:00:01 ipv4 dst 192.0.2.7 tcp src port 80 dec ttl to queue 1 tag 3
pass in ipv6 tcp set eth dst 02:00:00:00:00:01 ipv6 dst 2001:db8::1 ttl 3 push vlan 7 pcp 3
pass out ipv6 udp set ipv6 src 2001:db8::1 udp dst port 53 ttl 9 push vlan 7
count out vlan pop vlan push vlan 9
send in vlan set vlan 5 to queue 0
pass in svlan pop vlan
send in vxlan vni 5 decap to queue 1
mirror in udp dst port 53 to queue 1 count
mirror in udp dst port 53 to queue 1 sample 9 count
drop in udp over 1000/s burst 5
drop out udp over 100 Mbit/s burst 64k
drop in udp expire 60s
send in tcp to rss 0-3 on ipv4,tcp
send in tcp name "web" goto web \n table web \n drop in any
define web = 80,443 \n drop in tcp dst port $web
include "more"
pass in udp and vport 1|17|misc_parameters.source_port: mlx5_0 lacks eswitch_manager
drop switch from pf|6|attr.side FDB: mlx5_0 lacks eswitch_manager
track switch tcp max 5 \n drop switch tcp ct new|7|attr.side FDB: mlx5_0 lacks eswitch_manager
pass out udp encap vxlan vni 42 src 192.0.2.1 dst 192.0.2.2 eth src 02:00:00:00:00:01 dst 02:00:00:00:00:02
pass out udp encap geneve vni 7 option 0x102 type 0x80 0x20007 src 192.0.2.1 dst 192.0.2.2 eth src 02:00:00:00:00:01 dst 02:00:00:00:00:02
pass out ipv4 udp encap mplsoudp label 16 src 192.0.2.1 dst 192.0.2.2 eth src 02:00:00:00:00:01 dst 02:00:00:00:00:02
drop out udp sqn 5|14|misc_parameters.source_sqn: libmlx5 compares it in RX domains only
END
echo "drop in arp" >"$work/more"

# Words that are other names of these are left out: one of each kind.
all_words() {
	sed -n 's/^	{"\([^"]*\)", \(T_[A-Z0-9]*\), [^}]*},$/\2 \1/p' "$top_srcdir/tools/dvx-flow/rules/words.c" >"$work/kinds"
	sed -n 's/^WORD(.*"\([^"]*\)")$/T_FIELD \1/p' "$top_srcdir/tools/dvx-flow/rules/keys.def" >>"$work/kinds"
	[ "$(wc -l <"$work/kinds")" -gt 100 ] || return 1
	"$PERL" -e 'open my $rules, "<", shift or die;
		my $text = join "", map { /^([^|]*)/, "\n" } <$rules>;
		while (<>) {
			my ($kind, $word) = split;
			$has{$kind} ||= $text =~ /\b\Q$word\E\b/;
		}
		$has{$_} or die "no rule here has a word of $_\n" for sort keys %has' "$work/words" "$work/kinds"
}
check "there is a rule for each kind of word" all_words

# try CHIP-OPTION... : the rule of $rule as second line of a file, checked on a device.
try() {
	{ echo; printf '%b\n' "$rule"; } >"$work/rule" # \n: another line
	on_chip "$flow" check --quiet --device mlx5_0 "$work/rule" 2>"$work/err"
	status=$?
	cat "$work/err"
	return $status
}
refused_at() { # COLUMN WORDS
	try
	[ $? = 4 ] && grep -qF "$work/rule:2:$1: " "$work/err" && grep -qF -- "$2" "$work/err" &&
		awk -v c="$1" 'f { exit substr($0, 4 + c, 1) != "^" } /^    (drop|pass|send|count|track)/ { f = 1 } END { exit !f }' "$work/err"
}
# Those of one line that are taken are one file.
each_word() {
	failures=0
	rule=$(grep -v -e '|' -e '\\n' "$work/words")
	try || { echo "refused"; failures=1; }
	while IFS='|' read -r rule column words; do
		if [ "$column" ]; then
			refused_at "$column" "$words" || { echo "not refused so: $rule"; failures=1; }
		elif [ "$rule" != "${rule#*\\n}" ]; then
			try || { echo "refused: $rule"; failures=1; }
		fi
	done <"$work/words"
	return $failures
}
"$dvx_sim" up "$chip" || exit 99
check "each word is taken, or refused by its capability" each_word

rule="drop in vport 77"
other_function() {
	on_chip() { run_on "$chip" dpu "$@"; }
	refused_at 9 "misc_parameters.source_port: mlx5_0 knows no vport 77"
}
check "an eswitch manager gets an error for a vport that does not exist" other_function
on_chip() { run_on "$chip" host "$@"; }

applied() {
	start --queues 2 || return 1
	fails 4 "$work/rule:2:9: match.misc_parameters.source_port: mlx5_0 lacks eswitch_manager" client apply "$work/rule" &&
		grep -q '^            ^~~~~$' "$work/err" && client apply --json "$work/rule" 2>/dev/null | jq -e '.error | .line == 2 and .column == 9 and .exit == 4' &&
		echo "send in ipv4 to queue 2" | fails 1 "^-:1:14: no queue 2, the daemon has 2" client apply - && stop
}
check "a daemon says as much" applied
committed() {
	cp "$work/rule" "$work/state"
	fails 4 "can't be applied: line 2, column 9: match.misc_parameters.source_port: mlx5_0 lacks" client daemon --json --state "$work/state" >"$work/out" &&
		head -n 1 "$work/out" | jq -e ".error | .line == 2 and .column == 9"
}
check "and of the file that was committed" committed

# lacking SETTING RULE COLUMN WORDS GOOD-RULE: on such a chip.
lacking() {
	setting=$1
	on_chip() { "$dvx_sim" run --set "$setting" -- "$@"; }
	rule=$2
	refused_at "$3" "$4" || return 1
	rule=$5
	[ -z "$5" ] || try
}
rx=flow_table_properties_nic_receive.sw_owner_v2
tx=flow_table_properties_nic_transmit.sw_owner_v2
check "no software steering in" lacking sw_owner_rx=0 "send in ipv4 to queue 0" 6 "mlx5_0 lacks $rx" "drop out ipv4"
check "no software steering out" lacking sw_owner_tx=0 "count out tcp" 7 "mlx5_0 lacks $tx" "drop in ipv4"
check "no loopback for libmlx5's writes" lacking fl_rc_qp=0 "drop in" 6 "mlx5_0 lacks roce_cap.fl_rc_qp_when_roce_enabled" ""
check "statuses that the kernel hides" lacking old_kernel=1 "drop in vport 1" 9 "mlx5_0 lacks eswitch_manager" "drop in"

# The steering that each direction gets: by CHIP STEERING
by() {
	"$dvx_sim" run --set "$1" -- "$flow" check -q --json --device mlx5_0 --steering "$2" "$work/by" 2>"$work/err" |
		jq -c '[.in, .out, .switch] | map(.steering)'
}
steered() {
	printf 'drop in udp\ndrop out tcp\n' >"$work/by"
	[ "$(by chip=bf3 auto)" = '["hws","hws",null]' ] && [ "$(by chip=cx5 auto)" = '["sws","sws",null]' ] &&
		[ "$(by chip=bf3 sws)" = '[null,null,null]' ] || return 1
	echo "drop switch from pf" >>"$work/by"
	[ "$(by chip=cx7,switchdev=1 hws)" = '["hws","hws","hws"]' ]
}
check "hardware steering where the device and libdvx have it" steered
unsteered() {
	fails 4 "takes no rules by requests" "$dvx_sim" run --set chip=cx5 -- "$flow" daemon --steering hws &&
		fails 2 '"hard" is not sws, hws or auto' "$flow" daemon --steering hard
}
check "a daemon does not start without the steering that it is asked for" unsteered

many() {
	seq 1 300 | sed 's/.*/drop in tcp dst port & count/' >"$work/many"
	"$dvx_sim" run --set log_max_flow_counter=8 -- "$flow" check -q --device mlx5_0 "$work/many" 2>"$work/err"
	[ $? = 4 ] && grep -q "^$work/many:256:26: no counter: ALLOC_FLOW_COUNTER .* LIM " "$work/err" && [ "$(grep -c ALLOC_ "$work/err")" -lt 20 ]
}
check "counters that run out: the first rule that gets none" many
plan
