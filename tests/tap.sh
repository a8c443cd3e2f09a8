# SPDX-License-Identifier: BSD-2-Clause
# TAP for shell tests: check NAME COMMAND... runs a command and reports it; ok/not_ok by hand.
dvx_sim=$top_builddir/tools/dvx-sim/dvx-sim
preload=$top_builddir/src/sim/.libs/libdvx-sim.so
# A sanitized preload needs the sanitizer's runtime before it.
asan=$([ -z "${DVX_SAN-}" ] || ldd "$preload" | sed -n 's/.*=> \(.*lib[at]san[^ ]*\) .*/\1:/p')
# The search for leaks at each process's end takes as long as the process: compiled tests have it, and check long.
[ -z "${DVX_SAN-}" ] || [ -n "${DVX_TEST_LONG-}" ] || export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS-}"
. "${top_srcdir:?}/tests/until.sh"
tests=0
failed=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/dvx-test.XXXXXX")
chips=
# A registry of this test's own, so that no other chips are touched.
XDG_RUNTIME_DIR=$scratch
export XDG_RUNTIME_DIR
# The thread sanitizer's reports of a server go to files.
case $asan in
*libtsan*) TSAN_OPTIONS="log_path=$scratch/tsan ${TSAN_OPTIONS-}" && export TSAN_OPTIONS ;;
esac

finish() {
	for chip in $chips; do
		"$dvx_sim" down "$chip" >/dev/null 2>&1
	done
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 1' INT TERM

# needs PROGRAM: one of the suite's own. make check builds it if the test's script has its path; no skip, which would hide
# that it has not.
needs() {
	[ -x "$1" ] && return
	bail_out "${1#"$top_builddir"/} was not built: make ${1#"$top_builddir"/}"
}

# report CODE NAME [WHY]: after a command of this exit code, whose output is in $scratch/out and err
report() {
	tests=$((tests + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tests - $2"
	else
		echo "not ok $tests - $2"
		failed=1
		{ echo "${3-}"; cat "$scratch/out" "$scratch/err" 2>/dev/null; } | sed 's/^/# /'
	fi
}

check() {
	name=$1
	shift
	"$@" >"$scratch/out" 2>&1
	report $? "$name"
}

skip() {
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

# run_on CHIP FUNCTION COMMAND...: as dvx-sim exec does, but for its own start, which takes as long as that of two small
# programs. A sanitized preload also needs what dvx-sim finds out.
run_on() {
	on=$1 side=$2 tree=$XDG_RUNTIME_DIR/dvx-sim/$1
	shift 2
	if [ -n "${DVX_SAN-}" ]; then
		"$dvx_sim" exec "$on" --function "$side" -- "$@"
	else
		DVX_SIM_CHIP=$on DVX_SIM_FUNCTION=$side DVX_SIM_SOCKET=$tree/socket SYSFS_PATH=$tree/$side \
			LD_PRELOAD=$preload${LD_PRELOAD:+:$LD_PRELOAD} "$@"
	fi
}

# background ERRORS COMMAND...: starts it and waits for its first line, $line; it is $child, its stderr in ERRORS
background() {
	errors=$1
	shift
	lines=$((${lines:-0} + 1)) # an earlier one may still write
	mkfifo "$scratch/line.$lines"
	"$@" >"$scratch/line.$lines" 2>"$errors" &
	child=$!
	read -r line <"$scratch/line.$lines"
}

bail_out() {
	echo "Bail out! $1"
	exit 1
}

# skip_all REASON
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# says CODE TEXT COMMAND...: exit code and a part of what is printed
says() {
	code=$1 text=$2
	shift 2
	"$@" >"$scratch/said" 2>&1
	got=$?
	cat "$scratch/said"
	[ "$got" = "$code" ] || { echo "exit code $got, not $code"; return 1; }
	[ -z "$text" ] || grep -q -- "$text" "$scratch/said" || { echo "does not say: $text"; return 1; }
}

# newer_libmlx5 FORMAT: programs use the libmlx5 of the rdma-core build in DVX_NEW_LIBMLX5, if there is one (its folder
# lib); returns whether libmlx5 knows this format of steering entries.
newer_libmlx5() {
	[ -z "${DVX_NEW_LIBMLX5-}" ] || export LD_LIBRARY_PATH="$DVX_NEW_LIBMLX5"
	[ -n "${DVX_NEW_LIBMLX5-}" ] || [ "$1" -le 2 ]
}

no_races() { ! cat "$scratch"/tsan.* 2>/dev/null; }

plan() {
	case $asan in
	*libtsan*) check "the thread sanitizer found nothing in any of the processes" no_races ;;
	esac
	echo "1..$tests"
	exit $failed
}
