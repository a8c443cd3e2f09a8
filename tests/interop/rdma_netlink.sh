#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that iproute2's rdma sees the device by netlink as libibverbs and sysfs show it: name, GUIDs, firmware, states, counters, a program's objects;
# and that bad requests are refused.
for program in rdma jq ibv_devinfo rping; do
	command -v $program >/dev/null || { echo "1..0 # SKIP $program is not installed"; exit 0; }
done
. "$(dirname "$0")/pair.sh"

class=/sys/class/infiniband/mlx5_0
at() { timeout "$bound" "$sim" exec "$chip" --function "$function" -- "$@"; }
check() {
	title="$function: $1"
	shift
	"$@" >"$dir/server" 2>"$dir/client"
	result $? "$title"
}
same() { # WHAT EXPECTED GOT
	echo "$1: $2, by netlink $3"
	[ -n "$2" ] && [ "$2" = "$3" ]
}
field() { echo "$json" | jq -r ".[0].$1"; }
info() { at ibv_devinfo | sed -n "s/^[[:space:]]*$1:[[:space:]]*//p"; }

device() {
	json=$(at rdma -j dev) && [ "$(echo "$json" | jq length)" = 1 ] || return
	same name mlx5_0 "$(field ifname)" && same type ca "$(field node_type)" &&
		same node_guid "$(at cat $class/node_guid)" "$(field node_guid)" &&
		same node_guid "$(info node_guid)" "$(field node_guid)" &&
		same sys_image_guid "$(info sys_image_guid)" "$(field sys_image_guid)" &&
		same fw "$(info fw_ver)" "$(field fw)"
}
links() {
	json=$(at rdma -j link show mlx5_0/1) && [ "$(echo "$json" | jq length)" = 1 ] || return
	same state "$(at cat $class/ports/1/state)" "4: $(field state)" &&
		same state "PORT_$(field state) (4)" "$(info state)" &&
		same physical_state "$(at cat $class/ports/1/phys_state)" "5: $(field physical_state | sed 's/LINK_UP/LinkUp/')" &&
		same netdev null "$(field netdev)"
}
system() {
	same system 'netns shared copy-on-fork on' "$(at rdma system | sed 's/ *$//')"
}
counters() {
	json=$(at rdma -j statistic)
	at sh -c "cd $class/ports/1/hw_counters && grep -H . *" | grep -v ^lifespan | tr : ' ' | sort >"$dir/sysfs"
	echo "$json" | jq -r '.[0] | del(.ifname, .port) | to_entries[] | "\(.key) \(.value)"' | sort >"$dir/netlink"
	[ -s "$dir/sysfs" ] && diff "$dir/sysfs" "$dir/netlink"
}
# The objects of a program that waits for its peer: 5 QPs on one SRQ, one of each other kind, all with its pid.
has() { # PD CQ QP MR CTX SRQ
	counts=$(at rdma -j res | jq -c '.[0] | [.pd, .cq, .qp, .mr, .ctx, .srq]')
	echo "objects: $counts"
	[ "$counts" = "$1" ]
}
listed() { # KIND COUNT
	json=$(at rdma -j res show "$1")
	echo "$json"
	[ "$(echo "$json" | jq length)" = "$2" ] && echo "$json" | jq -e 'all(.[]; .comm == "ibv_srq_pingpon")' >/dev/null
}
# The one SRQ's QPs are a range of 5. With -j, rdma 6.1 writes that range once more as the program's name.
served() {
	srq=$(at rdma res show srq)
	echo "$srq"
	first=$(at rdma -j res show qp | jq '[.[].lqpn] | min')
	echo "$srq" | grep -q "type BASIC lqpn $first-$((first + 4)) "
}
objects() {
	has '[0,0,0,0,0,0]' || return
	free_port
	timeout --foreground "$bound" "$sim" exec "$chip" --function "$function" -- ibv_srq_pingpong -g 1 -q 5 -p "$port" >"$dir/pair" 2>&1 &
	program=$!
	wait_port "$port" $program && has '[1,1,5,1,1,1]' && listed qp 5 && listed cq 1 && listed mr 1 && listed pd 1 &&
		listed ctx 1 && served
	seen=$?
	json=$(at rdma -j res show qp)
	kill $program
	wait $program
	same states INIT "$(echo "$json" | jq -r 'map(.state) | unique | join(" ")')" || return
	has '[0,0,0,0,0,0]' && return $seen
}
# RDMA_CM's ids: one listens; then both ends of a connection have the other's address, and a QP.
ids() { at rdma -j res show cm_id; }
cm_ids() {
	timeout --foreground "$bound" "$sim" exec "$chip" --function "$function" -- rping -s >"$dir/pair" 2>&1 &
	program=$!
	until ids | jq -e 'length == 1 and .[0].state == "LISTEN" and .[0].ps == "TCP" and .[0].comm == "rping"' >/dev/null; do
		kill -0 $program 2>/dev/null || return
	done
	timeout --foreground "$bound" "$sim" exec "$chip" --function "$function" -- rping -c -a 127.0.0.1 >"$dir/pair2" 2>&1 &
	client=$!
	until json=$(ids | jq -c '[.[] | select(.state == "CONNECT" and .lqpn)]') && [ "$(echo "$json" | jq length)" = 2 ]; do
		kill -0 $client 2>/dev/null || return
	done
	echo "$json"
	at rdma -j res | jq -e '.[0].cm_id == 3' >/dev/null &&
		echo "$json" | jq -e '.[0]["qp-type"] == "RC" and .[0]["src-addr"] == .[1]["dst-addr"] and
			.[1]["src-addr"] == .[0]["dst-addr"] and any(.[]; .["dst-addr"] == "127.0.0.1:7174")' >/dev/null
	seen=$?
	kill $client
	wait $program $client
	return $seen
}
refused() { ! at rdma dev set mlx5_0 name mlx5_9 && at rdma dev | grep -q mlx5_0; }

plan 15
for function in host dpu; do
	check "rdma dev" device
	check "rdma link" links
	check "rdma system" system
	check "rdma statistic" counters
	check "rdma res" objects
	check "rdma res show cm_id" cm_ids
	check "the device can't be renamed" refused
done
function=dpu
pair dpu ib_write_bw -d mlx5_0 -x 1 -n 500 -s 64 >"$dir/pair"
n=$((n - 1))
function=dpu
check "counters of a port that was used" counters
exit "$failed"
