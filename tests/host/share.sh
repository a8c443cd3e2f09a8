#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a program does not notice how its pages are shared with the device: share.c's scenes
# with userfaultfd and without.
. "$top_srcdir/tests/tap.sh"
client=$top_builddir/tests/host/share
needs "$client"
TMPDIR=$scratch
export TMPDIR
# The thread sanitizer waits a second at the end of each child otherwise.
TSAN_OPTIONS="${TSAN_OPTIONS-} atexit_sleep_ms=0"
export TSAN_OPTIONS
scenes="threads threads-fork fork spawn renew stale moved protect grow drop limit close twice uring read
	maps reader reader-unprivileged churn"

# A bound, for a store that waits for ever.
run() { timeout 300 "$dvx_sim" exec scenes -- "$client" "$@"; }
# A scene that can't be had here is none.
may() {
	"$@"
	rc=$?
	[ $rc = 77 ] || [ $rc = 0 ]
}

# Containers often refuse userfaultfd: what the scenes are without it is seen below.
"$client" userfaultfd
refused=$?
with_userfaultfd() {
	if [ $refused = 0 ]; then
		check "$1" may run "$1"
	else
		tests=$((tests + 1))
		echo "ok $tests - $1 # SKIP userfaultfd is refused here"
	fi
}

chips=scenes
"$dvx_sim" up scenes || bail_out "no chip"
for scene in $scenes; do
	with_userfaultfd $scene
done
for scene in threads threads-fork twice; do
	check "no userfaultfd: $scene" may run $scene never
done
for scene in fork renew stale protect close; do
	check "no userfaultfd: $scene" run $scene alone
done

# Not even the registers fit: that is told.
little() {
	(ulimit -f 32 && "$@" limit) 2>&1 | grep -q RLIMIT_FSIZE
}
check "a limit on files below the device's" little run

# The device is killed while pages are shared.
orphan() {
	"$dvx_sim" up share || return 1
	mkfifo "$scratch/end$1"
	"$dvx_sim" exec share -- "$client" orphan <"$scratch/end$1" >"$scratch/orphan" &
	orphan=$!
	exec 9>"$scratch/end$1"
	shows_up "$scratch/orphan" open $orphan || return
	server=$("$dvx_sim" ls --json | jq '.[0].pid')
	kill -9 "$server"
	until_dead "$server"
	exec 9>&-
	wait $orphan
}
"$dvx_sim" down scenes
chips=share
check "a program survives its device's death" orphan 1
check "the server keeps no mapping of a dead client: up" "$dvx_sim" up share
server=$("$dvx_sim" ls --json | jq '.[0].pid')
check "a client" "$dvx_sim" exec share -- "$client" fork
mappings() { grep -c dvx-sim-ring "/proc/$server/maps"; }
check "the server has none of its pages" test "$(mappings)" = 0
mkfifo "$scratch/dies"
"$dvx_sim" exec share -- "$client" orphan <"$scratch/dies" >"$scratch/dying" 2>&1 &
dying=$!
exec 9>"$scratch/dies"
check "a client that will be killed" shows_up "$scratch/dying" open $dying
check "the server has some of a client's pages" test "$(mappings)" -gt 0
kill -9 $dying
wait $dying 2>/dev/null
exec 9>&-
# Whatever the server is asked after a death, it has heard of the death before.
gone() { "$dvx_sim" ls >/dev/null && [ "$(mappings)" = 0 ]; }
check "the server has none of them after the client's death" gone
check "down" "$dvx_sim" down share
plan
