#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves each finding of dvx-info doctor and the command that it offers, on hosts made of files: several NUMA nodes,
# IOMMUs, limits of processes and cgroups, closed device files, missing modules, old kernels, huge pages.
. "$top_srcdir/tests/tap.sh"
info=$top_builddir/tools/dvx-info/dvx-info
r=$scratch/root

put() { # put PATH TEXT: a file below the root
	mkdir -p "$r/$(dirname "$1")"
	printf '%s\n' "$2" >"$r/$1"
}
pci=0000:3b:00.0
# A healthy host with one device.
good() {
	rm -rf "$r"
	put sys/bus/pci/devices/$pci/vendor 0x15b3
	put sys/bus/pci/devices/$pci/class 0x020700
	put sys/bus/pci/devices/$pci/numa_node 1
	put sys/bus/pci/devices/$pci/iommu_group/type identity
	mkdir -p "$r/sys/kernel/iommu_groups/7" "$r/sys/module/mlx5_core" "$r/sys/module/mlx5_ib" "$r/sys/module/ib_uverbs"
	mkdir -p "$r/sys/devices/system/node/node0" "$r/sys/devices/system/node/node1"
	put sys/devices/system/node/node1/cpulist 16-31
	put sys/class/infiniband_verbs/abi_version 6
	put dev/infiniband/uverbs0 ""
	put proc/sys/kernel/osrelease 6.1.0-20-amd64
	put proc/cmdline "BOOT_IMAGE=/vmlinuz quiet"
	put proc/cpuinfo "flags : fpu pat sse"
	put proc/self/maps "7f00-7f01 r-xp 0 fe:01 1 /usr/lib/libibverbs.so.1.14.44.0
7f02-7f03 r-xp 0 fe:01 1 /usr/lib/libmlx5.so.1.24.44.0"
	put proc/self/limits "Max locked memory         unlimited            unlimited            bytes"
	put proc/self/status "CapEff:	000001ffffffffff
Cpus_allowed_list:	0-31"
	put proc/self/uid_map "         0          0 4294967295"
	put proc/self/cgroup "0::/user.slice"
	put sys/fs/cgroup/user.slice/memory.max max
	put sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages 500
	put sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages 512
	put sys/devices/system/node/node0/hugepages/hugepages-2048kB/free_hugepages 244
	put sys/devices/system/node/node1/hugepages/hugepages-2048kB/free_hugepages 256
}
# finds LEVEL CHECK TEXT [MEND]: a line of that level and check with that text, and what mends it
finds() {
	"$info" doctor --root "$r" --json >"$scratch/json" 2>"$scratch/err"
	echo $? >"$scratch/rc"
	cat "$scratch/json" "$scratch/err"
	jq -e --arg l "$1" --arg c "$2" --arg t "$3" --arg m "${4-}" \
		'.checks | any(.level == $l and .check == $c and (.text | contains($t)) and
			(if $m == "" then (has("remedy") | not) else (.remedy | contains($m)) end))' <"$scratch/json"
}
# fails: the exit code says that something is broken; sound: it does not
fails() { finds "$@" && [ "$(cat "$scratch/rc")" = 1 ]; }
sound() { finds "$@" && [ "$(cat "$scratch/rc")" = 0 ]; }

good
check "a healthy host has no FAIL" sound OK device "1 NVIDIA network function(s), the first at $pci."
no_warning() { jq -e 'all(.checks[]; .level == "OK")' <"$scratch/json"; }
check "... and no WARN" no_warning
check "... its library is known" finds OK rdma-core "libibverbs is of rdma-core 44.0."
check "... its huge pages are, by node" finds OK hugepages "500 of 512 pages of 2048 KiB are free (node 0: 244, node 1: 256)."

check "NUMA: near the device" finds OK numa "node 1, and 16 of its CPUs (16-31)"
put proc/self/status "CapEff:	000001ffffffffff
Cpus_allowed_list:	0-3,8-15"
check "NUMA: bound to the other node" sound WARN numa "may not run on its CPUs" "numactl --cpunodebind=1 --membind=1 PROGRAM"
good
put proc/self/status "CapEff:	000001ffffffffff
Cpus_allowed_list:	3,15-16"
check "NUMA: one CPU of its node is enough" finds OK numa "1 of its CPUs"
put sys/bus/pci/devices/$pci/numa_node -1
check "NUMA: a device without a node" sound WARN numa "the device says none"
rm -r "$r/sys/devices/system/node/node1"
check "NUMA: one node" finds OK numa "has one NUMA node"

good
put sys/bus/pci/devices/$pci/iommu_group/type DMA-FQ
check "IOMMU: translating" sound WARN iommu "(type DMA-FQ)" "iommu=pt"
put sys/bus/pci/devices/$pci/iommu_group/type DMA
check "IOMMU: translating strictly" finds WARN iommu "(type DMA)" "iommu=pt"
rm "$r/sys/bus/pci/devices/$pci/iommu_group/type"
check "IOMMU: on, but hidden" finds OK iommu "The IOMMU is on (1 groups); no device shows"
rm -r "$r/sys/kernel/iommu_groups"
check "IOMMU: off" finds OK iommu "off or hidden"

good
put proc/self/limits "Max locked memory         8388608              8388608              bytes"
check "memlock: lifted by CAP_IPC_LOCK" finds OK memlock "8192 KiB, but this process has CAP_IPC_LOCK"
put proc/self/status "CapEff:	0000000000000000
Cpus_allowed_list:	0-31"
check "memlock: too little" fails FAIL memlock "leaves 8192 KiB" "/etc/security/limits.d/90-rdma.conf"
put proc/self/limits "Max locked memory         1073741824           1073741824           bytes"
check "memlock: limited" sound WARN memlock "leaves 1048576 KiB" "LimitMEMLOCK=infinity"
put proc/self/status "VmPin:	 1048000 kB
CapEff:	0000000000000000
Cpus_allowed_list:	0-31"
check "memlock: used up by registered memory" fails FAIL memlock "leaves 576 KiB" "--ulimit memlock=-1"
check "rights: without CAP_NET_RAW" finds WARN rights "refused with EPERM" "setcap cap_net_raw+ep"
good
put proc/self/uid_map "         0       1000          1"
check "rights: in a user namespace" finds WARN rights "only inside this user namespace"
put proc/self/limits "Max locked memory         8388608              8388608              bytes"
check "memlock: CAP_IPC_LOCK of a user namespace lifts nothing" fails FAIL memlock "leaves 8192 KiB" memlock
rm "$r/proc/self/limits"
check "memlock: not known" finds OK memlock "is not known"

good
put sys/fs/cgroup/user.slice/memory.max 33554432
check "cgroup: far too little memory" fails FAIL cgroup "may use 32 MiB" "tee /sys/fs/cgroup/user.slice/memory.max"
put sys/fs/cgroup/user.slice/memory.max 536870912
check "cgroup: little memory" sound WARN cgroup "may use 512 MiB" "docker: --memory"
put sys/fs/cgroup/user.slice/memory.max 8589934592
check "cgroup: enough memory" sound OK cgroup "may use 8192 MiB"
put sys/fs/cgroup/user.slice/hugetlb.2MB.max 0
check "cgroup: no huge page" sound WARN cgroup "no huge page of 2 MiB" "hugetlb.2MB.max"
put sys/fs/cgroup/user.slice/rdma.max "mlx5_0 hca_handle=2 hca_object=max"
check "cgroup: few RDMA handles" sound WARN cgroup "hca_handle=2" "tee /sys/fs/cgroup/user.slice/rdma.max"
put sys/fs/cgroup/user.slice/rdma.max "mlx5_0 hca_handle=max hca_object=max"
check "cgroup: RDMA without limit" finds OK cgroup "hca_handle=max"
strange=$(printf 'a\377b')
put proc/self/cgroup "0::/$strange"
put "sys/fs/cgroup/$strange/memory.max" 33554432
check "cgroup: a name that is no UTF-8" fails FAIL cgroup "may use 32 MiB" 'tee /sys/fs/cgroup/a\xffb/memory.max'
put proc/self/cgroup "5:devices:/x"
check "cgroup: of the first version" finds OK cgroup "No unified cgroup"

good
rm "$r/dev/infiniband/uverbs0"
check "files: none" fails FAIL files "There is no /dev/infiniband/uverbs*" "docker run --device=/dev/infiniband"
/usr/bin/python3 -c 'import os, socket, sys
os.chdir(sys.argv[1])
socket.socket(socket.AF_UNIX).bind("uverbs0")' "$r/dev/infiniband"
check "files: one that does not open" fails FAIL files "uverbs0 does not open: No such device or address" "modprobe mlx5_ib"
rm "$r/dev/infiniband/uverbs0"
put dev/infiniband/uverbs0 ""
chmod 000 "$r/dev/infiniband/uverbs0"
if [ "$(id -u)" -ne 0 ]; then
	check "files: without the right" fails FAIL files "uverbs0 does not open: Permission denied" "chmod 0666"
elif setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$info" 2>/dev/null; then
	chmod 711 "$scratch" && chmod -R go+rX "$r/sys" "$r/proc" "$r/dev" "$r" && chmod 000 "$r/dev/infiniband/uverbs0"
	real=$info
	case $(file -b "$info" 2>/dev/null) in *script*) real=$top_builddir/tools/dvx-info/.libs/dvx-info ;; esac
	nobody() {
		LD_LIBRARY_PATH=$top_builddir/src/lib/.libs setpriv --reuid 65534 --regid 65534 --clear-groups \
			"$real" doctor --root "$r" --json | tee "$scratch/json"
		jq -e '.checks | any(.level == "FAIL" and (.text | contains("does not open: Permission denied")) and
			(.remedy | contains("chmod 0666")))' <"$scratch/json"
	}
	check "files: without the right" nobody
fi
good

# ACS: config ADDRESS CONTROL: a bridge whose second extended capability is ACS with that control
config() {
	put sys/bus/pci/devices/$1/class 0x060400
	/usr/bin/python3 -c 'import struct, sys
c = bytearray(4096)
c[0x100:0x104] = struct.pack("<I", 0x14810001)
c[0x148:0x150] = struct.pack("<IHH", 0x0001000d, 0x7f, int(sys.argv[2], 0))
open(sys.argv[1], "wb").write(c[:int(sys.argv[3])])' "$r/sys/bus/pci/devices/$1/config" "$2" "${3-4096}"
}
config 0000:3a:00.0 0x1
config 0000:3a:01.0 0x40
check "ACS: bridges that check the source only" finds OK acs "No PCI bridge redirects requests"
config 0000:3a:01.0 0x1d
check "ACS: no GPU is concerned" finds OK acs "1 of 2 PCI bridges redirect"
put sys/bus/pci/devices/0000:4a:00.0/vendor 0x10de
put sys/bus/pci/devices/0000:4a:00.0/class 0x030200
check "ACS: redirected beside a GPU" sound WARN acs "the first is 0000:3a:01.0: GPU Direct" "setpci -s 0000:3a:01.0 ECAP_ACS+6.w=0"
for bit in 0x04 0x08 0x10; do
	config 0000:3a:01.0 $bit
	check "ACS: bit $bit redirects" finds WARN acs "1 of 2 PCI bridges redirect" setpci
done
config 0000:3a:01.0 0x1d 64
check "ACS: configuration for root only" finds OK acs "is for root only"
config 0000:3a:01.0 0 4096
/usr/bin/python3 -c 'import sys
f = open(sys.argv[1], "r+b")
f.seek(0x100)
f.write(bytes([1, 0, 1, 0x10]))' "$r/sys/bus/pci/devices/0000:3a:01.0/config"
check "ACS: a list that runs in a circle" finds OK acs "No PCI bridge redirects"
good
check "peer memory: no GPU driver" finds OK peer-memory "nothing needs nvidia-peermem"
mkdir -p "$r/sys/module/nvidia"
check "peer memory: missing" sound WARN peer-memory "refuses GPU memory with EFAULT" "modprobe nvidia-peermem"
mkdir -p "$r/sys/module/nvidia_peermem"
check "peer memory: loaded" finds OK peer-memory "takes memory of NVIDIA's GPUs"
check "dma-buf: no device to ask" finds OK dmabuf "only where it opens"
put proc/sys/kernel/osrelease 5.10.0-28-amd64
check "dma-buf: an old kernel" finds WARN dmabuf "Linux 5.10.0-28-amd64 registers no dma-buf"
check "fork: an old kernel" sound WARN fork "no copy-on-fork" "RDMAV_FORK_SAFE"
good
check "map count: not known" finds OK map-count "is not known"
put proc/sys/vm/max_map_count 1000
check "map count: few" sound WARN map-count "may have 1000 mappings" "sysctl vm.max_map_count"
put proc/sys/vm/max_map_count 65530
check "map count: the kernel's own" finds OK map-count "may have 65530 mappings"
check "namespaces: not known" finds OK namespaces "is not known"
put sys/module/ib_core/parameters/netns_mode Y
check "namespaces: shared" finds OK namespaces "shared by all network namespaces"
put sys/module/ib_core/parameters/netns_mode N
check "namespaces: exclusive" finds OK namespaces "(exclusive)"
good

rm -r "$r/sys/module/mlx5_ib"
check "modules: one is missing" fails FAIL modules "Not loaded: mlx5_ib." "modprobe -a mlx5_ib"
rm -r "$r/sys/module/ib_uverbs"
check "modules: two are" fails FAIL modules "Not loaded: mlx5_ib ib_uverbs." "modprobe -a mlx5_ib ib_uverbs"
good
rm "$r/sys/class/infiniband_verbs/abi_version"
check "uverbs: none" fails FAIL uverbs "offers no verbs" "modprobe ib_uverbs"
put sys/class/infiniband_verbs/abi_version 7
check "uverbs: another version" sound WARN uverbs "ABI is 7"
good
put proc/sys/kernel/osrelease 5.4.0-150-generic
check "kernel: an old one" sound WARN kernel "without status and syndrome"
put proc/sys/kernel/osrelease 5.19.0
check "kernel: the first version that reports the value" finds OK kernel "Linux 5.19.0 returns"
rm "$r/proc/sys/kernel/osrelease"
check "kernel: not known" finds OK kernel "is not known"
good
put proc/self/maps "7f00-7f01 r-xp 0 fe:01 1 /usr/lib/libibverbs.so.1.8.28.0
7f02-7f03 r-xp 0 fe:01 1 /usr/lib/libmlx5.so.1.12.28.0"
check "rdma-core: an old one" sound WARN rdma-core "libmlx5 is of rdma-core 28.0" "apt-get install rdma-core"
put proc/self/maps ""
check "rdma-core: none" finds WARN rdma-core "libibverbs is not mapped"
good
put sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages 0
check "huge pages: none is free" sound WARN hugepages "No huge page is free" "vm.nr_hugepages=512"
check "... and how many there are" finds OK hugepages "0 of 512 pages"
put sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages 3
put sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages 4
check "huge pages: large ones" finds OK hugepages "3 of 4 pages of 1048576 KiB"
good
put proc/cmdline "BOOT_IMAGE=/vmlinuz nopat"
check "write-combining: turned off" sound WARN wc "started with nopat" "update-grub"
if [ "$(uname -m)" = x86_64 ]; then
	put proc/cmdline ""
	put proc/cpuinfo "flags : fpu sse"
	check "write-combining: a CPU without PAT" sound WARN wc "does not show page attributes"
fi
good
rm -r "$r/sys/bus/pci"
check "no device at all" fails FAIL device "no NVIDIA network function is on the PCI bus" "lspci -d 15b3:"

rm -rf "$r"
mkdir "$r"
check "an empty copy: what is not there is missing or not known, nothing crashes" finds OK kernel "is not known"
no_folder() {
	"$info" doctor --root "$scratch/none" >"$scratch/said" 2>&1
	[ $? = 3 ] && grep -q 'is no folder' "$scratch/said"
}
check "a root that is no folder" no_folder

good
chips=d
check "a chip" "$dvx_sim" up d
with_device() {
	"$dvx_sim" exec d -- "$info" doctor --root "$r" mlx5_0 >"$scratch/said" 2>&1
	cat "$scratch/said"
	grep -q '^OK    device  *mlx5_0 opens' "$scratch/said" && grep -q 'wc .*can be had' "$scratch/said" &&
		grep -q 'RDMA limits\|no RDMA limit' "$scratch/said"
}
check "a device that is named is asked; the facts are the copy's" with_device
plan
