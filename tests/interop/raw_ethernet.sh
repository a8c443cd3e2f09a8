#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that perftest's raw packets, as Debian ships it, go from one process to another by
# ibv_create_flow: by MAC, by IP and UDP ports, with a VLAN tag, by a rule that takes all.
. "$(dirname "$0")/pair.sh"

a=02:11:11:11:11:01
b=02:11:11:11:11:02
udp='-J 10.0.0.1 -j 10.0.0.2 -K 7000 -k 7001'

# The two ends don't talk to each other, and raw packets may be lost before receives are posted: the
# sender sends more than the receiver waits for, and fewer than it has receives.
one_way()
{
	name="raw_ethernet_bw $*"
	: >"$dir/server"
	timeout "$bound" "$sim" exec "$chip" -- stdbuf -oL raw_ethernet_bw -d mlx5_0 --server \
		-n 100 -E $b -B $a "$@" >"$dir/server" 2>&1 &
	server=$!
	: >"$dir/client"
	bad=1
	i=0
	while [ "$i" -lt 400 ] && kill -0 "$server" 2>/dev/null; do
		grep -q '#bytes' "$dir/server" && bad=0 && break
		i=$((i + 1))
		sleep 0.05 # a poll, bounded by the loop
	done
	if [ "$bad" = 0 ]; then
		timeout "$bound" "$sim" exec "$chip" -- raw_ethernet_bw -d mlx5_0 --client -n 400 \
			-E $a -B $b "$@" >"$dir/client" 2>&1
		bad=$?
	fi
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
	: >"$dir/server"
	timeout "$bound" "$sim" exec "$chip" -- stdbuf -oL raw_ethernet_bw -d mlx5_0 --server \
		-n 2000 -E $b -B $a -s 64 >"$dir/server" 2>&1 &
	server=$!
	: >"$dir/client"
	i=0
	while [ "$i" -lt 400 ] && ! grep -q '#bytes' "$dir/server"; do
		i=$((i + 1))
		sleep 0.05 # a poll, bounded by the loop
	done
	stopped=$(pgrep -P "$server")
	kill -STOP "$stopped"
	timeout "$bound" "$sim" exec "$chip" -- raw_ethernet_bw -d mlx5_0 --client -n 2000 \
		-E $a -B $b -s 64 >"$dir/client" 2>&1
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
