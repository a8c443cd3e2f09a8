#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that chips whose wires are network interfaces (TAP) on a bridge of the kernel are machines on one Ethernet: each
# finds the others by ARP and neighbour discovery, also the kernel finds them; programs of others run between them;
# tshark and scapy, which listen on the bridge, take all packets for what they are, with good ICRCs.
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${DVX_NETNS-}" ]; then
	skip() { echo "1..0 # SKIP $1"; exit 0; }
	[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
	unshare -Urn ip link add br0 type bridge 2>/dev/null || skip "no network namespace with a bridge"
	DVX_NETNS=1 exec unshare -Urn sh "$0"
fi
. "$here/pair.sh"
other=$chip-b

clean_tap()
{
	timeout 60 "$sim" down "$other" >/dev/null 2>&1
	clean
}
trap clean_tap EXIT

# The bridge has one interface of its own making, and one that the administrator made.
network()
{
	ip link set lo up && ip link add br0 type bridge mcast_snooping 0 && ip link set br0 up mtu 4200 &&
		ip address add 10.8.0.9/24 dev br0 && ip address add fd08::9/64 dev br0 nodad &&
		ip tuntap add dev t1 mode tap && ip link set t1 mtu 4200 up master br0
}

echo 1..25
: >"$dir/client"
network >"$dir/server" 2>&1 &&
	"$sim" up "$chip" --wire tap=t0 --ip 10.8.0.1/24 --ip dpu=fd08::1/64 >"$dir/server" 2>&1 &&
	"$sim" up "$other" --wire tap=t1 --ip 10.8.0.2/24 --ip dpu=fd08::2/64 >"$dir/server" 2>&1 &&
	ip link set t0 master br0 || { echo "Bail out! $(cat "$dir/server")"; exit 1; }
refused 't2: a network interface needs CAP_NET_ADMIN' \
	setpriv --bounding-set=-net_admin --inh-caps=-net_admin "$sim" up refused --wire tap=t2
result $? "without privilege it is told what is needed"
for bad in "t0:Device or resource busy" "lo:Invalid argument" "interface-too-long:at most 15 bytes"; do
	refused "${bad#*:}" "$sim" up refused --wire "tap=${bad%%:*}"
	result $? "tap=${bad%%:*} is refused"
done

dump=
if command -v tshark >/dev/null; then
	tshark -i br0 -F pcap -w "$dir/wire.pcap" >"$dir/tshark" 2>&1 &
	dump=$!
	until grep -q "Capture started\|Capturing on" "$dir/tshark"; do kill -0 $dump 2>/dev/null || break; sleep 0.02; done
fi
pair host ibv_rc_pingpong -g 3 -e -c -n 10
pair host ibv_rc_pingpong -g 1 -e -c -n 3 -s 100000
pair host ibv_uc_pingpong -g 3 -e -n 10
pair host ibv_ud_pingpong -g 3 -e -n 10
pair host ib_read_bw -x 3 -e -n 5 -s 20000
pair host ib_atomic_bw -x 3 -e -n 5
cm host "rping -s -C 3 -V" "rping -c -C 3 -V -a 10.8.0.1"
cm host "udaddy -C 5" "udaddy -C 5 -s 10.8.0.1"
state=ADDR_RESOLVED
cm host "mckey -m 239.1.2.3 -C 5 -b 10.8.0.1" "mckey -m 239.1.2.3 -s -C 5 -b 10.8.0.2"
state=LISTEN
six() { timeout 60 "$sim" exec "$other" -f dpu -- "$@" >"$dir/client" 2>&1; }
timeout 60 "$sim" exec "$chip" -f dpu -- rping -s -C 3 -V -a fd08::1 >"$dir/server" 2>&1 &
listens $! && six rping -c -C 3 -V -a fd08::1 && wait $!
result $? "IPv6: rping between two addresses"

# The kernel on the bridge is a neighbour, too.
perl -MIO::Socket::IP -e 'IO::Socket::IP->new(PeerAddr => $_, PeerPort => 9, LocalPort => 9, Proto => "udp")->send("x") for @ARGV' \
	10.8.0.2 fd08::2
mac() { ip neigh get "$1" dev br0 2>/dev/null | grep -q '02:d7:'; }
for address in 10.8.0.2 fd08::2; do
	until mac "$address" || ip neigh get "$address" dev br0 2>&1 | grep -q FAILED; do :; done
	mac "$address"
	result $? "the kernel finds $address"
done
if [ -n "$dump" ]; then
	# All of it is in the file when a later packet is: tshark loses what it has not read when it ends.
	until grep -q "the last one" "$dir/wire.pcap"; do
		kill -0 $dump 2>/dev/null || break
		perl -MIO::Socket::IP -e 'IO::Socket::IP->new(PeerAddr => "10.8.0.2", PeerPort => 9, LocalPort => 9, Proto => "udp")->send("the last one")'
	done
	kill -INT $dump
	wait $dump
	icrc=$(/usr/bin/python3 "$here/icrc.py" "$dir/wire.pcap" 2>"$dir/server")
	good=$?
	tshark -r "$dir/wire.pcap" -o udp.ignore_ipv6_zero_checksum:TRUE -Y '_ws.malformed || _ws.expert.severity >= 0x600000' >"$dir/server" 2>/dev/null
	[ $good = 0 ] && [ -n "$icrc" ] && [ ! -s "$dir/server" ]
	result $? "seen from the bridge, without a complaint: $icrc"
	tshark -r "$dir/wire.pcap" -Y 'eth.src[0:2] == 02:d7 && (arp || (icmpv6 && icmpv6.checksum.status == 1))' \
		-T fields -e arp.opcode -e icmpv6.type 2>/dev/null | sort -u | tr -cd 0-9 >"$dir/client"
	[ "$(cat "$dir/client")" = 13513612 ] || [ "$(cat "$dir/client")" = 12135136 ]
	result $? "... questions and answers for addresses are there"
else
	for t in "seen from the bridge" "... questions and answers"; do n=$((n + 1)); echo "ok $n - $t # SKIP tshark is not installed"; done
fi
if [ -n "$dump" ] && /usr/bin/python3 -c 'import scapy.contrib.roce' 2>/dev/null; then
	scapy=$(/usr/bin/python3 "$here/scapy_roce.py" "$dir/wire.pcap" 2>"$dir/server")
	result $? "scapy takes them apart and makes the same ICRCs: $scapy"
else
	n=$((n + 1))
	echo "ok $n - scapy takes them apart # SKIP python3-scapy or tshark is not installed"
fi

timeout 60 "$sim" exec "$chip" -- rping -c -C 1 -a 10.8.0.77 >"$dir/client" 2>&1
grep -q 'ADDR_ERROR, error -110' "$dir/client"
result $? "an address of nobody"
timeout 60 "$sim" exec "$chip" -- rping -c -C 1 -a 10.9.0.1 >"$dir/client" 2>&1
grep -q 'ADDR_ERROR, error -19' "$dir/client"
result $? "no route"
"$sim" link "$other" --json >"$dir/server"
jq -e '(.sent > 100) and (.received > 100) and .bad == 0 and .lost == 0' "$dir/server" >/dev/null
result $? "dvx-sim link counts the packets"
# A request that waits for a machine that is not there fails with the device.
timeout 60 "$sim" exec "$other" -- "$top_builddir/tests/lab/why_hangs" fatal_waits </dev/null >"$dir/client" 2>&1 &
waits=$!
shows_up "$dir/client" open $waits
echo 'device fatal after 1us' >"$dir/fatal"
"$sim" fault "$other" "$dir/fatal" >"$dir/server" 2>&1 && wait $waits
result $? "a request that waits for an address fails with the device"

# With network interfaces: the kernel behind each function is on that Ethernet, too.
timeout 60 "$sim" down "$chip" >/dev/null
timeout 60 "$sim" down "$other" >/dev/null
"$sim" up n0 --netdev --wire tap=t0 >"$dir/server" 2>&1 && "$sim" up n1 --netdev --wire tap=t1 >>"$dir/server" 2>&1 &&
	ip link set t0 master br0 && ip address add 10.7.0.1/24 dev n0-host
mkfifo "$dir/hold"
unshare -n sh -c 'read -r end' <>"$dir/hold" &
there=$!
until [ "$(readlink "/proc/$there/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do kill -0 $there || break; done
ip link set n1-host netns $there && nsenter -t $there -n ip address add 10.7.0.2/24 dev n1-host &&
	nsenter -t $there -n ip link set n1-host up && perl -MNet::Ping -e 'exit !Net::Ping->new("icmp", 60)->ping("10.7.0.2")'
result $? "--netdev: two kernels ping each other over two chips"
timeout 60 "$sim" exec n1 -- rping -s -C 2 -a 10.7.0.2 >"$dir/server" 2>&1 &
server=$!
listens $server && timeout 60 "$sim" exec n0 -- rping -c -C 2 -V -a 10.7.0.2 >"$dir/client" 2>&1 && wait $server
result $? "--netdev: RDMA_CM connects them"
kill $there
timeout 60 "$sim" down n0 >/dev/null
timeout 60 "$sim" down n1 >/dev/null
exit "$failed"
