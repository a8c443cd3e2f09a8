#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a network interface of a function is one for the kernel (addresses, ping between two functions in two
# namespaces, tcpdump, tables on the way) and the port's for RDMA: GIDs, events, state, MTU, sysfs, RDMA_CM.
. "$top_srcdir/tests/tap.sh"

# A network namespace of its own; a user namespace, too, for those who are not root.
if [ -z "$DVX_NETNS" ]; then
	[ -c /dev/net/tun ] || skip_all "there is no /dev/net/tun"
	as=
	[ "$(id -u)" = 0 ] || as=-r
	unshare -n $as true 2>"$scratch/err" || skip_all "no network namespace: $(cat "$scratch/err")"
	command -v ip >/dev/null || skip_all "iproute2 is not installed"
	finish
	DVX_NETNS=1 exec unshare -n $as sh "$0"
fi

chips=n
ip link set lo up
check "without privilege it is told what is needed" says 3 'n-host: a network interface needs CAP_NET_ADMIN' \
	setpriv --bounding-set=-net_admin --inh-caps=-net_admin "$dvx_sim" up n --netdev
check "a chip with network interfaces" "$dvx_sim" up n --netdev
check "a long name is refused" says 3 'has at most 15 bytes' "$dvx_sim" up "chip$$-of-the-test" --netdev
check "they have the functions' addresses" says 0 'link/ether 02:d7:00:00:00:01' ip link show n-host
check "... and room for packets of the port's MTU" says 0 'mtu 4200' ip link show n-dpu

on() { f=$1; shift; "$dvx_sim" exec n -f "$f" -- "$@"; }
mkfifo "$scratch/watch"
on host stdbuf -oL ibv_asyncwatch >"$scratch/watch" 2>&1 &
watch=$!
exec 5<"$scratch/watch"
read -r line <&5
next_event() { read -r line <&5 && echo "$line" && case $line in *"$1"*) ;; *) false ;; esac; }
check "an address" ip addr add 10.9.0.1/24 dev n-host
check "... is an event, for RoCE v1" next_event GID_CHANGE
check "... and for v2" next_event GID_CHANGE
check "... a GID" says 0 '::ffff:10.9.0.1, RoCE v2' on host ibv_devinfo -v
check "... in sysfs, too" says 0 'n-host' on host cat /sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/3
check "sysfs has the interface" says 0 '02:d7:00:00:00:01' on host cat /sys/class/infiniband/mlx5_0/device/net/n-host/address
# /sys shows the interfaces of the namespace in which it was mounted.
own_sys() { unshare -m sh -c 'mount -t sysfs sysfs /sys && exec "$@"' sh "$@"; }
if own_sys true 2>"$scratch/err"; then
	check "the interface's own folder has the PCI function" says 0 '^/sys/devices/pci0000:03/0000:03:00.0$' \
		own_sys "$dvx_sim" exec n -- readlink -f /sys/class/net/n-host/device
	check "... by which its attributes are found" says 0 0x15b3 \
		own_sys "$dvx_sim" exec n -- cat /sys/class/net/n-host/device/vendor
	check "... other interfaces have none" says 1 'No such file' \
		own_sys "$dvx_sim" exec n -- cat /sys/class/net/lo/device/vendor
else
	for what in "the interface's own folder has the PCI function" "... by which its attributes are found" "... other interfaces have none"; do
		skip "$what" "no /sys of its own: $(cat "$scratch/err")"
	done
fi
command -v rdma >/dev/null && check "... and so has RDMA netlink" says 0 'netdev n-host' on host rdma link
check "... its MTU" says 0 4200 on host cat /sys/class/infiniband/mlx5_0/device/net/n-host/mtu

# The other function is another machine.
mkfifo "$scratch/hold"
exec 6<>"$scratch/hold"
background "$scratch/err" unshare -n sh -c 'exec <"$0" 6>&-; echo there; read -r end' "$scratch/hold"
there=$child
inside() { nsenter -t "$there" -n "$@"; }
check "the DPU's moves to another namespace" ip link set n-dpu netns "$there"
command -v rdma >/dev/null && check "... and is no longer in this one" says 1 '' on dpu sh -c 'rdma link | grep netdev'
check "... gets an address there" inside ip addr add 10.9.0.2/24 dev n-dpu
check "... and is up" inside ip link set n-dpu up
check "... which is a GID" says 0 '::ffff:10.9.0.2, RoCE v2' on dpu ibv_devinfo -v
ping() { perl -MNet::Ping -e '$p = Net::Ping->new("icmp", $ARGV[1]); exit !$p->ping($ARGV[0])' "$@"; }
if command -v tcpdump >/dev/null; then
	tcpdump -l -n -c 2 -i n-host icmp >"$scratch/dump" 2>"$scratch/dump.err" &
	dump=$!
	shows_up "$scratch/dump.err" listening "$dump"
fi
check "the kernels ping each other through the chip" ping 10.9.0.2 60
command -v tcpdump >/dev/null && wait "$dump"
command -v tcpdump >/dev/null && check "... and tcpdump sees both packets" grep -q 'echo reply' "$scratch/dump"

# The kernel checks the checksums and lengths of what it takes.
cut() {
	inside ip addr add 10.0.0.2/24 dev n-dpu || return
	mkfifo "$scratch/socket"
	inside timeout 300 perl -MIO::Socket::INET -e '$| = 1; $s = IO::Socket::INET->new(Proto => "udp", LocalPort => 4660);
		print "there\n"; for (1 .. 5) { $s->recv($b, 9000); print length($b), substr($b, -1), "\n" }' >"$scratch/socket" 2>&1 &
	socket=$!
	exec 7<"$scratch/socket"
	read -r line <&7
	on host "$top_builddir/tests/verbs/raw_stream" large 02d700000002 || return
	cat <&7 >"$scratch/cut"
	exec 7<&-
	wait $socket
	[ "$(paste -sd ' ' <"$scratch/cut")" = "10000 10001 10002 10003 5674" ]
}
check "a large send of UDP arrives as datagrams, in the kernel" cut

# Tables stand between the wire and the kernel, and between the kernel and the wire.
flow() { on host "$top_builddir/tools/dvx-flow/dvx-flow" "$@"; }
background "$scratch/flow" flow daemon
daemon=$child
no_ping() { ! ping 10.9.0.2 1; }
rule() { echo "$1" | flow apply -; }
check "a rule for what leaves" rule "drop out icmp"
check "... stops the kernel's packets" no_ping
check "... other rules do not" rule "drop out udp dst port 7"
check "... the ping" ping 10.9.0.2 60
kill "$daemon"
wait "$daemon"

rping_there() {
	on dpu rping -s -C 2 -a "$1" >"$scratch/server" 2>&1 &
	server=$!
	until "$dvx_sim" ls | grep -q LISTEN; do kill -0 $server || return; sleep 0.02; done
	on host rping -c -C 2 -v -a "$1" && wait $server
}
check "RDMA_CM connects them by these addresses" rping_there 10.9.0.2
# A VLAN on each: its addresses are GIDs, of its interface.
vlan_on() { ip link add link "$1" name "$1.$2" type vlan id "$2" && ip addr add "$3/24" dev "$1.$2" && ip link set "$1.$2" up; }
vlan_there() { inside ip link add link "$1" name "$1.$2" type vlan id "$2" && inside ip addr add "$3/24" dev "$1.$2" && inside ip link set "$1.$2" up; }
# Not every kernel has VLANs.
has_vlans() { ip link add link n-host name vlan-try type vlan id 2 2>"$scratch/err" && ip link del vlan-try; }
vlans=1
has_vlans || vlans=
if [ -n "$vlans" ]; then
	check "a VLAN on the interface" vlan_on n-host 10 10.9.3.1
	check "... and on the other's" vlan_there n-dpu 10 10.9.3.2
	gid_of() { # FUNCTION ADDRESS: the index of its RoCE v2 GID
		on "$1" ibv_devinfo -v | sed -n "s/.*GID\\[ *\\([0-9]*\\)\\]:.*::ffff:$2, RoCE v2.*/\\1/p"
	}
	index=$(gid_of host 10.9.3.1)
	check "... its address is a GID" test -n "$index"
	check "... of its interface" says 0 'n-host.10' on host cat "/sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/$index"
	check "... the kernels ping each other there" ping 10.9.3.2 60
	check "... and RDMA_CM connects them" rping_there 10.9.3.2
	tagged() { # PCAP: RoCE packets with the tag, and without
		tshark -r "$1" -T fields -e vlan.id -Y 'infiniband && !_ws.malformed' 2>"$scratch/err" | sort | uniq -c
	}
	pingpong_tagged() {
		mkfifo "$scratch/told"
		timeout 300 "$dvx_sim" capture n "$scratch/vlan.pcap" 2>"$scratch/told" &
		capture=$!
		read -r line <"$scratch/told"
		on dpu ibv_ud_pingpong -n 20 -g "$(gid_of dpu 10.9.3.2)" -p 18733 >"$scratch/server" 2>&1 &
		server=$!
		until grep -q ':492D .* 0A ' /proc/net/tcp /proc/net/tcp6; do kill -0 $server || return; sleep 0.02; done
		on host ibv_ud_pingpong -n 20 -g "$index" -p 18733 -l 3 localhost && wait $server
		rc=$?
		kill -INT "$(pgrep -P $capture)"
		wait $capture
		tagged "$scratch/vlan.pcap" | tee "$scratch/tagged"
		[ $rc = 0 ] && [ "$(awk '{ print $2 }' "$scratch/tagged")" = 10 ]
	}
	if command -v tshark >/dev/null; then check "... datagrams have the tag in tshark's eyes, all of them" pingpong_tagged; fi
	check "the VLAN goes" ip link del n-host.10
	gone() { [ -z "$(gid_of host 10.9.3.1)" ]; }
	check "... and its GID" gone
else
	skip "GIDs of a VLAN" "$(cat "$scratch/err")"
fi

check "an address of nobody" says 255 'ADDR_ERROR, error -110' on host rping -c -C 1 -a 10.9.0.77
check "no route" says 255 'ADDR_ERROR, error -19' on host rping -c -C 1 -a 10.10.0.1

check "a small MTU" ip link set n-host mtu 1500
check "... makes the port's small" says 0 'active_mtu:.*1024' on host ibv_devinfo
check "the interface goes down" ip link set n-host down
check "... as an event tells" next_event PORT_ERR
check "... and a query" says 0 'PORT_DOWN' on host ibv_devinfo
check "... while the other is up" says 0 'PORT_ACTIVE' on dpu ibv_devinfo
check "up" ip link set n-host up
check "... an event" next_event PORT_ACTIVE
check "the link goes down" "$dvx_sim" link n down
check "... as an event tells" next_event PORT_ERR
check "... the interface has no carrier" says 0 'NO-CARRIER' ip link show n-host
check "the address goes" ip addr del 10.9.0.1/24 dev n-host
check "... as an event tells" next_event GID_CHANGE
kill $watch
exec 5<&-

# Two chips on a switch: the kernels find each other by ARP, RDMA by what the chips say of addresses.
chips="n p q"
on_switch() { "$dvx_sim" up p --netdev --wire peer=s && "$dvx_sim" up q --netdev --wire peer=s; }
check "two chips with interfaces on a switch" on_switch
check "... not on udp" says 3 'has the machine.s own interface' "$dvx_sim" up r --netdev --wire udp=127.0.0.1
meet() {
	ip addr add 10.9.1.1/24 dev p-host && ip link set q-host netns "$there" &&
		inside ip addr add 10.9.1.2/24 dev q-host && inside ip link set q-host up
}
check "... an address for each" meet
check "... their kernels ping each other" ping 10.9.1.2 60
rping_apart() {
	"$dvx_sim" exec q -- rping -s -C 2 -a "$1" >"$scratch/server" 2>&1 &
	server=$!
	until "$dvx_sim" ls | grep -q LISTEN; do kill -0 $server || return; sleep 0.02; done
	"$dvx_sim" exec p -- rping -c -C 2 -v -a "$1" && wait $server
}
check "... and RDMA_CM connects them" rping_apart 10.9.1.2
if [ -n "$vlans" ]; then
	check "... a VLAN on one" vlan_on p-host 20 10.9.4.1
	check "... and on the other" vlan_there q-host 20 10.9.4.2
	check "... RDMA_CM connects them there, too" rping_apart 10.9.4.2
fi
# A chip that is done sleeps, though its wire and interfaces have packets for it, or the end of them.
asleep() {
	pid=$("$dvx_sim" ls --json | jq ".[] | select(.name == \"$1\") | .pid")
	for _ in $(seq 1000); do ! grep -q '^State:.S' "/proc/$pid/status" || return 0; done
	return 1
}
# A second request is answered after the turn of the first, in which the chip reads its interface.
gone() { # CHIP INTERFACE
	"$dvx_sim" link "$1" && "$dvx_sim" link "$1" && cat "$scratch/dvx-sim/$1/log" &&
		grep "$2: the network interface was deleted" "$scratch/dvx-sim/$1/log"
}
fails() {
	echo 'device fatal after 1us' >"$scratch/fatal"
	"$dvx_sim" fault "$1" "$scratch/fatal" || return
	until "$dvx_sim" why "$1" | grep 'the device has failed'; do :; done
}
check "a device fails" fails p
no_answer() { ! ping 10.9.1.2 1; }
check "... its interface's packets go nowhere" no_answer
check "... it sleeps" asleep p
check "an interface is deleted" inside ip link del q-host
exec 6<&-
check "... as is reported" gone q q-host
check "... the chip sleeps" asleep q
"$dvx_sim" down q
check "... the failed one, too, whose switch has changed" asleep p
chips="n p t"
check "a chip whose wire is an interface" "$dvx_sim" up t --wire tap=t-wire
check "... which is deleted" ip link del t-wire
check "... as is reported" gone t t-wire
check "... the chip sleeps" asleep t
check "down" "$dvx_sim" down n
check "... takes the interfaces along" says 1 'does not exist' ip link show n-host
plan
