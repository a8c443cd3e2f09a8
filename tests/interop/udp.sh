#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that chips whose wire is the machine's network exchange RoCEv2 by UDP: programs of others run between two
# addresses, also with faults; tshark, which listens outside of dvx-sim, takes the packets for RoCE without a complaint,
# with good ICRCs; and wrong addresses are refused with a sentence.
. "$(dirname "$0")/pair.sh"
here=$(dirname "$0")
other=$chip-b
net=127.$((2 + $$ / 250 % 250)).$(($$ % 250))

clean_udp()
{
	timeout 60 "$sim" down "$other" >/dev/null 2>&1
	clean
}
trap clean_udp EXIT

# A network of its own has addresses of IPv6 that no other test uses.
if [ "${1-}" = six ]; then
	ip link set lo up && ip address add fd00::1/64 dev lo nodad && ip address add fd00::2/64 dev lo nodad || exit
	"$sim" up "$chip" --wire udp=fd00::1 && "$sim" up "$other" --wire udp=fd00::2 || exit
	pair host ibv_rc_pingpong -g 3 -e -c -n 50
	pair host ibv_ud_pingpong -g 3 -e -n 50
	cm host "rping -s -C 3 -V -a ::" "rping -c -C 3 -V -a fd00::1"
	exit "$failed"
fi

# Two pods: namespaces of the network that a pair of interfaces joins, each with a folder of chips of its own.
if [ "${1-}" = pods ]; then
	mkdir "$dir/pod" || exit
	mkfifo "$dir/life"
	unshare -n cat "$dir/life" &
	pod=$!
	exec 8>"$dir/life" # cat opens it in its namespace
	in_pod() { XDG_RUNTIME_DIR=$dir/pod nsenter -t $pod -n "$@"; }
	ip link add name va type veth peer name vb netns $pod && ip address add 10.77.0.1/24 dev va && ip link set va up &&
		in_pod ip address add 10.77.0.2/24 dev vb && in_pod ip link set vb up || exit
	"$sim" up "$chip" --wire udp=10.77.0.1 && in_pod "$sim" up "$chip" --wire udp=10.77.0.2 || exit
	timeout "$bound" "$sim" exec "$chip" -- ibv_rc_pingpong -g 3 -c -n 50 >"$dir/server" 2>&1 &
	server=$!
	wait_port 18515 $server && in_pod timeout "$bound" "$sim" exec "$chip" -- ibv_rc_pingpong -g 3 -c -n 50 10.77.0.1
	bad=$?
	wait $server
	served=$?
	in_pod "$sim" down "$chip"
	kill $pod
	[ "$bad$served" = 00 ]
	exit
fi

echo 1..23
: >"$dir/client"
for c in "$chip $net.1 dpu=$net.3/24" "$other $net.2"; do
	set -- $c
	timeout 60 "$sim" up "$1" --wire "udp=$2" ${3:+--ip "$3"} >"$dir/server" 2>&1 || { echo "Bail out! $(cat "$dir/server")"; exit 1; }
done
for bad in "0.0.0.0:one address of the machine" "224.0.0.1:one address" "host:no IPv4 or IPv6 address" \
	"$net.1:Address already in use" "192.0.2.1:Cannot assign requested address"; do
	refused "${bad#*:}" "$sim" up refused --wire "udp=${bad%%:*}"
	result $? "udp=${bad%%:*} is refused"
done
dump=
if [ "$(id -u)" = 0 ] && command -v tshark >/dev/null; then
	tshark -i lo -f "udp port 4791 and net $net.0/24" -F pcap -w "$dir/wire.pcap" >"$dir/tshark" 2>&1 &
	dump=$!
	until grep -q "Capture started\|Capturing on" "$dir/tshark"; do kill -0 $dump 2>/dev/null || break; sleep 0.02; done
fi
pair host ibv_rc_pingpong -g 3 -e -c -n 50
pair host ibv_rc_pingpong -g 3 -e -c -n 20 -s 100000
pair host ibv_ud_pingpong -g 3 -e -n 50
pair host ib_read_bw -x 3 -e -n 20 -s 20000
pair host ib_atomic_bw -x 3 -e -n 20
cm host "rping -s -C 3 -V" "rping -c -C 3 -V -a $net.1"
cm host "udaddy -C 5" "udaddy -C 5 -s $net.1"
if [ -n "$dump" ]; then
	kill -INT $dump
	wait $dump
	icrc=$(/usr/bin/python3 "$here/icrc.py" "$dir/wire.pcap" 2>"$dir/server")
	good=$?
	tshark -r "$dir/wire.pcap" -Y '_ws.malformed || _ws.expert.severity >= 0x600000' >"$dir/server" 2>/dev/null
	[ $good = 0 ] && [ -n "$icrc" ] && [ ! -s "$dir/server" ]
	result $? "seen from outside, without a complaint: $icrc"
else
	n=$((n + 1))
	echo "ok $n - seen from outside # SKIP only root may listen"
fi
cm dpu "rping -s -C 3 -V -a $net.3" "rping -c -C 3 -V -a $net.3"
state=ADDR_RESOLVED
cm host "mckey -m 239.1.2.3 -C 5 -b $net.1" "mckey -m 239.1.2.3 -s -C 5 -b $net.2"
state=LISTEN
timeout 60 "$sim" exec "$other" -f dpu -- rping -c -C 1 -a "$net.1" >"$dir/client" 2>&1
grep -q 'wire udp takes RoCE v2 from an address of the machine alone' "$dir/client"
result $? "a function without an address of the machine is told so"
guid() { timeout 60 "$sim" exec "$1" -- cat /sys/class/infiniband/mlx5_0/node_guid; }
[ "$(guid "$chip")" != "$(guid "$other")" ]
result $? "two chips have two GUIDs, by which RDMA_CM tells them apart"
# flood N LENGTH: nonsense for the first chip
flood() { /usr/bin/python3 -c 'import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, 10, 2)
for _ in range(int(sys.argv[2])): s.sendto(bytes(int(sys.argv[3])), (sys.argv[1], 4791))' "$net.1" "$@"; }
drops() { timeout 60 "$sim" ls --json | jq "[.[] | select(.name == \"$chip\").drops[] | select(.cause == \"$1\").count] | add // 0"; }
until_drops() { # CAUSE N: what was sent comes in when the machine has the time
	end=$(($(date +%s) + 60))
	until [ "$(drops "$1")" -ge "$2" ]; do [ "$(date +%s)" -lt $end ] || return; done
}
flood 2 3 && flood 5 40 && until_drops wire_bad 2 && until_drops icrc 5
result $? "nonsense from anybody is dropped and counted"
pid=$(timeout 60 "$sim" ls --json | jq ".[] | select(.name == \"$chip\").pid")
kill -STOP "$pid" && flood 20000 1000
kill -CONT "$pid"
until_drops wire_missed 1
result $? "... and so is what comes faster than the chip reads"
timeout 60 "$sim" fault "$chip" drop=1%,dup=1%,reorder=1%,corrupt=1% >/dev/null
lossy=1
pair host ibv_rc_pingpong -g 3 -e -c -n 100 -s 9000
timeout 60 "$sim" link "$other" --json >"$dir/server"
jq -e '.sent > 100 and .received > 100' "$dir/server" >"$dir/client"
result $? "dvx-sim link counts the packets"
six="IPv6: RC, UD and rping between two addresses"
if unshare -Urn true 2>/dev/null; then
	unshare -Urn sh "$0" six >"$dir/server" 2>&1
	result $? "$six"
else
	n=$((n + 1))
	echo "ok $n - $six # SKIP no namespace of the user's own"
fi
pods="RC between two pods, each with a chip of one name and a network of its own"
if unshare -Urn sh -c 'unshare -n true && ip link add name va type veth peer name vb' 2>"$dir/client"; then
	unshare -Urn sh "$0" pods >"$dir/server" 2>&1
	result $? "$pods"
else
	n=$((n + 1))
	echo "ok $n - $pods # SKIP $(tail -n 1 "$dir/client")"
fi
exit "$failed"
