#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a chip has as many virtual and sub-functions as --vfs and --sfs give, each with a device and addresses of
# its own, which programs of each function use as they use the others'.
. "${top_srcdir:?}/tests/tap.sh" || exit 99

on() {
	f=$1
	shift
	"$dvx_sim" exec a -f "$f" -- "$@"
}
names() { "$dvx_sim" ls --json | jq -r '.[] | select(.name == "'"$1"'").functions | map(.name) | join(" ")'; }
guids() {
	for f in host dpu vf0 vf1 sf0 sf1; do on "$f" cat /sys/class/infiniband/mlx5_0/node_guid; done | sort -u | wc -l
}

check "--vfs takes a number" says 2 '--vfs: vfs=x: .* a number from 0 to 126' "$dvx_sim" up a --vfs x
check "... with an end" says 2 'a number from 0 to 126' "$dvx_sim" up a --vfs 127
check "... with that of SFs" says 3 'vfs=100 and sfs=27: together at most 126' "$dvx_sim" up a --vfs 100 --sfs 27
"$dvx_sim" up a --vfs 2 --sfs 2 --wire peer=net --ip vf1=10.0.0.7/24 || bail_out "no chip"
chips="a b"
check "ls lists them" says 0 '^host dpu vf0 vf1 sf0 sf1$' names a
check "a function that the chip lacks is named" says 125 'chip a has no function vf2' \
	"$dvx_sim" exec a -f vf2 -- true
check "... by the preload, too" says 0 'DVX_SIM_FUNCTION is "log/../host", which is no function' \
	on vf0 env DVX_SIM_FUNCTION=log/../host cat /dev/null
check "a device each" says 0 '^6$' guids
check "... of a VF's id" says 0 '^0x101e$' on vf1 cat /sys/class/infiniband/mlx5_0/device/device
check "... an SF has its parent's" says 0 '^0xa2d6$' on sf1 cat /sys/class/infiniband/mlx5_0/device/device
check "... which the manager's is not" says 0 '^0xa2d6$' on dpu cat /sys/class/infiniband/mlx5_0/device/device
check "an address for a VF" says 0 '^0000:.*:ffff:0a00:0007$' \
	on vf1 cat /sys/class/infiniband/mlx5_0/ports/1/gids/3

# pingpong FUNCTION CHIP FUNCTION: the client runs when the port is in the kernel's table as listening (0A)
port=$((30000 + $$ % 2000))
pingpong() {
	"$dvx_sim" exec "$2" -f "$3" -- timeout 60 ibv_rc_pingpong -n 50 -g 3 -p $port >"$scratch/server" 2>&1 &
	server=$!
	until cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ":$(printf %04X $port) [0-9A-F:]* 0A"; do
		kill -0 $server || return
		sleep 0.02
	done
	on "$1" timeout 60 ibv_rc_pingpong -n 50 -g 3 -p $port localhost && wait $server
}
if command -v ibv_rc_pingpong >/dev/null; then
	check "a VF sees its own id" says 0 'vendor_part_id:.*4126' on vf0 ibv_devinfo
	check "from VF to VF" pingpong vf0 a vf1
	check "from a VF to the host" pingpong vf1 a host
	"$dvx_sim" up b --set chip=cx7 --vfs 1 --wire peer=net || bail_out "no second chip"
	check "from an SF to a VF" pingpong sf0 a vf0
	check "from an SF to an SF" pingpong sf1 a sf0
	check "from a VF to another chip's" pingpong vf0 b vf0
else
	skip "RoCE between VFs" "no ibv_rc_pingpong"
fi
plan
