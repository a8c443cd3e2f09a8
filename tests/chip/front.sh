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
for scene in objects dup fork children close-all errno threads no-stderr counters numbers forks; do
	check "exec: $scene" "$dvx_sim" exec front -- "$client" $scene
done
# A library's destructors run after those of the preload, which comes before it.
cat >"$scratch/late.c" <<'END'
#include <infiniband/verbs.h>
#include <unistd.h>
static struct ibv_context *ctx;
static struct ibv_pd *pd;
int late_open(void)
{
	struct ibv_device **list = ibv_get_device_list(0);
	return !list || !(ctx = ibv_open_device(*list)) || !(pd = ibv_alloc_pd(ctx));
}
__attribute__((destructor)) static void late_close(void)
{
	if (ibv_dealloc_pd(pd) || ibv_close_device(ctx))
		_exit(3);
}
END
echo 'int late_open(void); int main(void) { return late_open(); }' >"$scratch/main.c"
late() {
	${CC:-cc} -shared -fPIC -o "$scratch/liblate.so" "$scratch/late.c" -libverbs &&
		${CC:-cc} -o "$scratch/late" "$scratch/main.c" "$scratch/liblate.so" -Wl,-rpath,"$scratch" &&
		"$dvx_sim" exec front -- "$scratch/late"
}
check "exec: a library's destructor destroys its objects" late
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
# A program ends, though a thread of it waits for the device.
mkfifo "$scratch/stop"
: >"$scratch/stopped"
timeout -s KILL 60 "$dvx_sim" exec front -- "$client" stopped <"$scratch/stop" >"$scratch/stopped" 2>&1 &
stopped=$!
exec 9>"$scratch/stop"
shows_up "$scratch/stopped" open $stopped && kill -STOP "$server"
exec 9>&-
check "a program ends while its device is stopped" wait $stopped
kill -CONT "$server"
orphaned "the server is killed under a program" kill -9 "$server"
until_dead "$server"
check "up again" "$dvx_sim" up front
orphaned "down with a program on it" "$dvx_sim" down front
plan
