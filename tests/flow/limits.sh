#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a rule with a rate acts on the packets over it, and later rules on the others; that a rule with
# `expire` goes when no packet came, from the device and from the committed rules, and stays while some come.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99
up "$chip" || exit 99
replay() { "$dvx_sim" replay "$chip" "$traffic" --json >"$work/replay"; }
counts() { client stats --json | jq -c '[.rules[].packets]'; }
counted() { got=$(counts) && [ "$got" = "$1" ] || { echo "counts are $got, not $1"; return 1; }; }
start --queues 2

# The first packet leaves a debt that a rate of 2 bit/s pays in minutes: one is green, 59 are not.
cat >"$work/rate" <<'END2'
drop in udp dst port 53 over 2 bit/s burst 0
count in udp dst port 53
drop out udp dst port 53 over 100 Mbit/s burst 64k
END2
# Faults stand for a device whose meters are all in use.
without_meters() {
	seq -f 'command CREATE_GENERAL_OBJECT %.0f status NO_RES' 10 >"$work/no_meters" && "$dvx_sim" fault "$chip" "$work/no_meters" &&
		fails 4 "rate:1:30: no meter: .*CREATE_GENERAL_OBJECT" client apply "$work/rate" && holds ""
}
# Over hardware steering the first general objects are templates of actions.
[ -n "$steering" ] || check "more meters than the device has" without_meters
"$dvx_sim" fault "$chip" off
# A queue of requests that has failed serves nobody, so the next rules have another one.
failed_queue() {
	echo 'completion 1 syndrome REMOTE_ACCESS_ERR' >"$work/one" && "$dvx_sim" fault "$chip" "$work/one" &&
		fails 4 "rate:" client apply "$work/rate"
}
check "a request for a meter that fails" failed_queue
"$dvx_sim" fault "$chip" off
check "rates are applied" client apply "$work/rate"
says() { client explain "$@" >"$work/says"; cat "$work/says"; }
full() { says udp dst port 53 && grep -q 'its meter has 0 of 0 bytes left: green; changes register c5 0x0 -> 0x2' "$work/says" && grep -q '=> rule "count in udp' "$work/says"; }
check "explain: the meter is full, the rule behind takes the packet" full
judged() { replay && counted '[59,1,0]' && field dropped "$work/replay" && [ "$value" = 59 ]; }
check "what is over the rate is dropped and counted, the rest meets the next rule" judged
empty() { says udp dst port 53 && grep -q 'left: red' "$work/says" && grep -q '=> rule "drop in udp dst port 53 over 2 bit/s burst 0": counter' "$work/says"; }
check "explain: the meter is empty, the rule drops the packet" empty
json() { is '.rules[0].over | "\(.rate) \(.burst) \(.unit)"' "2 0 bits" '.rules[2].over | "\(.rate) \(.burst)"' "100000000 65536"; }
check "JSON has the rate" json
kept() {
	client apply "$work/rate" && client add 'drop in icmp over 1000/s' && replay && counted '[119,1,0,0]' &&
		client del 'drop in icmp over 1000/s' && replay && counted '[179,1,0]'
}
check "edits keep the meter and its counter" kept
between() {
	client flush && printf 'drop in udp dst port 53 over 2 bit/s burst 0\ndrop in udp dst port 54 over 1/s name b\n' |
		client apply - && client insert before b count in udp dst port 53 && replay && counted '[59,1,0]'
}
check "a rule between two rates that share a table" between
many() {
	client flush
	{
		seq -f 'drop in udp dst port 53 ipv4 src 10.0.0.%.0f over 2 bit/s burst 0' 0 99
		echo 'drop in udp dst port 53 over 2 bit/s burst 0'
	} | client apply - && replay && field dropped "$work/replay" && [ "$value" = 59 ]
}
check "a hundred rates, and one behind them" many
# Two meters are one object.
objects() { n=$(client dump | grep '^3418,' | cut -d , -f 4 | sort -u | wc -l) && echo "$n objects" && [ "$n" = 51 ]; }
[ -z "$steering" ] || check "the dump has the objects of their meters" objects
peer=$top_builddir/tests/steer/dr_fdb_peer
needs "$peer"
outgoing() {
	printf 'drop out udp src port 9 over 2 bit/s burst 0\ncount out udp src port 9\n' | client apply - &&
		printf 'send %s\n' 9 9 9 9 | on_chip "$peer" && counted '[3,1]'
}
check "packets that are sent" outgoing
to_queue() {
	printf 'send in udp dst port 53 over 2 bit/s burst 0 to queue 1\ntable t\ndrop in udp\n' >"$work/queue"
	sed -i 's/^table/send in udp goto t over 3 bit\/s burst 0\ntable/' "$work/queue"
	client apply "$work/queue" && replay && is '.queues[1].packets' 59 '.rules[2].packets' null
}
check "packets over a rate go to a queue, or to a table" to_queue
gone() { client flush && replay && field dropped "$work/replay" && [ "$value" = 0 ]; }
check "without rules all packets pass" gone
exports() { fails 1 'rates are not exported' client export --to tc "$work/rate"; }
check "export names what tc lacks" exports

# Waits until this command succeeds: the daemon looks once a second.
until_true() {
	for _ in $(seq 600); do
		"$@" && return
		"$PERL" -e 'select(undef, undef, undef, 0.1)'
	done
	false
}
cat >"$work/expire" <<'END2'
drop in udp dst port 9 expire 1s name short # goes
drop in udp dst port 53 expire 1h
drop in tcp expire 2h
send in icmp goto last
table last
drop in icmp expire 1s # stays, as the table would be empty
END2
check "rules that expire are applied" client apply "$work/expire"
left() {
	holds "drop in udp dst port 53 expire 1h
drop in tcp expire 2h
send in icmp goto last
drop in icmp expire 1s
"
}
check "one without packets goes, beside one that can't be removed" until_true left
# shellcheck disable=SC2016
saved() { client save >"$work/saved" && ! grep -q short "$work/saved"; }
check "from the committed rules too" saved
again() { kill -9 "$daemon"; wait "$daemon"; daemon=; start --queues 2 && left; }
check "a killed daemon's successor does not have it" again
ends_in() { client list --json | jq ".rules[$1].expires_in"; }
less() { [ "$(ends_in 0)" -lt 3599 ] && [ "$(ends_in 1)" -lt 7199 ]; }
check "time passes" until_true less
more() { [ "$(ends_in 0)" -ge 3599 ]; }
hit() { replay && until_true more; }
check "and begins anew with a packet" hit
told() { says udp dst port 53 && grep -q 'the rule goes 3600 s after this packet' "$work/says"; }
check "explain says so" told
stop >/dev/null
[ -z "$steering" ] || plan

# The objects came with ConnectX-6 Dx.
"$dvx_sim" down "$chip"
"$dvx_sim" up --set chip=cx5 "$chip" || exit 99
start --fresh --queues 2
old() { fails 4 "has no meters: .*ConnectX-5" client apply "$work/rate" && fails 4 'has no hits' client add 'drop in expire 9s'; }
check "a ConnectX-5 refuses both" old
plan
