#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-sim does what its man page says: devices start, stop, are listed and refused with
# a sentence and an exit code.
. "$top_srcdir/tests/tap.sh"


help_fits() {
	[ "$("$dvx_sim" --help | wc -l)" -le 24 ] && [ "$("$dvx_sim" --help | wc -L)" -le 80 ]
}

check "--help fits a screen" help_fits
check "--version names the package" says 0 '(dvx) 0' "$dvx_sim" --version
check "no command is an error" says 2 Usage "$dvx_sim"
check "an unknown command is named" says 2 'no command "frob"' "$dvx_sim" frob
check "-- may stand before the command" says 0 "" "$dvx_sim" -- ls
check "... whichever it is" says 2 'no command "frob"' "$dvx_sim" -- frob
check "run needs a command" says 125 'run needs -- CMD' "$dvx_sim" run
check "exec needs a name" says 125 'exec needs NAME -- CMD' "$dvx_sim" exec
check "a function is host, dpu, a VF or an SF" says 125 'host or dpu or vf0 to vf125 or sf0 to sf125, not "vf"' "$dvx_sim" run -f vf -- true
check "a name is a plain word" says 2 'no name for a chip' "$dvx_sim" up ../x
check "a name of 32 letters is too long" \
	says 2 'no name for a chip' "$dvx_sim" up aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
check "exec on nothing" says 125 'no chip named nix is up' "$dvx_sim" exec nix -- true
check "down on nothing" says 3 'no chip named nix is up' "$dvx_sim" down nix
check "an argument too many" says 2 'one argument too many' "$dvx_sim" down a b
check "a trace that can't be written" says 3 "can't write the trace" \
	"$dvx_sim" up a --trace /nonexistent/file
check "... leaves no chip behind" test ! -e "$scratch/dvx-sim/a"

check "run returns the command's code" says 7 '' "$dvx_sim" run -- sh -c 'exit 7'
check "run returns 128 + signal" says 137 '' "$dvx_sim" run -- sh -c 'kill -9 $$'
check "run: options between run and CMD, -- or not" says 0 '^-f$' "$dvx_sim" run -f dpu -- echo -f
check "a command's own --" says 0 '^-- a$' "$dvx_sim" run -- echo -- a
check "run: command not found" says 127 "can't run /nonexistent" "$dvx_sim" run -- /nonexistent
check "run: command not executable" says 126 "can't run /etc/passwd" "$dvx_sim" run -- /etc/passwd
check "run leaves nothing behind" test -z "$(ls "$scratch/dvx-sim")"
check "run keeps the command's options" says 0 '^--help -f$' "$dvx_sim" run echo --help -f

check "run --trace decodes commands to stderr" \
	says 0 'CREATE_EQ' "$dvx_sim" run --trace -- true
check "run --trace FILE: FILE is no program, and what to write" \
	says 127 "joined by =: --trace=FILE" "$dvx_sim" run --trace "$scratch/t" -- true
check "run --trace=FILE" "$dvx_sim" run --trace="$scratch/traced" -- true
check "... to that file" grep -q 'CREATE_EQ' "$scratch/traced"

chips="a b"
check "up" "$dvx_sim" up a
check "a second up of the same name" says 3 'a chip named a is up already' "$dvx_sim" up a
check "options between NAME and CMD" says 0 '^-f --$' "$dvx_sim" exec a -f dpu -- echo -f --
check "another name" "$dvx_sim" up b --trace "$scratch/trace"
check "ls names both" says 0 '^b (pid' "$dvx_sim" ls
check "ls --json is JSON with both" \
	says 0 '^a b$' sh -c "'$dvx_sim' ls --json | jq -r '[.[].name] | join(\" \")'"
check "exec really execs" says 0 same \
	sh -c "sh -c 'echo \$\$; exec \"$dvx_sim\" exec a -- sh -c \"echo \\\$\\\$\"' | uniq | wc -l | sed 's/^1$/same/'"
check "exec keeps an earlier preload behind its own" says 0 'libdvx-sim.so:.*libm.so.6$' \
	env LD_PRELOAD="${asan}libm.so.6" "$dvx_sim" exec a -- env
mkdir "$scratch/other" && cp "$preload" "$scratch/other/"
check "... but not that of another dvx-sim" says 0 '1' sh -c \
	"LD_PRELOAD='$asan$scratch/other/libdvx-sim.so:libm.so.6' '$dvx_sim' exec a -- env | grep '^LD_PRELOAD.*:libm.so.6$' | grep -o 'libdvx-sim.so' | wc -l"
check "a command of run reaches the other function of its chip by name" says 0 '^DVX_SIM_FUNCTION=dpu' \
	"$dvx_sim" run -- sh -c "'$dvx_sim' exec \"\$DVX_SIM_CHIP\" -f dpu -- env"
check "exec names the device" says 0 'DVX_SIM_FUNCTION=dpu' "$dvx_sim" exec a -f dpu -- env

pid=$("$dvx_sim" ls --json | jq '.[] | select(.name == "a") | .pid')
kill -9 "$pid"
until_dead "$pid"
check "exec on a server that was killed" says 125 'no chip named a is up' "$dvx_sim" exec a -- true
check "... whose folder is swept" test ! -e "$scratch/dvx-sim/a"
check "... whose name is free" "$dvx_sim" up a
check "down" "$dvx_sim" down a
check "... is the end of it" test ! -e "$scratch/dvx-sim/a"
check "down of the other" "$dvx_sim" down b
check "ls of nothing is an empty list" says 0 '^\[\]$' "$dvx_sim" ls --json

term_forwarded() {
	"$dvx_sim" run -- sh -c 'trap "echo told; exit 3" TERM; echo up; while :; do sleep 0.05; done' \
		>"$scratch/told" &
	shows_up "$scratch/told" up $! || return
	kill -TERM $!
	wait $!
	[ $? = 3 ] && grep -q told "$scratch/told" && [ -z "$(ls "$scratch/dvx-sim")" ]
}
check "run forwards signals and cleans up" term_forwarded

run_killed() {
	mkfifo "$scratch/hold"
	"$dvx_sim" run -- sh -c 'echo up; read -r _ <"$0"' "$scratch/hold" >"$scratch/killed" &
	shows_up "$scratch/killed" up $! || return
	server=$("$dvx_sim" ls --json | jq '.[0].pid')
	kill -9 $!
	wait $!
	until_dead "$server"
	: <>"$scratch/hold" # ends the command
	[ -z "$(ls "$scratch/dvx-sim")" ]
}
check "a run that is killed takes its device down" run_killed

device_killed() {
	mkfifo "$scratch/go"
	"$dvx_sim" run -- sh -c 'echo up; read -r _ <"$0"' "$scratch/go" >"$scratch/early" 2>&1 &
	shows_up "$scratch/early" up $! || return
	server=$("$dvx_sim" ls --json | jq '.[0].pid')
	kill -9 "$server"
	shows_up "$scratch/early" 'the device ended before the command did' $! || return
	echo >"$scratch/go"
	wait $!
	[ $? = 125 ]
}
check "run fails when the device ends before the command" device_killed

mkdir -p "$scratch/open/dvx-sim"
chmod 755 "$scratch/open/dvx-sim"
check "a registry that others may enter is refused" \
	says 3 'only you may enter' env XDG_RUNTIME_DIR="$scratch/open" "$dvx_sim" up a

# Root of a user namespace of one's own has the chips of the user outside, not those of the machine's root.
as=
[ "$(id -u)" != 0 ] || as="setpriv --reuid 65534 --clear-groups"
alone() { env -u XDG_RUNTIME_DIR $as "$@"; }
in_userns() {
	alone unshare -r "$dvx_sim" up "userns-$$" || return
	alone "$dvx_sim" ls >"$scratch/ls"
	alone unshare -r "$dvx_sim" down "userns-$$"
	grep -q "^userns-$$ " "$scratch/ls"
}
if alone test -w /tmp && alone unshare -r "$dvx_sim" --version >/dev/null 2>&1; then
	env -u XDG_RUNTIME_DIR "$dvx_sim" ls >/dev/null
	check "unshare -r: the registry of the user outside" in_userns
else
	skip "unshare -r: the registry of the user outside" "no user namespaces, or another user may not use /tmp or the build"
fi

spaced() {
	mkdir -p "$scratch/a b/bin" "$scratch/a b/lib/dvx" "$scratch/a b/libexec/dvx"
	cp "$top_builddir/src/sim/dvx-sim-server" "$scratch/a b/libexec/dvx"
	cp "$dvx_sim" "$scratch/a b/bin" && cp "$preload" "$scratch/a b/lib/dvx"
	says 125 'LD_PRELOAD takes no path with spaces' "$scratch/a b/bin/dvx-sim" run -- true
}
check "a preload that the loader would ignore is refused" spaced

without_stdio() {
	timeout 300 "$dvx_sim" up bare <&- >&- 2>&- || return
	says 0 '^bare (pid' timeout 300 "$dvx_sim" ls
}
chips="$chips bare full few stopped"
check "up without stdin, stdout and stderr" without_stdio
check "... leaves a command's as they were" says 0 '^closed$' \
	sh -c "'$dvx_sim' exec bare -- sh -c 'test -e /proc/self/fd/0 || echo closed' <&-"
check "a program without them has a device" says 0 '' sh -c \
	"exec '$dvx_sim' exec bare -- ibv_devinfo <&- >&- 2>&-"

check "a trace on a full disk ends with one sentence" \
	says 0 'trace ends here.*No space left' "$dvx_sim" up full --trace /dev/full
check "... the chip lives" "$dvx_sim" exec full -- ibv_devinfo

# A file as long as the limit, which leaves room for the registers: 20 MiB.
limited() (
	ulimit -f 40960
	truncate -s 20M "$scratch/limit" && "$dvx_sim" run --trace -- true 2>>"$scratch/limit"
)
check "a trace into a file at RLIMIT_FSIZE ends it, not the chip" limited

check "ls on a full disk fails" says 3 "standard output cannot be written: No space" \
	sh -c "'$dvx_sim' ls --json 2>&1 >/dev/full"

# Few descriptors: either a chip, or a sentence and nothing left behind. Its reader sees the end.
few() {
	for n in 6 7 8 9 10 11 12 13 14 15 16; do
		echo "$n descriptors"
		timeout 60 sh -c '"$@" 2>&1 | cat' sh \
			sh -c 'ulimit -n $1; exec "$0" up few' "$dvx_sim" $n >"$scratch/few" || return
		cat "$scratch/few"
		if [ -s "$scratch/few" ]; then
			[ "$(grep -c '^dvx-sim: ' "$scratch/few")" = 1 ] && [ ! -e "$scratch/dvx-sim/few" ] || return
		else
			"$dvx_sim" down few || return
		fi
	done
}
check "up with few descriptors starts a chip or prints an error" few

# A chip that was started before an upgrade of dvx-sim: what it speaks is said, and it can be ended.
old_chip() { # VERSION [stubborn]
	mkfifo "$scratch/old.says" 2>/dev/null
	"$PERL" "$top_srcdir/tests/chip/old_chip.pl" "$scratch/dvx-sim/old" "$@" >"$scratch/old.says" &
	old=$!
	read -r line <"$scratch/old.says"
}
versions='speaks link version 2, this dvx-sim speaks [0-9]*: it was started by another dvx-sim'
old_told() {
	old_chip 2 || return 1
	says 0 "old $versions.*dvx-sim down old" "$dvx_sim" ls && says 0 'bare (pid' "$dvx_sim" ls &&
		says 125 "old $versions" "$dvx_sim" exec old -- true && says 3 "old $versions" "$dvx_sim" replay old "$top_srcdir/examples/traffic/traffic.pcap" &&
		says 3 "old $versions" "$dvx_sim" capture old "$scratch/x"
}
check "a chip of another version is reported as such" old_told
# In a shell of "exec", for example: the preload is new, the chip is not.
old_preload() {
	cp -r "$scratch/dvx-sim/bare/host" "$scratch/dvx-sim/old/" || return 1
	for program in ibv_devinfo "rdma resource show"; do
		env LD_PRELOAD="$asan$preload" DVX_SIM_SOCKET="$scratch/dvx-sim/old/socket" timeout 60 $program >"$scratch/old.out" 2>&1
		[ $? -lt 124 ] || return
		cat "$scratch/old.out"
		grep "the device at .*/old/socket speaks link version 2, this preload speaks [0-9]*: .*dvx-sim down and up" "$scratch/old.out" || return
	done
}
check "... by the preload, too" old_preload
old_ends() {
	says 0 "old $versions; ending its server (pid $old)" timeout 60 "$dvx_sim" down old || return 1
	wait $old
	[ $? = 0 ] && [ ! -e "$scratch/dvx-sim/old" ] && ! says 0 old "$dvx_sim" ls
}
check "... and down ends it" old_ends
ours=$(sed -n 's/^#define LINK_VERSION *\([0-9]*\).*/\1/p' "$top_srcdir/src/sim/link/link.h")
newer() {
	old_chip $((ours + 1)) && says 0 "old speaks link version $((ours + 1)), this dvx-sim speaks" "$dvx_sim" down old && wait $old && [ ! -e "$scratch/dvx-sim/old" ]
}
check "a newer one, too" newer

# As long as dvx-sim waits for an answer: these run side by side, each with files of its own.
slow() { # NAME: a function
	mkdir -m 700 "$scratch/$1"
	(scratch=$scratch/$1 && "$1") >"$scratch/$1/printed" 2>&1 &
	echo $! >"$scratch/$1/pid"
}
slow_end() {
	wait "$(cat "$scratch/$1/pid")"
	rc=$?
	cat "$scratch/$1/printed"
	return $rc
}
killed() { # VERSION
	XDG_RUNTIME_DIR=$scratch
	mkdir -m 700 "$scratch/dvx-sim"
	old_chip "$1" stubborn && says 0 "it does not end: killing it" "$dvx_sim" down old && ! wait $old && [ ! -e "$scratch/dvx-sim/old" ]
}
stubborn() { killed 1; }
deaf() { killed "$ours"; }
stopped() {
	"$dvx_sim" up stopped || return
	pid=$("$dvx_sim" ls --json | jq '.[] | select(.name == "stopped") | .pid')
	kill -STOP "$pid"
	says 0 'stopped does not answer' timeout 300 "$dvx_sim" ls
	rc=$?
	kill -CONT "$pid"
	return $rc
}
for test in stubborn deaf stopped; do slow $test; done
check "... and one that does not want to end" slow_end stubborn
check "... of our own version, too" slow_end deaf
check "ls names a chip that does not answer, and goes on" slow_end stopped
plan
