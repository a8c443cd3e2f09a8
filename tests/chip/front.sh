#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that programs meet the device through libc alone: rdma-core's tools, forks, children,
# threads, wrong pointers.
. "$top_srcdir/tests/tap.sh"
client=$top_builddir/tests/chip/front_client
needs "$client"
TMPDIR=$scratch
export TMPDIR

shows() {
	text=$1
	shift
	"$@" >"$scratch/shown" 2>&1 || { cat "$scratch/shown"; return 1; }
	cat "$scratch/shown"
	grep -q -- "$text" "$scratch/shown"
}

# Without a server there is no device, and the program is told why.
alone() {
	env LD_PRELOAD="$asan$preload" "$@" >"$scratch/shown" 2>&1 && return 1
	cat "$scratch/shown"
	grep -q 'DVX_SIM_SOCKET is not set.*dvx-sim run' "$scratch/shown"
}
alone_once() {
	alone sh -c 'ibv_devices; ibv_devices; exit 1' && [ "$(grep -c 'DVX_SIM_SOCKET' "$scratch/shown")" = 1 ]
}
check "the preload without a server" alone ibv_devinfo
check "... one sentence for a program and those that it starts" alone_once
check "run: ibv_devices" shows 'mlx5_0' "$dvx_sim" run -- ibv_devices
check "run: ibv_devinfo -v" shows 'PORT_ACTIVE' "$dvx_sim" run -- ibv_devinfo -v
check "run: ibv_devinfo -d says that it is an emulator" \
	shows 'board_id:.*dvx-sim' "$dvx_sim" run -- ibv_devinfo -d mlx5_0
check "run: a shell without ibverbs" shows '^mlx5_0$' "$dvx_sim" run -- ls /sys/class/infiniband
chips=front
check "up" "$dvx_sim" up front
check "exec: ibv_devinfo" shows 'sys_image_guid' "$dvx_sim" exec front -- ibv_devinfo
check "exec: the DPU is another device" \
	shows "$("$dvx_sim" exec front -f dpu -- ibv_devices | tail -n 1 | awk '{ print $2 }' |
		sed 's/\(....\)\(....\)\(....\)\(....\)/\1:\2:\3:\4/')" \
	"$dvx_sim" exec front -f dpu -- ibv_devinfo
for scene in objects dup fork children close-all errno threads no-stderr counters numbers; do
	check "exec: $scene" "$dvx_sim" exec front -- "$client" $scene
done
empty() {
	"$dvx_sim" ls --json | tee /dev/stderr |
		jq -e '.[0] | (.clients | length) == 0 and (.objects | length) == 0' >/dev/null
}
check "nothing is left of them" empty

mkfifo "$scratch/hold"
"$dvx_sim" exec front -- "$client" holder <"$scratch/hold" &
holder=$!
exec 9>"$scratch/hold"
wait $holder 2>/dev/null
check "a dead client's objects go, though a child holds its connection" empty
exec 9>&-

# The device goes away under a program: DEVICE_FATAL, then EIO with a sentence; no crash, no hang.
mkfifo "$scratch/end"
orphaned() {
	: >"$scratch/orphan" # the one before has said "open", too
	"$dvx_sim" exec front -- "$client" orphan <"$scratch/end" >"$scratch/orphan" 2>&1 &
	orphan=$!
	exec 9>"$scratch/end"
	check "a program with the device open" shows_up "$scratch/orphan" open $orphan
	check "$@"
	exec 9>&-
	check "a program whose device died gets an error" wait $orphan
	check "... with one sentence" grep -q 'is gone' "$scratch/orphan"
}
server=$("$dvx_sim" ls --json | jq '.[] | select(.name == "front") | .pid')
orphaned "the server is killed under a program" kill -9 "$server"
until_dead "$server"
check "up again" "$dvx_sim" up front
orphaned "down with a program on it" "$dvx_sim" down front
plan
