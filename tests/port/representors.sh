#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that in switchdev mode each representor has a network interface: its name, switch and IB port as programs see
# them, its state, and that the kernel reaches a VF through it and the wire through the uplink's, where no rule decides.
. "$top_srcdir/tests/tap.sh"

# A network namespace of its own, and its /sys.
if [ -z "$DVX_NETNS" ]; then
	[ -c /dev/net/tun ] || skip_all "there is no /dev/net/tun"
	as=
	[ "$(id -u)" = 0 ] || as=-r
	command -v ip >/dev/null || skip_all "iproute2 is not installed"
	own='mount -t sysfs sysfs /sys && exec "$@"'
	unshare -mn $as sh -c "$own" sh true 2>"$scratch/err" || skip_all "no network namespace: $(cat "$scratch/err")"
	finish
	DVX_NETNS=1 exec unshare -mn $as sh -c "$own" sh sh "$0"
fi

chips=n
check "a BlueField in switchdev mode, with interfaces" "$dvx_sim" up n --netdev --vfs 2 --sfs 1 --set switchdev=1
interfaces() {
	ip -o link | sed -n 's/^[0-9]*: \(n-[^:]*\): .*/\1/p' | sort | tr '\n' ' ' >"$scratch/names"
	[ "$(cat "$scratch/names")" = "n-dpu n-host n-pf0hpf n-pf0sf0 n-pf0vf0 n-pf0vf1 n-sf0 n-vf0 n-vf1 " ]
}
check "has one for each function and each representor" interfaces

dpu() { "$dvx_sim" exec n -f dpu -- "$@"; }
file() { dpu cat "/sys/class/net/n-$1/$2"; }
is() { # EXPECTED COMMAND...
	expected=$1
	shift
	got=$("$@") && echo "$got" && [ "$got" = "$expected" ]
}
check "a VF's representor has its name" is pf0vf1 file pf0vf1 phys_port_name
check "... the host's" is pf0hpf file pf0hpf phys_port_name
check "... the uplink's" is p0 file dpu phys_port_name
check "... they are ports of one switch" is "$(file dpu phys_switch_id)" file pf0vf0 phys_switch_id
one_switch() { file dpu phys_switch_id | grep -qx '[0-9a-f]\{16\}'; }
check "... with the id of 8 bytes" one_switch
check "... on the PCI function" is 0x15b3 file pf0vf0 device/vendor
check "... which lists them" says 0 n-pf0vf0 dpu ls /sys/bus/pci/devices/0000:03:00.0/net
# What iproute2 prints of the kernel's answers, and of devlink's.
linked() { dpu ip -d link show dev "n-$1" | sed -n 's/.* portname \([^ ]*\) switchid \([^ ]*\) .*/\1 \2/p'; }
check "rtnetlink has the name and the switch, too" is "pf0vf1 $(file dpu phys_switch_id)" linked pf0vf1
all_linked() { dpu ip -d link show | grep -c ' portname [^ ]* switchid '; }
check "... of all representors at once" is 5 all_linked
check "... of no other interface" is "" linked vf1
command -v devlink >/dev/null || PATH=$PATH:/usr/sbin:/sbin
port() { dpu devlink port show | sed -n "s,^pci/0000:03:00.0/\([0-9]*\): type eth netdev n-$1 flavour ,\1 ,p"; }
if command -v devlink >/dev/null; then
	check "devlink shows the uplink's port" is "196607 physical port 0 splittable false" port dpu
	check "... the host's" is "131072 pcipf controller 1 pfnum 0 external true splittable false" port pf0hpf
	check "... a VF's" is "131074 pcivf controller 1 pfnum 0 vfnum 1 external true splittable false" port pf0vf1
	check "... an SF's" is "163840 pcisf controller 0 pfnum 0 sfnum 0 external false splittable false" port pf0sf0
	one_port() { dpu devlink port show pci/0000:03:00.0/131073 | grep -c "netdev n-pf0vf0 flavour pcivf"; }
	check "... one by its number" is 1 one_port
	no_port() { dpu devlink port show pci/0000:03:00.0/7 2>&1 | grep -q "No such device"; }
	check "... and no other" no_port
fi
no_name() { ! "$dvx_sim" exec n -f vf0 -- cat /sys/class/net/n-vf0/phys_port_name; }
check "a VF's own interface has no such name" no_name
# In the order of the vports' numbers: the PF, the VFs, the SF, the ECPF, whose port has no interface, the uplink.
ports() { dpu rdma link | sed -n 's,^link mlx5_0/\([0-9]\) .*netdev \([^ ]*\).*,\1 \2,p' | tr '\n' ' '; }
if command -v rdma >/dev/null; then
	check "RDMA netlink has each port's interface" is "1 n-pf0hpf 2 n-pf0vf0 3 n-pf0vf1 4 n-pf0sf0 6 n-dpu " ports
fi

ping() { perl -MNet::Ping -e '$p = Net::Ping->new("icmp", $ARGV[1]); exit !$p->ping($ARGV[0])' "$@"; }
mkfifo "$scratch/hold"
exec 6<>"$scratch/hold"
background "$scratch/err" unshare -n sh -c 'exec <"$0" 6>&-; echo there; read -r end' "$scratch/hold"
there=$child
inside() { nsenter -t "$there" -n "$@"; }
apart() { # INTERFACE ADDRESS
	ip link set "$1" netns "$there" && inside ip addr add "$2/24" dev "$1" && inside ip link set "$1" up
}
check "a VF's interface in another namespace" apart n-vf0 10.9.0.2
check "an address for its representor" ip addr add 10.9.0.1/24 dev n-pf0vf0
check "the kernels ping each other through both" ping 10.9.0.2 60
check "an SF's in that namespace" apart n-sf0 10.9.3.2
check "an address for its representor" ip addr add 10.9.3.1/24 dev n-pf0sf0
check "... which reaches it" ping 10.9.3.2 60
check "the host's in that namespace" apart n-host 10.9.1.2
check "an address for its representor" ip addr add 10.9.1.1/24 dev n-pf0hpf
check "... which reaches it" ping 10.9.1.2 60

# The uplink's, behind a wire, reaches a chip in legacy mode.
chips="n p q"
on_switch() { "$dvx_sim" up p --netdev --vfs 1 --set chip=cx6dx,switchdev=1 --wire peer=s && "$dvx_sim" up q --netdev --wire peer=s; }
check "a ConnectX and another chip on a switch" on_switch
check "... whose interface is elsewhere" apart q-host 10.9.2.2
check "... an address for the uplink's" ip addr add 10.9.2.1/24 dev p-host
check "... they reach each other" ping 10.9.2.2 60
check "... the uplink's name" is p0 "$dvx_sim" exec p -- cat /sys/class/net/p-host/phys_port_name
no_rep() { ! ip link show p-pf0hpf; }
check "... where the manager's own port has none" no_rep

state() { dpu ibv_devinfo -i "$1" | sed -n 's/.*state:.*PORT_\([A-Z]*\).*/\1/p'; }
check "a representor is up" is ACTIVE state 2
check "goes down" ip link set n-pf0vf0 down
check "... and so does its port" is DOWN state 2
check "... no other" is ACTIVE state 3
exec 6<&-
plan
