#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that perftest's raw packets, as Debian ships it, go from one process to another by
# ibv_create_flow: by MAC, by IP and UDP ports, with a VLAN tag, by a rule that takes all.
. "$(dirname "$0")/pair.sh"

a=02:11:11:11:11:01
b=02:11:11:11:11:02
udp='-J 10.0.0.1 -j 10.0.0.2 -K 7000 -k 7001'

# The receiver, until it says that it listens; its other lines go on into its file.
serve()
{
	mkfifo "$dir/lines"
	timeout "$bound" "$sim" exec "$chip" -- stdbuf -oL raw_ethernet_bw $any_clock -d mlx5_0 --server \
		-E $b -B $a "$@" >"$dir/lines" 2>&1 &
	server=$!
	: >"$dir/server"
	: >"$dir/client"
	exec 3<"$dir/lines"
	rm "$dir/lines"
	while read -r line <&3; do
		echo "$line" >>"$dir/server"
		case $line in
		*'#bytes'*)
			cat <&3 >>"$dir/server" &
			exec 3<&-
			return 0
			;;
		esac
	done
	exec 3<&-
	return 1
}

send()
{
	timeout "$bound" "$sim" exec "$chip" -- raw_ethernet_bw $any_clock -d mlx5_0 --client -E $a -B $b \
		"$@" >"$dir/client" 2>&1
}

# The two ends don't talk to each other, and raw packets may be lost before receives are posted: the
# sender sends more than the receiver waits for, and fewer than it has receives.
one_way()
{
	name="raw_ethernet_bw $*"
	serve -n 100 "$@" && send -n 400 "$@"
	bad=$?
	[ "$bad" = 0 ] || kill "$server" 2>/dev/null
	wait "$server" || bad=1
	result "$bad" "$name"
}

if ! command -v raw_ethernet_bw >/dev/null; then
	echo "1..0 # SKIP perftest is not installed"
	exit 0
fi
# Raw packets have no credits: what a receiver is too slow for is dropped and counted, as on hardware.
overrun()
{
	name="a receiver that stands still: what overruns its queue is counted"
	serve -n 2000 -s 64
	stopped=$(pgrep -P "$server")
	kill -STOP "$stopped"
	send -n 2000 -s 64
	"$sim" ls >>"$dir/client"
	"$sim" ls --json | jq -e ".[] | select(.name == \"$chip\") | .functions[0].raw_packets |
		.sent == 2000 and .received <= 512 and .received + .out_of_buffer == 2000" >>"$dir/client"
	bad=$?
	kill -KILL "$stopped"
	wait "$server" 2>/dev/null
	result "$bad" "$name"
}

plan 5
overrun
one_way -s 1024
one_way -s 1024 $udp
one_way -s 512 --vlan_en
one_way -s 256 --promiscuous
exit "$failed"
