#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that rules of the direction switch move packets between functions and the wire on a chip in
# switchdev mode, and that each is counted: by the rule, and by the function where it arrives.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99
peer=$top_builddir/tests/steer/dr_fdb_peer
needs "$peer"
up --switchdev --vfs 2 "$chip" || exit 99

# The e-switch's daemon is on the DPU's function; a second one counts what the host's receives.
on_chip() { run_on "$chip" "${function:-dpu}" "$@"; }
begin() { # FUNCTION: starts a daemon there, with one rule that counts what comes in
	function=$1
	background "$work/$1.err" "$dvx_sim" exec "$chip" -f "$1" -- "$flow" daemon --json ${steering:+--steering "$steering"} || return 1
	eval "daemon_$1=\$child"
	echo "count in" | client apply --quiet -
	function=
}
three() { begin host && begin vf1 && begin dpu; }
check "daemons of three functions start" three

cat >"$work/rules" <<'END'
# the wire, the host, and back
send switch from uplink udp dst port 53 to pf count
drop switch from uplink tcp count
send switch from pf udp src port 9 to ecpf count
send switch from pf udp src port 10 to uplink count
drop switch from pf udp src port 11 count
mirror switch from pf udp src port 12 to uplink count
send switch from vport 0 udp src port 12 to pf count
send switch from ecpf,pf ipv4 udp src port 14 set eth dst 02:00:00:00:00:09 dec ttl to pf count
count in
END
applies() { client apply "$work/rules" | grep -q "applied; 9 rules in effect; in: .*; switch: "; }
check "a file is applied" applies

# Send a packet of a function from a UDP port, several of the host's.
send_from() { # FUNCTION PORT
	printf 'send %s\n' "$2" | run_on "$chip" "$1" "$peer" >"$work/peer"
}
send_from_host() {
	printf 'send %s\n' "$@" | run_on "$chip" host "$peer" >"$work/peer"
}
counts() { client stats --json | jq -c '[.rules[].packets]'; }
at_host() { function=host counts; }
from_wire() {
	"$dvx_sim" replay "$chip" "$traffic" --json >"$work/replay" &&
		[ "$(counts)" = '[60,360,0,0,0,0,0,0,101]' ] && [ "$(at_host)" = '[60]' ]
}
check "packets from the wire: to the host, dropped, the rest to the manager" from_wire
from_host() {
	send_from_host 9 10 11 12 13 14 &&
		[ "$(counts)" = '[60,360,1,1,1,1,1,1,103]' ] && [ "$(at_host)" = '[62]' ]
}
check "packets of the host: to the manager, the wire, dropped, copied, changed" from_host
wire_got() { "$dvx_sim" ls | grep -q '2 packets dropped: for the uplink, and there is no wire'; }
check "the wire got two" wire_got

by_source() {
	client stats | grep -q '^    uplink         420           44906         360$' &&
		is '.sources | map(select(.from == "pf") | .packets, .dropped) | join(" ")' "4 1" '.sources[-1] | .from, .packets' "several
1" && client stats --prometheus | grep -q 'source_dropped_packets{device="mlx5_0",from="uplink"} 360'
}
check "stats by the source of packets, a mirrored one once" by_source
first_source() { # $row is the first one of the next report
	while read -r row <&8; do
		case $row in FROM*) read -r row <&8 && return ;; esac
	done
	return 1
}
# Between two reports a rule goes, and with it the first source.
watched() {
	client insert before 2 drop switch from vf0 count && mkfifo "$work/watch" || return 1
	"$dvx_sim" exec "$chip" -f dpu -- "$flow" stats --watch 0.05 >"$work/watch" &
	watcher=$!
	exec 8<"$work/watch"
	first_source && client del "drop switch from vf0 count" &&
		while first_source; do case $row in uplink*) break ;; esac; done
	kill $watcher
	wait $watcher
	exec 8<&-
	echo "$row" | grep -Eq '^uplink +420 +44906 +- +360 +-$' || { echo "$row"; return 1; }
}
check "stats --watch: rates are of one source" watched

drawn() {
	client draw live >"$work/dot" && grep -qF '"uplink" [label="uplink\n420 packets from it, 360 dropped"]' "$work/dot" &&
		grep -q '^"switch main":r5 -> "uplink" \[style=dashed label=copy\]$' "$work/dot" && grep -q '^"switch main":r0 -> "pf"$' "$work/dot"
}
check "draw has vports with their counters" drawn

# explains WORDS PACKET: follows the packet without sending it.
explains() {
	client explain "$2" >"$work/explained"
	cat "$work/explained"
	sed -n 's/^  => //p' "$work/explained" | sed 's/ (0x[^)]*)//g' | grep -F -- "$1"
}
check "explain: to a function whose rules are held elsewhere" \
	explains "pf: its function receives it; rules that are held there, if any, judge it next" "switch from uplink udp dst port 53"
check "explain: dropped" explains 'rule "drop switch from pf udp src port 11 count": counter' "switch from pf udp src port 11"
check "explain: to the wire" explains "uplink: it leaves by the wire" "switch from pf udp src port 10"
check "explain: the default way of the manager's own packets" explains "uplink: it leaves by the wire" "switch from ecpf arp"
through() {
	explains 'rule "count in"' "switch from pf ipv4 udp src port 9" && explains "ecpf: this function receives it:" "switch from vf9 arp" &&
		explains 'ether dst ? -> 02:00:00:00:00:09, ttl 9 -> 8' "switch from pf ipv4 udp src port 14 ttl 9" &&
		client explain --json switch from pf udp src port 9 | jq -e '.ways[0] | .vport == "ecpf" and .end.text == "send switch from pf udp src port 9 to ecpf count" and .then.end.text == "count in"'
}
check "explain: through the e-switch to this function's own rules" through
check "explain: a switched packet has a source" fails 2 "comes from a vport: write" client explain switch udp
from_file() {
	client dump >"$work/csv" && "$flow" explain --dump "$work/csv" switch from uplink arp >"$work/explained"
	cat "$work/explained"
	grep -q '=> manager: its function receives it' "$work/explained"
}
check "explain: from a file, which does not name the manager" from_file
out_first() {
	client insert before 9 pass out udp src port 14 ipv4 set ipv4 dst 10.0.0.9 &&
		explains "ecpf: it is sent, and the e-switch takes it:" "out ipv4 dst 10.0.0.1 udp src port 14 ttl 4" &&
		grep -q 'pf: its function receives it' "$work/explained" && client del "pass out udp src port 14 ipv4 set ipv4 dst 10.0.0.9"
}
check "explain: from this function's rules into the e-switch" out_first

edited() {
	client insert before 3 drop switch from pf udp src port 9 count && client del "drop switch from pf udp src port 11 count" &&
		send_from_host 9 11 && [ "$(client stats --json | jq -c '[.rules[] | select(.text | test("port 9|port 11")) | .packets]')" = '[1,1]' ] &&
		is '.rules[-1].packets' 104
}
check "edits take effect in their place" edited
listed() {
	client list --json | jq -e '.rules[0] | .direction == "switch" and .vport == "pf" and .action == "send"' &&
		client save "$work/saved" && client apply --quiet "$work/saved" && client diff "$work/saved" | grep -q "9 stay, 0 added, 0 deleted, 0 moved"
}
check "list and save have the direction and the vport" listed

refused() { # COLUMN WORDS RULE
	echo "$3" >"$work/bad"
	fails 4 "bad:1:$1: .*$2" client apply "$work/bad"
}
check "a vport that does not exist" refused 13 "knows no vport 8 (vf7)" "drop switch from vf7"
check "a destination that does not exist" refused 28 "knows no vport 8 (vf7)" "send switch from uplink to vf7"
on_host() {
	echo "drop switch from pf" >"$work/bad"
	function=host fails 4 "bad:1:6: attr.side FDB: mlx5_0 lacks eswitch_manager" client apply "$work/bad"
}
check "a function that does not manage the e-switch" on_host
[ -z "$steering" ] || [ -n "${DVX_TEST_LONG-}" ] || plan # the rest is of the daemon more than of its steering
between_vfs() {
	client insert before 1 send switch from vf0 udp src port 20 to vf1 count && client insert before 1 drop switch from vf1 count &&
		send_from vf0 20 && send_from vf0 21 && send_from vf1 20 && send_from host 20 && [ "$(function=vf1 counts)" = '[1]' ] &&
		[ "$(client stats --json | jq -c '[.sources[] | select(.from == "vf0" or .from == "vf1") | .packets, .dropped]')" = '[1,0,1,1]' ]
}
check "from one VF to another" between_vfs
# Packets to a function without a program are counted drops of that function, and the rules stay.
lost_at_vf1() { "$dvx_sim" ls --json | jq '[.[].drops[] | select(.function == "vf1" and .cause == "no_rule").count] | add // 0'; }
to_gone() {
	kill -9 "$daemon_vf1"
	wait "$daemon_vf1"
	before=$(lost_at_vf1)
	send_from vf0 20 && [ "$(lost_at_vf1)" = $((before + 1)) ] && is ".rules[] | select(.text | test(\"^send.*to vf1\")).packets" 2 &&
		explains "vf1: its function receives it; rules that are held there, if any, judge it next" "switch from vf0 ipv4 udp src port 20"
}
check "to a VF whose program was killed" to_gone
is_back() { begin vf1 && send_from vf0 20 && [ "$(function=vf1 counts)" = '[1]' ] && is ".rules[] | select(.text | test(\"^send.*to vf1\")).packets" 3; }
check "and to its next program" is_back
manager_dies() {
	kill -9 "$daemon_dpu"
	wait "$daemon_dpu"
	send_from vf0 20 && [ "$(function=vf1 counts)" = '[1]' ] || return 1
	background "$work/dpu.err" "$dvx_sim" exec "$chip" -f dpu -- "$flow" daemon --json ${steering:+--steering "$steering"}
	daemon_dpu=$child
	send_from vf0 20 && [ "$(function=vf1 counts)" = '[2]' ] && is ".rules[] | select(.text | test(\"^send.*to vf1\")).packets" 1
}
check "the manager's daemon is killed: the slow path is back, then its committed rules" manager_dies
rated() {
	printf 'drop switch from pf udp src port 15 over 2 bit/s burst 0\ncount switch from pf udp src port 15\n' >"$work/rated" &&
		client apply "$work/rated" && send_from_host 15 15 15 && [ "$(counts)" = '[2,1]' ]
}
check "a rate in the e-switch" rated
# Of 60 packets, about half are copied: 30, give or take six standard deviations.
sampled() {
	printf 'mirror switch from pf udp src port 16 to vf1 sample 2 count\nsend switch from pf udp src port 16 to uplink count\n' >"$work/sampled"
	before=$(function=vf1 counts | tr -d '[]')
	client apply --quiet "$work/sampled" && send_from_host $(seq 60 | sed 's/.*/16/') && [ "$(counts)" = '[60,60]' ] || return 1
	copies=$(($(function=vf1 counts | tr -d '[]') - before))
	echo "$copies copies"
	[ "$copies" -gt 6 ] && [ "$copies" -lt 54 ]
}
check "samples of switched packets" sampled
emptied() {
	client flush --quiet && send_from_host 9 && "$dvx_sim" ls | grep -q "dpu"
}
check "without rules the kernel's slow path is back" emptied
kill "$daemon_host" "$daemon_vf1" "$daemon_dpu"
wait "$daemon_host" "$daemon_vf1" "$daemon_dpu"
[ -z "$steering" ] || plan

# sides SETTINGS COLUMN WORDS RULE: the chip cannot do it on one side of the e-switch
sides() {
	echo "$4" >"$work/bad"
	fails 4 "bad:1:$2: .*$3: Operation not supported$" "$dvx_sim" run --set "$1" -- "$flow" check --device mlx5_0 "$work/bad"
}
check "a ConnectX-5 pushes VLAN tags on one side" sides chip=cx5,switchdev=1 13 \
	"a VLAN push on mlx5_0 (ConnectX-5, -6) only on the TX side: name a source (not uplink)" \
	"send switch from uplink push vlan 5 to pf"
check "and pops them on the other" sides chip=cx5,switchdev=1 1 \
	"a VLAN pop on mlx5_0 (ConnectX-5, -6) only on the RX side: name the uplink as source" \
	"send switch vlan pop vlan to pf"
check "samples need entries that keep register C0" sides chip=cx5,switchdev=1 40 \
	"samplers in the FDB of mlx5_0 (ConnectX-5, -6) lose register C0 of packets from functions" \
	"mirror switch from pf to uplink sample 2"
# Committed rules that name a function which the device has no more, and then has again.
fewer() {
	"$dvx_sim" down "$chip" && up --set switchdev=1 --vfs 1 "$chip" && echo "send switch from vf0 to vf1 count" >"$work/state" &&
		cp "$work/state" "$work/was" || return 1
	fails 4 "can't be applied: line 1, column 25: .*mlx5_0 knows no vport 2 (vf1).*; daemon --fresh starts without them" \
		on_chip "$flow" daemon --state "$work/state" && cmp "$work/state" "$work/was" || return 1
	"$dvx_sim" down "$chip" && up --set switchdev=1 --vfs 2 "$chip" &&
		background "$work/dpu.err" "$dvx_sim" exec "$chip" -f dpu -- "$flow" daemon --json --state "$work/state" || return 1
	is '.rules | length' 1
	status=$?
	kill "$child"
	wait "$child"
	return $status
}
check "rules for a function that the device lacks now" fewer
legacy() {
	"$dvx_sim" down "$chip" && "$dvx_sim" up "$chip" && echo "drop switch from pf" >"$work/bad" || return 1
	fails 4 "bad:1:6: .*must be in switchdev mode" on_chip "$flow" check --device mlx5_0 "$work/bad"
}
check "an e-switch in legacy mode" legacy
plan
