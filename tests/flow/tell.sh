#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-flow explain tells of the daemon's rules what the device does with them: real
# traffic replayed, the rules' counters against explain's sums, to the packet.
. "$top_srcdir/tests/tap.sh"
steering=${steering-} # hws_tell.sh sets it
flow=$top_builddir/tools/dvx-flow/dvx-flow
traffic=$top_srcdir/examples/traffic/traffic.pcap

on() {
	run_on tell host "$@"
}

cat >"$scratch/rules" <<'R'
count in ethertype 0x0806
drop in udp dst port 53 count
send in ipv4 src 10.0.0.0/8 tcp dst port 1-1023 to queue 1 tag 7 count
send in tcp flags syn to queue 0 tag 9 count
send in ipv4 icmp type 8 to queue 0 tag 10 count
count in ipv6 icmp6
pass in ipv6 udp count
count in ipv4
drop out tcp dst port 23 count
R
# One range more makes tables of codes of these rules.
sed '/^count in ipv4$/i send in port 1024-65535 to queue 1 count' "$scratch/rules" >"$scratch/codes"
chips=tell
"$dvx_sim" up ${steering:+--set chip=bf3} tell || exit 1
"$dvx_sim" exec tell -- "$flow" daemon ${steering:+--steering "$steering"} --queues 2 >"$scratch/daemon" 2>&1 &
daemon=$!
trap 'kill $daemon 2>/dev/null; wait $daemon 2>/dev/null; finish' EXIT

same_sums() {
	on "$flow" explain --json "$traffic" >"$scratch/told" || return 1
	"$dvx_sim" replay tell "$traffic" || return 1
	on "$flow" stats --json >"$scratch/stats" || return 1
	$PERL -MJSON::PP -e '
		sub load { local $/; open my $f, "<", $_[0] or die; decode_json(<$f>) }
		my ($told, $stats) = map { load($_) } @ARGV;
		my %told = map { $_->{rule} => $_->{packets} } @{$told->{rows}};
		my $left = $told->{packets} - ($told{"no rule: the default way"} // 0);
		for my $rule (grep { $_->{direction} eq "in" } @{$stats->{rules}}) {
			my $n = $told{$rule->{text}} // 0;
			print "$rule->{packets} by the device, $n by explain: $rule->{text}\n";
			exit 1 if $n != $rule->{packets};
			$left -= $n;
		}
		exit 1 if $left;' "$scratch/told" "$scratch/stats"
}

says() { # TEXT ARGS: a line of what dvx-flow says
	text=$1
	shift
	on "$flow" "$@" >"$scratch/says" 2>&1
	cat "$scratch/says"
	grep -qF -- "$text" "$scratch/says"
}

changes() {
	on "$flow" apply "$scratch/changes" >/dev/null &&
		says "the packet changes: ipv4 dst 10.0.0.9 -> 192.0.2.7, dst port 80 -> 8080" \
			explain ipv4 src 10.0.0.1 dst 10.0.0.9 tcp dst port 80 &&
		says "the packet changes: vlan 7 and 9 -> 9" explain vlan 7 vlan 9 ipv4 &&
		says "the packet changes: vlan none -> 7 pcp 3, ttl 64 -> 63" explain ipv4 dst 10.0.0.8 ttl 64 &&
		says "inside ipv4 ? > 1.2.3.4 -> ipv4 ? > 1.2.3.4" explain ipv4 udp vxlan vni 42 inner ipv4 dst 1.2.3.4 &&
		says "only acts; changes vlan none -> 9" explain out ipv4 dst 10.0.0.9 &&
		says '=> rule "send in ipv4 dst 10.0.0.7 udp dst port 53 to queue 1"' \
			explain ipv4 dst 10.0.0.7 udp dst port 53 &&
		grep -q "proto udp.*; a copy goes elsewhere" "$scratch/says" &&
		says '=> rule "send in ipv4 tcp to rss 0-1"' explain ipv4 tcp &&
		on "$flow" apply "$scratch/rules" >/dev/null
}

# Rules that lead on count as well: explain's sums are the counters of each rule.
led_on() {
	on "$flow" apply "$scratch/led" >/dev/null && on "$flow" explain --json "$traffic" >"$scratch/told" &&
		"$dvx_sim" replay tell "$traffic" && on "$flow" stats --json >"$scratch/stats" || return 1
	jq -r '.rules[] | "\(.packets) \(.text)"' "$scratch/stats" | grep -v "^0 " | sort >"$scratch/counted"
	jq -r '.rows[] | select(.rule | startswith("no rule") | not) | "\(.packets) \(.rule)"' "$scratch/told" |
		sort | diff "$scratch/counted" - && [ "$(wc -l <"$scratch/counted")" = 7 ] &&
		says " of level 3 (web)" explain ipv4 tcp dst port 80 &&
		says '=> rule "send in tcp dst port 80 to queue 0 count": counter' explain ipv4 tcp dst port 80 &&
		says '=> rule "send in udp to rss 0-1 count": to the TIR' explain ipv4 udp dst port 53 &&
		on "$flow" apply "$scratch/rules" >/dev/null
}

# A rule that an earlier one covers has no entry, so no table is made for it to spread to.
covered() {
	printf 'drop in ipv4 count\nsend in ipv4 udp to rss 0-1\n' | on "$flow" apply - >/dev/null &&
		on "$flow" explain --json "$traffic" >"$scratch/told" && "$dvx_sim" replay tell "$traffic" &&
		on "$flow" stats --json >"$scratch/stats" && on "$flow" dump >"$scratch/dump" &&
		! grep -q '^3100,.*,61$' "$scratch/dump" || return 1
	for from in "" "--dump $scratch/dump"; do
		# shellcheck disable=SC2086 # words
		on "$flow" explain --json $from "$traffic" | jq -e --slurpfile s "$scratch/stats" \
			'.rows[0].packets == $s[0].rules[0].packets and .rows[0].packets > 9' || return 1
	done
	says '=> rule "drop in ipv4 count"' explain ipv4 udp && on "$flow" apply "$scratch/rules" >/dev/null
}

# A list of matchers: tables of codes rewrite registers, by lists that a dump does not have.
offline() {
	sed -n 3p "$scratch/rules" | on "$flow" apply - >/dev/null || return 1
	on "$flow" dump >"$scratch/dump" && kill $daemon && wait $daemon
	"$flow" explain --dump "$scratch/dump" "in ipv4 src 10.1.1.1 tcp dst port 80" >"$scratch/says" || return 1
	cat "$scratch/says"
	grep -q "tag 0x7" "$scratch/says"
}

cat >"$scratch/changes" <<'R'
send in ipv4 dst 10.0.0.9 tcp dst port 80 set ipv4 dst 192.0.2.7 tcp dst port 8080 to queue 1
send in vlan 7 vlan 9 pop vlan to queue 1
send in ipv4 dst 10.0.0.8 push vlan 7 pcp 3 dec ttl to queue 1
send in ipv4 udp vxlan vni 42 decap to queue 1
pass out ipv4 dst 10.0.0.9 set ttl 7 push vlan 9
mirror in udp dst port 53 to queue 0
send in ipv4 dst 10.0.0.7 udp dst port 53 to queue 1
send in ipv4 tcp to rss 0-1
R
cat >"$scratch/led" <<'R'
mirror in udp dst port 53 to queue 1 count
send in tcp goto web count
mirror in udp to queue 0 count
send in udp to rss 0-1 count
drop in ipv6 count
table web
send in tcp dst port 80 to queue 0 count
count in ipv4
R
check "no rules are applied" on "$flow" apply --wait 300 /dev/null
check "explain reports that there are no rules" says "the daemon holds no rules" explain "in ipv4"
codes() { on "$flow" apply --json "$scratch/codes" | jq -e '.in.compiled == "codes"'; }
check "rules are applied as tables of codes" codes
check "explain's sums of a file are the device's counters" same_sums
check "rules are applied as lists" on "$flow" apply "$scratch/rules"
check "the rule's text is printed" says '=> rule "send in ipv4 icmp type 8 to queue 0 tag 10 count"' \
	explain "in ipv4 icmp type 8"
check "the root table's action is printed" says "root table: dvx-flow's rule sends every packet on" \
	explain "in ipv4 icmp type 8"
check "packets that no rule takes" says "no rule takes it: the default way" explain "in ethertype 0x88cc"
check "the other direction" says '=> rule "drop out tcp dst port 23 count"' explain "out ipv4 tcp dst port 23"
# An entry of software has its action, one of hardware steering the operand of a template.
tags="ste_single_action_flow_tag_v1 action_id=FLOW_TAG(0xc) flow_tag=0xa"
[ -z "$steering" ] || tags="dw5=0xa"
check "entries field by field" says "$tags" dump --ste
check "what the daemon's rules change in a packet" changes
check "sums of mirrors, tables and spreads" led_on
check "... and of a spread that no packet reaches" covered
check "a dump explains without device and daemon" offline
check "without a daemon: one sentence" says "daemon" explain "in ipv4"
plan
