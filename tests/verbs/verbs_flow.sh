#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that rules of plain verbs and of mlx5dv in the root tables steer real traffic as tcpdump's
# filters say, to the packet and byte; that they go with their program, however it ends; and that
# another program's rules stay.
. "$top_srcdir/tests/tap.sh"
program=$top_builddir/tests/verbs/verbs_flow
traffic=$top_srcdir/examples/traffic/traffic.pcap
chips=rules

command -v tcpdump >/dev/null || skip_all "tcpdump is not installed"

tagged_too() { printf '((%s) or (vlan and (%s)))' "$1" "$1"; }
dns=$(tagged_too 'ip and udp dst port 53')
tcp=$(tagged_too 'ip proto 6')
only() { tcpdump -n -r "$traffic" -w "$scratch/only.pcap" "$1" 2>/dev/null; }
packets() { tcpdump -n -r "$scratch/only.pcap" 2>/dev/null | wc -l; }
# A record's header has 16 bytes, the file's has 24.
bytes() { echo $(($(stat -c %s "$scratch/only.pcap") - 24 - 16 * $(packets))); }

begin() {
	rm -f "$scratch/$1.in" "$scratch/$1.said"
	mkfifo "$scratch/$1.in" "$scratch/$1.said"
	"$dvx_sim" exec rules -- "$program" <"$scratch/$1.in" >"$scratch/$1.said" &
	eval "$1=$!"
}
replay() { "$dvx_sim" replay --json rules "$traffic" >"$scratch/replay"; }
fate() { jq ".$1" "$scratch/replay"; }
same() {
	echo "$1, not $2"
	[ "$1" = "$2" ]
}
said() { awk -v what="$1" -v n="$2" '$1 == what { print $n }' "$scratch/result"; }

check "up" "$dvx_sim" up rules
begin one
exec 8>"$scratch/one.in" 3<"$scratch/one.said"
read -r word <&3
check "three rules" same "$word" ready
check "replay" replay
exec 8>&-
cat <&3 >"$scratch/result"
check "the program ends well" wait "$one"
only "$dns"
check "DNS to the queue, tagged" same "$(said dns 2)" "$(packets)"
check "its counter's packets" same "$(said dns 3)" "$(packets)"
check "its counter's bytes" same "$(said dns 4)" "$(bytes)"
only "$tcp"
check "TCP dropped" same "$(fate dropped)" "$(packets)"
check "its counter's packets" same "$(said tcp 2)" "$(packets)"
check "its counter's bytes" same "$(said tcp 3)" "$(bytes)"
either='ip and udp dst port 53 or ip proto 6'
only "not $(tagged_too "$either")"
check "the remaining packets reach the queue untagged" same "$(said rest 2)" "$(packets)"
check "nothing missed" same "$(fate missed)" 0
check "without the program there is no listener" replay
only ""
check "without a receiver" same "$(($(fate unclaimed) + $(fate missed)))" "$(packets)"

begin two
exec 8>"$scratch/two.in" 3<"$scratch/two.said"
read -r word <&3
begin three
exec 9>"$scratch/three.in" 4<"$scratch/three.said"
read -r word <&4
kill -KILL "$two"
wait "$two" 2>/dev/null
exec 8>&- 3<&-
check "replay for the one that lives" replay
exec 9>&-
cat <&4 >"$scratch/result"
check "it ends well" wait "$three"
only "$dns"
check "it got its own, once" same "$(said dns 2)" "$(packets)"
check "no object is left" sh -c "'$dvx_sim' ls --json | jq -e '.[0] | .clients == [] and .objects == []'"
check "down" "$dvx_sim" down rules
plan
