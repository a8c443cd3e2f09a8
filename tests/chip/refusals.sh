#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a program hears on its own stderr what a chip refuses it, each kind once, also if it ends
# at once; that other programs do not hear it; that --quiet silences it; and that programs which never
# see the device are named before they run, and chips of another user when they are not found.
. "$top_srcdir/tests/tap.sh"
refused=$top_builddir/tests/chip/refused
needs "$refused"
chips=refusing

on_chip() { "$dvx_sim" exec "$@" 2>"$scratch/heard"; }
# heard N PATTERN: N lines, all of this form
heard() {
	cat "$scratch/heard"
	[ "$(grep -c . "$scratch/heard")" = "$1" ] && [ "$(grep -c -- "$2" "$scratch/heard")" = "$1" ]
}
request() { on_chip refusing -- "$refused" request && heard 1 '^dvx-sim: ATTACH_MCAST: qp 0x[0-9a-f]* is no UD QP$'; }
wqe() { on_chip refusing -- "$refused" wqe && heard 1 '^dvx-sim: mkey 0x[0-9a-f]*: its low byte (mkey_7_0) is 0x'; }
quiet() { on_chip refusing --quiet -- "$refused" request && heard 0 .; }
closed() {
	(cd "$scratch" && DVX_SIM_LOG=$scratch/own on_chip refusing -- "$refused" closed) && heard 0 . &&
		cat "$scratch/own" && [ "$(grep -c . "$scratch/own")" = 2 ] && [ ! -s "$scratch/data" ]
}
piped() { on_chip refusing -- "$refused" pipe; }
logged() { [ "$(grep -c ATTACH_MCAST "$XDG_RUNTIME_DIR/dvx-sim/refusing/log")" = 6 ]; }
other() {
	mkfifo "$scratch/go"
	"$dvx_sim" exec refusing -- "$refused" idle <"$scratch/go" >"$scratch/line" 2>"$scratch/idle" &
	idle=$!
	exec 8>"$scratch/go"
	shows_up "$scratch/line" open $idle && request && echo >&8 && wait $idle && ! grep . "$scratch/idle"
}
once_by_run() {
	"$dvx_sim" run -- "$refused" request 2>"$scratch/heard" && [ "$(grep -c ATTACH_MCAST "$scratch/heard")" = 3 ]
}
static() {
	echo 'int main(void) { return 7; }' >"$scratch/s.c"
	${CC:-cc} -static -o "$scratch/static" "$scratch/s.c" || return
	says 7 'static is statically linked: it does not see the device' "$dvx_sim" exec refusing -- "$scratch/static"
}
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"; }
setuid() {
	cp /bin/true "$scratch/suid" && chmod 4755 "$scratch/suid" || return
	says 0 'suid gains privileges' as_nobody env XDG_RUNTIME_DIR="$scratch/nobody" "$dvx_sim" run -- "$scratch/suid"
}
another() {
	says 125 'belongs to user 0: run dvx-sim as that user' \
		as_nobody env XDG_RUNTIME_DIR="$scratch/open" "$dvx_sim" exec refusing -- true
}

check "up" "$dvx_sim" up refusing
check "a refused request is heard, once" request
check "so is a refused WQE, by a program that ends without a further request" wqe
check "--quiet: nothing is heard" quiet
check "the log has all of them" logged
check "another program on the chip hears nothing" other
check "a log that a program closes with all descriptors stays, and its files are its own" closed
check "a reader of stderr that is gone does not end the program" piped
check "run prints each on the stderr that it shares with the program" once_by_run
ended() {
	"$dvx_sim" run -- "$refused" end >"$scratch/ended" 2>&1
	cat "$scratch/ended"
	[ ! -s "$scratch/ended" ]
}
check "a program that ends with work under way is told nothing" ended
check "a static program is told before it runs" static
if [ "$(id -u)" = 0 ] && [ -x "$(command -v setpriv)" ]; then
	chmod 755 "$scratch"
	mkdir "$scratch/nobody" && chown 65534:65534 "$scratch/nobody"
	check "so is a setuid program" setuid
	mkdir "$scratch/open" "$scratch/open/dvx-sim" && chmod 777 "$scratch/open"
	check "a folder of chips of another user is named" another
else
	skip "so is a setuid program" "needs root, to become another user"
	skip "a folder of chips of another user is named" "needs root, to become another user"
fi
check "down" "$dvx_sim" down refusing
plan
