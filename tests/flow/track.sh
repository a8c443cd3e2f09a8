#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the e-switch tracks TCP connections: a whole one passes in both directions, what does not belong to one is
# dropped, and its end is noticed; that rules may change meanwhile, and that no more are tracked than the rule allows.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99
peer=$top_builddir/tests/steer/dr_fdb_peer
needs "$peer"
command -v perl >/dev/null || skip_all "perl is not installed"
"$dvx_sim" up --set switchdev=1 --vfs 2 "$chip" || exit 99
on_chip() { run_on "$chip" dpu "$@"; }
check "a daemon of the e-switch's manager starts" background "$work/daemon.err" \
	"$dvx_sim" exec "$chip" -f dpu -- "$flow" daemon --json
daemon=$child
socket=${line#*'"socket":"'}
socket=${socket%%\"*}

rules() { # MODIFIERS of track
	cat >"$work/rules" <<END
track switch tcp $1
send switch from vf0 tcp dst port 80 ct new to vf1 count
send switch from vf0 tcp ct established to vf1 count
send switch from vf1 tcp ct established to vf0 count
drop switch tcp ct invalid count
drop switch count
END
	client apply --quiet "$work/rules"
}
# The last step of an apply fails, because a directory has the name of its file. Nothing is left on the device then.
tables() { "$dvx_sim" ls --json | jq --arg chip "$chip" '.[] | select(.name == $chip).objects[] | select(.kind == "flow table").count'; }
undone() {
	before=$(tables) && mkdir "${socket%.sock}.flow" && fails 3 "as they were" rules && rmdir "${socket%.sock}.flow" &&
		client flush && client list && now=$(tables) && echo "$before tables, $now now" && [ "$now" = "$before" ]
}
check "a first file that cannot be kept" undone
check "a file is applied" rules

# The functions' queues: commands go into a pipe, and answers come out of another.
for vf in 0 1; do
	mkfifo "$work/to$vf" "$work/from$vf"
	"$dvx_sim" exec "$chip" -f vf$vf -- "$peer" <"$work/to$vf" >"$work/from$vf" 2>"$work/peer$vf.err" &
	eval "peer$vf=\$!"
done
exec 4>"$work/to0" 5<"$work/from0" 6>"$work/to1" 7<"$work/from1"
lost= # 1: a frame did not arrive. Replies may be out of step, so nothing else is sent.
answer() { # DESCRIPTOR: the next line of a reply, without cmocka's
	while [ -z "$lost" ] && read -r reply <&"$1"; do
		case $reply in ready | sent | 02d7*) return ;; esac
	done
	lost=1
	return 1
}
answer 5 && answer 7 || exit 99

version=4
client_port=4000
frame() { perl "$top_srcdir/tests/flow/track_frame.pl" "$version" "$@"; }
# from0 and from1 SEQ ACK FLAGS [WINDOW [OPTIONS [BYTES]]]: the client's and the server's segments, into $sent.
from0() {
	sent=$(frame 1 2 $client_port 80 "$1" "$2" "$3" "${4:-60000}" "$5" "$6") && [ -z "$lost" ] && echo "put $sent" >&4 && answer 5
}
from1() {
	sent=$(frame 2 1 80 $client_port "$1" "$2" "$3" "${4:-60000}" "$5" "$6") && [ -z "$lost" ] && echo "put $sent" >&6 && answer 7
}
# at0 and at1: the frame sent last arrives there, byte for byte, and behind it only padding.
arrived() { # QUEUE COMMANDS REPLIES
	[ -z "$lost" ] && eval "echo take >&$2" && answer "$3" || return 1
	case $reply in "$sent"*) return ;; esac
	echo "vf$1 got $reply, not $sent"
	lost=1
	return 1
}
at0() { arrived 0 4 5; }
at1() { arrived 1 6 7; }
dropped() { is '[.rules[-2,-1].packets] | map(tostring) | join(" ")' "$1"; }
tracked() { is '.connections[0] | [.tracked, .begun, .refused, .stray] | map(tostring) | join(" ")' "$1"; }

scale=03030700
handshake() { # the first sequence numbers are 1000 and 5000
	from0 1000 0 S 60000 $scale && at1 && from1 5000 1001 SA 60000 $scale && at0 && from0 1001 5001 A && at1
}
check "a SYN, a SYN-ACK and an ACK pass" handshake
check "one connection is tracked" tracked "1 1 0 0"
data() {
	from0 1001 5001 PA 60000 "" 100 && at1 && from1 5001 1101 PA 60000 "" 50 && at0 && from0 1101 5051 A && at1
}
check "its data passes in both directions" data
outside() {
	from0 900000000 5051 PA 60000 "" 100 && dropped "1 0" && from1 5051 99999999 A && dropped "2 0"
}
check "segments outside its window are dropped" outside
alone() {
	client_port=4001
	from0 1001 5001 A && from1 5001 1001 PA && dropped "4 0" && from1 5000 1001 SA && tracked "1 1 0 1"
	ret=$?
	client_port=4000
	return $ret
}
check "segments without a SYN are dropped, and a SYN-ACK without one" alone
explained() {
	client explain switch from vf0 ipv4 src 10.0.0.1 dst 10.0.0.2 tcp src port 4000 dst port 80 flags ack >"$work/tracked"
	client explain switch from vf0 ipv4 src 10.0.0.1 dst 10.0.0.2 tcp src port 4001 dst port 80 flags ack >"$work/stray"
	cat "$work/tracked" "$work/stray"
	grep -q "dst port 80, proto tcp; its connection is tracked;" "$work/tracked" &&
		grep -q '=> rule "send switch from vf0 tcp ct established to vf1 count"' "$work/tracked" &&
		grep -q '=> rule "drop switch tcp ct invalid count"' "$work/stray"
}
check "explain shows whether a packet's connection is tracked" explained
kept() {
	client insert before 2 mirror switch udp dst port 9 to vf1 && client insert before 2 count switch udp dst port 10 &&
		from0 1101 5051 PA 60000 "" 10 && at1 && client del "mirror switch udp dst port 9 to vf1" &&
		client del "count switch udp dst port 10" && from1 5051 1111 A && at0 && tracked "1 1 0 1"
}
check "connections stay when rules change, in place and in new tables" kept
six() {
	version=6
	client_port=4006
	handshake && data && tracked "2 2 0 1"
	ret=$?
	version=4
	client_port=4000
	return $ret
}
check "a connection over IPv6" six
full() {
	rules "max 2" && client_port=4002 && from0 1000 0 S && at1 && from1 5000 1001 SA && tracked "2 2 1 1" &&
		grep -q "2 connections are tracked, the rule's max: others do not begin until one ends" "$work/daemon.err"
	ret=$?
	client_port=4000
	return $ret
}
check "no more than max are tracked" full
reset() { from0 1111 5051 R 0 && at1 && from1 5051 1111 PA 60000 "" 10 && at0; }
check "a RST passes" reset
# Its ports are free at once for another connection, whose numbers have nothing to do with the last one's.
again() { from0 700000 0 S && at1 && from1 90 700001 SA && at0 && from0 700001 91 A && at1 && tracked "2 3 1 1"; }
check "another connection of the same ports" again
fins() {
	from0 700001 91 FA && at1 && from1 91 700002 A && at0 && from1 91 700002 FA && at0 && from0 700002 92 A && at1
}
check "FINs of both sides pass" fins
# Polls: connections go some time after their last packet.
gone() {
	rules "expire 1s" || return 1
	for _ in $(seq 1000); do
		tracked "0 3 1 1" >"$work/gone" && return
	done
	cat "$work/gone"
	return 1
}
check "ended and idle connections are tracked no longer" gone
after() { from0 700002 92 A && dropped "5 0"; }
check "their packets are dropped" after

needed() {
	fails 1 "no rule tracks connections: write .track switch tcp. before this one" client del "track switch tcp expire 1s" &&
		fails 1 "another rule tracks" client add track switch tcp
}
check "the rule that tracks is needed, and only one" needed
ended() {
	echo "drop switch udp" | client apply --quiet - && [ "$(stat_of .connections)" = null ] &&
		fails 1 "no rule tracks connections" client add drop switch tcp ct invalid && rules && tracked "0 0 0 0"
}
check "without rules nothing is tracked, and later again" ended
# The first connection of a vport makes a table for it. The fault stands for a device without room.
no_room() {
	echo 'command CREATE_FLOW_TABLE 1 status NO_RES' >"$work/no_room" && "$dvx_sim" fault "$chip" "$work/no_room" &&
		from0 1000 0 S && at1 && from1 5000 1001 SA && tracked "0 0 1 0"
}
check "a connection that the device has no room for" no_room
"$dvx_sim" fault "$chip" off
has_room() { handshake && tracked "1 1 1 0" && client flush --quiet; }
check "the next one of the same vports begins" has_room
exec 4>&- 6>&-
[ -z "$lost" ] || kill "$peer0" "$peer1"
wait "$peer0" "$peer1"
check "the daemon ends" stop

lacks() {
	echo "track switch tcp" >"$work/bad"
	fails 4 "bad:1:1: .*mlx5_0 has no connections: .*ConnectX-5" "$dvx_sim" run --set chip=cx5,switchdev=1 -- \
		"$flow" check --device mlx5_0 "$work/bad"
}
check "a ConnectX-5 tracks none" lacks
plan
