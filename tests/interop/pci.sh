#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a function is a PCI device to programs that know nothing of it: lspci decodes its configuration
# space without a complaint, and names, files and links agree with each other on both functions.
. "$top_srcdir/tests/tap.sh"
slot=0000:03:00.0
command -v lspci >/dev/null || skip_all "lspci is not installed"
chips=pci

on() { "$dvx_sim" exec pci -f "$@" 2>"$scratch/err"; }
# lspci says all of this, and nothing about an unknown or broken capability.
decodes() {
	on "$1" -- lspci -D -vvv -k -s "$slot" >"$scratch/lspci" || return
	cat "$scratch/lspci"
	for text in 'Ethernet controller: Mellanox Technologies MT42822 BlueField-2' 'BusMaster+' 'Status: Cap+' \
		'Capabilities: \[60\] Express (v2) Endpoint' 'MaxPayload 256 bytes, MaxReadReq 512 bytes' \
		'LnkCap:.*Speed 16GT/s, Width x16' 'LnkSta:.*Speed 16GT/s.*Width x16' 'Kernel driver in use: mlx5_core'; do
		grep -q -- "$text" "$scratch/lspci" || { echo "lacks: $text"; return 1; }
	done
	[ "$(grep -c 'Capabilities: \[' "$scratch/lspci")" = 1 ] && ! grep -iE 'unknown|\?\?|<chain|broken' "$scratch/lspci"
}
by_number() { on host -- lspci -n -d 15b3: | grep -x '03:00.0 0200: 15b3:a2d6'; }
# Written as sysfs has them: by vendor, device and class files, and by the link of the driver.
agrees() {
	on "$1" -- sh -e -c '
		cd /sys/class/infiniband/mlx5_0/device
		test "$(wc -c <config)" = 4096
		. ./uevent
		test "$DRIVER" = "$(basename "$(readlink driver)")"
		test "$PCI_ID" = 15B3:A2D6 && test "$(cat vendor device)" = "$(printf "0x15b3\n0xa2d6")"
		test "$PCI_SLOT_NAME" = "$(basename "$(pwd -P)")"
		test "$MODALIAS" = "$(cat modalias)"
		test "$(wc -l <resource)" = 13
		test "$(readlink -f /sys/bus/pci/drivers/mlx5_core/$PCI_SLOT_NAME)" = "$(pwd -P)"
		ls /sys/bus/pci/drivers | grep -qx mlx5_core
		grep -x NAME=mlx5_0 infiniband/mlx5_0/uevent
		grep -x DEVNAME=infiniband/uverbs0 infiniband_verbs/uverbs0/uevent'
}

check "up" "$dvx_sim" up pci
check "lspci decodes the host function" decodes host
check "lspci decodes the dpu function" decodes dpu
check "lspci finds it by its vendor" by_number
check "files and links of the host function agree" agrees host
check "files and links of the dpu function agree" agrees dpu
check "down" "$dvx_sim" down pci
plan
