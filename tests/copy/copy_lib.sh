# SPDX-License-Identifier: BSD-2-Clause
# For the copy_*.sh tests: a chip, a server on its host function, pulls on its DPU function, TAP.
. "${top_srcdir:?}/tests/tap.sh" || exit 99
copy=${top_builddir:?}/tools/dvx-copy/dvx-copy
chip=copy-$$
chips=$chip
work=${scratch:?}/copy
server=
mkdir "$work"

clean_up() {
	[ -z "$server" ] || kill -9 "$server" 2>/dev/null
	chmod -R u+rwx "$work" 2>/dev/null
	finish
}
trap clean_up EXIT
trap 'exit 1' INT TERM

# start ROOT [OPTION...]: sets $server and $port. The line that the server prints is the signal.
start() {
	root=$1
	shift
	[ -z "$server" ] || kill -9 "$server" # a failed test's
	background "$work/server.err" "$dvx_sim" exec "$chip" -- "$copy" serve --root "$root" --listen 127.0.0.1:0 "$@" ||
		bail_out "no server: $(cat "$work/server.err")"
	server=$child
	port=${line##*127.0.0.1:}
	port=${port%%[!0-9]*}
}

# Ends the server; its status is the result.
stop() {
	kill "$server"
	wait "$server"
	status=$?
	server=
	return $status
}

on_dpu() { run_on "$chip" dpu "$@"; }
pull() { on_dpu "$copy" pull "$@"; }

# For the background: $! is then the program itself, not a shell around it.
exec_pull() {
	exec "$dvx_sim" exec "$chip" --function dpu -- "$copy" pull "$@"
}

# A pull that waits in the middle of a file, where a test wants it: at its tenth chunk it says so (6) and
# goes on when it is told (7). However slow either of them is, they never miss each other.
cat >"$work/pause.c" <<'END'
#include <sys/syscall.h>
#include <unistd.h>
ssize_t pwrite(int fd, const void *p, size_t n, off_t off)
{
	static int chunks;
	char c = '\n';

	if (++chunks == 10 && write(6, &c, 1) == 1)
		while (read(7, &c, 1) < 0)
			;
	return syscall(SYS_pwrite64, fd, p, n, off);
}
END
${CC:-cc} -shared -fPIC -o "$work/pause.so" "$work/pause.c" || bail_out "no compiler"
mkfifo "$work/here" "$work/go"
exec 7<>"$work/go"

# As exec_pull; the server's slots have to be small enough for ten chunks.
exec_paused() {
	exec 6>"$work/here"
	LD_PRELOAD=$asan$work/pause.so
	export LD_PRELOAD
	exec_pull "$@"
}
# false: it ended before
paused() { read -r _ <"$work/here"; }
go_on() { echo >&7; }

# fails STATUS WORDS COMMAND...: it ends with this status, and says these words on stderr.
fails() {
	want=$1
	words=$2
	shift 2
	"$@" 2>"$work/err"
	got=$?
	cat "$work/err"
	[ "$got" = "$want" ] || { echo "status $got instead of $want"; return 1; }
	grep -qF -- "$words" "$work/err" || { echo "does not say: $words"; return 1; }
	[ "$(grep -c . "$work/err")" = 1 ] || { echo "more than one sentence"; return 1; }
}

# Kind, mode, time to the nanosecond, size (not of directories), link target of everything below.
list() {
	(cd "$1" && find . -mindepth 1 -printf '%P\t%y\t%m\t%T@\t%s\t%l\n' |
		awk -F '\t' -v OFS='\t' '$2 == "d" { $5 = "" } $2 == "l" { $3 = "" } { print }' |
		LC_ALL=C sort)
}

same() {
	diff -r --no-dereference "$1" "$2" || return 1
	list "$1" >"$work/list.1"
	list "$2" >"$work/list.2"
	diff "$work/list.1" "$work/list.2"
}

no_temps() {
	[ -z "$(find "$1" -name '.dvx-copy.*')" ] || { find "$1"; return 1; }
}

# whole SOURCE COPY: each file that has its final name is the whole one.
whole() {
	(cd "$2" && find . -type f ! -name '.dvx-copy.*') | while read -r f; do
		cmp "$1/$f" "$2/$f" || exit 1
	done
}

"$dvx_sim" up "$chip" || bail_out "no chip"
