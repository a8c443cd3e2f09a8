#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-sim and Linux's Soft-RoCE (rdma_rxe), which runs in a virtual machine, are two ends of one connection:
# verbs programs of others run between them, over wire udp and over wire tap, each end once the server.
# It needs qemu-system-x86, busybox-static and a Debian kernel, unpacked in a folder of its own:
#   apt-get install qemu-system-x86 busybox-static cpio
#   apt-get download linux-image-6.1.0-NN-amd64 && dpkg-deb -x linux-image-*.deb DIR
#   make check TESTS=tests/interop/rxe.sh DVX_RXE_KERNEL=DIR
# Without DVX_RXE_KERNEL it is skipped. The machine is emulated (no /dev/kvm) and boots in about 20 s. Its programs are
# this machine's own: it mounts the root folder, read-only.
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "1..0 # SKIP $1"; exit 0; }
if [ -z "${DVX_NETNS-}" ]; then
	[ -n "${DVX_RXE_KERNEL-}" ] || skip "DVX_RXE_KERNEL names no folder with a kernel (see the script's head)"
	for p in qemu-system-x86_64 busybox cpio rdma; do command -v $p >/dev/null || skip "$p is not installed"; done
	[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
	unshare -Urn ip link add br0 type bridge 2>/dev/null || skip "no network namespace with a bridge"
	DVX_NETNS=1 exec unshare -Urn sh "$0"
fi
. "$here/pair.sh"
other=$chip-b
vm=
clean_rxe()
{
	[ -z "$vm" ] || kill "$vm" 2>/dev/null
	timeout 60 "$sim" down "$other" >/dev/null 2>&1
	clean
}
trap clean_rxe EXIT

# --- the virtual machine: each line that it reads is a command, "vm-done N" its exit code

wanted="virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci failover net_failover virtio_net
	netfs fscache 9pnet 9pnet_virtio 9p ib_core ib_uverbs ib_cm iw_cm configfs rdma_cm rdma_ucm udp_tunnel
	ip6_udp_tunnel crc32_generic rdma_rxe"

initrd()
{
	mkdir -p "$dir/r/bin" "$dir/r/modules" "$dir/r/proc" "$dir/r/sys" "$dir/r/dev" "$dir/r/mnt"
	cp "$(command -v busybox)" "$dir/r/bin/busybox"
	# What the kernel has built in is no file.
	for m in $wanted; do
		file=$(find "$DVX_RXE_KERNEL/lib/modules" -name "$m.ko" | head -n 1)
		[ -z "$file" ] || { cp "$file" "$dir/r/modules/" && echo "$m.ko" >>"$dir/r/modules/order"; }
	done
	cat >"$dir/r/init" <<-'END'
		#!/bin/busybox sh
		b=/bin/busybox
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin
		$b mount -t proc proc /proc && $b mount -t sysfs sys /sys && $b mount -t devtmpfs dev /dev
		$b stty -F /dev/ttyS0 -echo
		for m in $($b cat /modules/order); do $b insmod /modules/$m; done
		$b mount -t 9p -o ro,trans=virtio,version=9p2000.L root /mnt
		for d in proc sys dev; do $b mount -o bind /$d /mnt/$d; done
		for d in tmp run; do $b mount -t tmpfs tmpfs /mnt/$d; done
		echo vm-ready
		while read -r line; do
			$b chroot /mnt /bin/sh -c "$line" </dev/null 2>&1
			echo "vm-done $?"
		done
		$b poweroff -f
	END
	chmod +x "$dir/r/init"
	(cd "$dir/r" && find . | cpio -o -H newc 2>/dev/null) >"$dir/initrd"
}

said() { until [ "$(grep -c "$1" "$dir/vm")" -ge "$2" ]; do kill -0 "$vm" 2>/dev/null || return; sleep 0.1; done; }

boot()
{
	mkfifo "$dir/in"
	: >"$dir/vm"
	exec 7<>"$dir/in"
	qemu-system-x86_64 -accel tcg -cpu max -m 512 -nodefaults -no-user-config -nographic -no-reboot \
		-kernel "$DVX_RXE_KERNEL"/boot/vmlinuz-* -initrd "$dir/initrd" -append "console=ttyS0 quiet panic=-1" \
		-serial stdio -netdev tap,id=n,ifname=t0,script=no,downscript=no \
		-device virtio-net-pci,netdev=n,mac=02:aa:00:00:00:02,romfile= \
		-virtfs local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap \
		<"$dir/in" >"$dir/vm" 2>&1 7>&- &
	vm=$!
	said vm-ready 1
}

lines=0
vm()
{
	lines=$((lines + 1))
	echo "$*" >&7
	said vm-done $lines && grep vm-done "$dir/vm" | tail -n 1 | grep -q 'vm-done 0'
}

# A server in the machine: it is ready when it listens at its TCP port (in hex), or, "-", when an RDMA_CM id does.
vm_serve() # PORT COMMAND
{
	ready="grep -q ':$1 .* 0A ' /proc/net/tcp /proc/net/tcp6"
	[ "$1" != - ] || ready="rdma resource show cm_id state LISTEN | grep -q LISTEN"
	shift
	vm "rm -f /tmp/rc; (timeout $bound $*; echo \$? >/tmp/rc) >/tmp/log 2>&1 & until $ready || [ -s /tmp/rc ]; do :; done"
}
vm_served()
{
	vm 'until [ -s /tmp/rc ]; do :; done; cat /tmp/log; exit $(cat /tmp/rc)'
	served=$?
	tail -n 20 "$dir/vm" | tr -d '\r' >"$dir/server"
	return $served
}

# Commands have @ for the end's GID index (rxe's first entry of IPv4 is 1, the chip's 3), SERVER for its address.
vm_words() { echo "$*" | sed "s/@/1/g; s/SERVER/10.9.8.2/g"; }
on_chip() { timeout $bound "$sim" exec "$on" -- $(echo "$*" | sed "s/@/3/g; s/SERVER/$at/g"); }

rxe_serves() # PORT SERVER CLIENT
{
	vm_serve "$1" "$(vm_words "$2")"
	at=10.9.8.2
	on_chip "$3" >"$dir/client" 2>&1
	bad=$?
	vm_served && [ $bad = 0 ]
	result $? "$wire, rxe serves: $3"
}

chip_serves() # PORT SERVER CLIENT
{
	at=$address
	[ "$1" = - ] || at=10.9.8.1 # the TCP connection is the kernels'
	on_chip "$2" >"$dir/server" 2>&1 &
	server=$!
	if [ "$1" = - ]; then listens $server; else wait_port "$((0x$1))" $server; fi
	vm "timeout $bound $(echo "$3" | sed "s/@/1/g; s/SERVER/$at/g")"
	bad=$?
	tail -n 20 "$dir/vm" | tr -d '\r' >"$dir/client"
	[ $bad = 0 ] || kill $server
	wait $server && [ $bad = 0 ]
	result $? "$wire, rxe asks: $3"
}

both()
{
	rxe_serves "$@"
	chip_serves "$@"
}

programs()
{
	for p in "ibv_rc_pingpong -g @ -e -c -n 50" "ibv_rc_pingpong -g @ -c -n 10 -s 100000" "ibv_uc_pingpong -g @ -n 50" \
		"ibv_ud_pingpong -g @ -e -n 50 -s 1024" "ibv_srq_pingpong -g @ -e -n 50 -q 4"; do
		both 4853 "$p" "$p SERVER"
	done
	for p in "ib_write_bw -F -x @ -n 50 -s 4000" "ib_read_bw -F -x @ -o 4 -n 50 -s 20000" "ib_atomic_bw -F -x @ -o 4 -n 50"; do
		both 4853 "$p -p 18515" "$p -p 18515 SERVER"
	done
	both - "rping -s -C 3 -V -a SERVER" "rping -c -C 3 -V -a SERVER"
	both - "udaddy -C 5" "udaddy -C 5 -s SERVER"
	both - "ucmatose -C 5" "ucmatose -C 5 -s SERVER"
}

echo 1..44
initrd
ip link set lo up && ip link add br0 type bridge mcast_snooping 0 && ip link set br0 up && ip address add 10.9.8.1/24 dev br0 &&
	ip tuntap add dev t0 mode tap && ip link set t0 up master br0 || exit
boot || { sed 's/^/# /' "$dir/vm"; echo "Bail out! the machine does not boot"; exit 1; }
vm "ip link set lo up; ip link set eth0 up && ip addr add 10.9.8.2/24 dev eth0 && rdma link add rxe0 type rxe netdev eth0"

wire=udp on=$chip address=10.9.8.1
"$sim" up "$chip" --wire udp=10.9.8.1 >"$dir/up" 2>&1 || { echo "Bail out! $(cat "$dir/up")"; exit 1; }
programs
wire=tap on=$other address=10.9.8.3
"$sim" up "$other" --wire tap=t1 --ip 10.9.8.3/24 >"$dir/up" 2>&1 && ip link set t1 mtu 1500 master br0 ||
	{ echo "Bail out! $(cat "$dir/up")"; exit 1; }
programs
exit "$failed"
