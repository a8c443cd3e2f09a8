#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that each libc function in the preload's table finds the device's files as below a real
# /sys, or is listed as one that does not, in the table and in the manual; and that shells do, too.
. "$top_srcdir/tests/tap.sh"
hooks=$top_builddir/tests/preload/hooks
needs "$hooks"
TMPDIR=$scratch
export TMPDIR

run() { "$dvx_sim" run -- "$@"; }
check "every function of the table" run "$hooks"

exported() {
	nm -D --defined-only "$preload" | awk '$2 == "T" { print $3 }' | sort >"$scratch/exported"
	"$hooks" list all | sort | diff - "$scratch/exported"
}
check "the preload exports the table" exported
manual() { # KIND: the functions between two comments of the manual's source
	sed -n "/^\.\\\\\" $1 functions/,/^\.\\\\\" end/p" "$top_srcdir/doc/man/dvx-sim.1" | grep -v '^\.\\"' |
		tr -s ' ,\n' '\n\n' | sort >"$scratch/manual"
	"$hooks" list "$1" | sort | diff - "$scratch/manual"
}
check "the manual lists what is served" manual served
check "the manual lists what is not served" manual unserved

# What people type: each line of output is what a machine with the device prints.
walks() {
	"$@" sh -e -c '
	cd /sys/class/infiniband
	echo *
	cat mlx5_0/ports/1/link_layer
	cd -P mlx5_0/ports/1
	/bin/pwd
	for d in gids gid_attrs/types gid_attrs/ndevs; do echo $d $(ls $d | wc -l); done
	cat gid_attrs/types/1
	cat gid_attrs/types/200 2>&1 || echo no type
	cat gid_attrs/ndevs/1 2>&1 || echo no interface
	cat ../../node_type ../../device/vendor
	cd ../../../../../..
	find pci0000:03 -name rate
	find -L /sys/class/infiniband/mlx5_0/ports/ -name lid
	readlink -f /sys/bus/pci/devices/0000:03:00.0/infiniband/mlx5_0/device
	for d in /sys/bus/pci/devices/*; do echo $(cat $d/vendor $d/device $d/class); done | grep 0x15b3
	ls /sys/class | grep -x -e infiniband -e net
	ls -l /dev/infiniband | grep -o "231, 192"
	mkdir /sys/class/infiniband/x || echo no folder
	(echo x >/sys/class/infiniband/mlx5_0/node_desc) || echo no write
	' >"$scratch/walked" 2>"$scratch/stderr"
	diff - "$scratch/walked" <<'END'
mlx5_0
Ethernet
/sys/devices/pci0000:03/0000:03:00.0/infiniband/mlx5_0/ports/1
gids 255
gid_attrs/types 255
gid_attrs/ndevs 255
RoCE v2
cat: gid_attrs/types/200: Invalid argument
no type
cat: gid_attrs/ndevs/1: Invalid argument
no interface
1: CA
0x15b3
pci0000:03/0000:03:00.0/infiniband/mlx5_0/ports/1/rate
/sys/class/infiniband/mlx5_0/ports/1/lid
/sys/devices/pci0000:03/0000:03:00.0
0x15b3 0xa2d6 0x020000
infiniband
net
231, 192
no folder
no write
END
}
check "a shell" walks run

# A shell outlives its chip: the machine's folders are there as before, the device's are not.
outlives() {
	"$dvx_sim" up gone || return
	mkfifo "$scratch/go"
	"$dvx_sim" exec gone -- sh -c 'echo up; read -r _; ls -d /sys/class/net /sys/class/infiniband; ls /sys/class' \
		<"$scratch/go" >"$scratch/after" 2>&1 &
	shell=$!
	exec 9>"$scratch/go"
	shows_up "$scratch/after" up $shell || return
	"$dvx_sim" down gone
	exec 9>&-
	wait $shell
	cat "$scratch/after"
	grep -qx net "$scratch/after" && ! grep -qx -e /sys/class/infiniband -e infiniband "$scratch/after"
}
chips=gone
check "a shell that outlives its chip" outlives

if command -v ibstat >/dev/null; then
	check "ibstat" says 0 'Link layer: Ethernet' run ibstat mlx5_0 1
	check "ibstat -l" says 0 '^mlx5_0$' run ibstat -l
	check "ibstatus" says 0 'phys state:.*LinkUp' run ibstatus
fi
plan
