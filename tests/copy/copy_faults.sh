# SPDX-License-Identifier: BSD-2-Clause
# Proves: whichever call the disk fails, and whoever is killed at whatever moment, the failure is told, a file is the
# old one or the whole new one, and the next copy makes up for it.
. "${top_srcdir:?}/tests/copy/copy_lib.sh" || exit 99

# FAULT=CALL:N:ERRNO: the N-th of these calls fails, with 0 each. openat counts where it creates files, tmpfile where
# it creates those without a name. The errno 0 is SIGKILL.
cat >"$work/fault.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
static int due(const char *call)
{
	static int calls;
	const char *f = getenv("FAULT");
	size_t n = strlen(call);
	char *end;
	long nth;
	if (!f || strncmp(f, call, n) || f[n] != ':')
		return 0;
	nth = strtol(f + n + 1, &end, 10);
	if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) != nth && nth)
		return 0;
	if (!(errno = atoi(end + 1)))
		raise(SIGKILL);
	return 1;
}
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CALL(type, name, args, pass) \
	type name args { return due(#name) ? -1 : NEXT(name) pass; }
CALL(ssize_t, pwrite, (int a, const void *b, size_t c, off_t d), (a, b, c, d))
CALL(ssize_t, pread, (int a, void *b, size_t c, off_t d), (a, b, c, d))
CALL(int, mkdirat, (int a, const char *b, mode_t c), (a, b, c))
CALL(int, symlinkat, (const char *a, int b, const char *c), (a, b, c))
CALL(int, linkat, (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e))
CALL(int, renameat, (int a, const char *b, int c, const char *d), (a, b, c, d))
CALL(int, fchmod, (int a, mode_t b), (a, b))
CALL(int, futimens, (int a, const struct timespec *b), (a, b))
CALL(int, ftruncate, (int a, off_t b), (a, b))
CALL(int, fsync, (int a), (a))
CALL(int, syncfs, (int a), (a))
int openat(int a, const char *b, int flags, ...)
{
	int unnamed = (flags & O_TMPFILE) == O_TMPFILE;
	va_list ap;
	mode_t mode;
	va_start(ap, flags);
	mode = flags & O_CREAT || unnamed ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if ((flags & O_CREAT && due("openat")) || (unnamed && due("tmpfile")))
		return -1;
	return NEXT(openat)(a, b, flags, mode);
}
END
${CC:-cc} -shared -fPIC -o "$work/fault.so" "$work/fault.c" -ldl || bail_out "no compiler"

src=$work/src
old=$work/old
dest=$work/dest
for t in "$src" "$old"; do
	mkdir -p "$t/dir/empty" "$t/read-only"
	for n in $(seq 30); do head -c "$((n * 997))" /dev/urandom >"$t/dir/$n"; done
	head -c 3000000 /dev/urandom >"$t/big"
	ln "$t/big" "$t/dir/linked"
	: >"$t/nothing"
	truncate -s 500000 "$t/hole"
	chmod 500 "$t/read-only"
done
ln -s nowhere "$src/link"
mkdir "$src/new"
touch -d '2001-02-03 04:05:06' "$old"/* "$old"/dir/*

begin() { chmod -R u+rwx "$dest" 2>/dev/null; rm -rf "$dest" && cp -a "$old" "$dest"; }

# Each file under a final name is the old one or the new one, whole.
whole_or_old() {
	(cd "$dest" && find . -type f ! -name '.dvx-copy.*') | while read -r f; do
		cmp -s "$src/$f" "$dest/$f" || cmp -s "$old/$f" "$dest/$f" || { echo "$f is neither"; exit 1; }
	done
}
made_up_for() {
	whole_or_old && pull --quiet -aH "127.0.0.1:$port:./" "$dest" && same "$src" "$dest" && no_temps "$dest"
}

# failing CALL ERRNO WORDS [OPTION...]: at the first call, and at some later ones if there are so many. Not each call
# matters: root writes into a directory that could not be made writable first.
failing() {
	call=$1 number=$2 words=$3 told=
	shift 3
	for nth in 1 ${DVX_TEST_LONG:+2 5 20}; do
		begin
		(FAULT=$call:$nth:$number LD_PRELOAD=$asan$work/fault.so && export FAULT LD_PRELOAD &&
			pull --quiet -aH "$@" "127.0.0.1:$port:./" "$dest") 2>"$work/err"
		status=$?
		cat "$work/err"
		case $status in
		0) ;;
		1 | 3) grep -qF "$words" "$work/err" || { echo "does not say: $words"; return 1; }
			told=1 ;;
		*) echo "status $status"; return 1 ;;
		esac
		made_up_for || return 1
	done
	[ -n "$told" ] || { echo "$call is not called, or its failure is not told"; return 1; }
}
start "$src" --slots 4 --slot-size 64K
check "a full disk" failing pwrite 28 "No space left on device"
check "a read-only file system" failing openat 30 "Read-only file system"
check "a rename that fails" failing renameat 5 "Input/output error"
check "a disk that fails to sync a group" failing syncfs 5 "Input/output error"
if [ -n "${DVX_TEST_LONG-}" ]; then
	check "a full quota" failing pwrite 122 "Disk quota exceeded"
	check "a disk that can't write" failing pwrite 5 "Input/output error"
	check "no room for a directory" failing mkdirat 28 "No space left on device"
	check "no room for a symbolic link" failing symlinkat 28 "No space left on device"
	check "no more links" failing linkat 31 "Too many links"
	check "a mode that can't be set" failing fchmod 1 "Operation not permitted"
	check "a time that can't be set" failing futimens 5 "Input/output error"
	check "a disk that fails to sync a file" failing fsync 5 "Input/output error" --fsync each
fi

# faulty FAULT [OPTION...]: a pull into a new directory, whose files have no name until they are complete where that can be done
faulty() {
	chmod -R u+rwx "$dest" && rm -rf "$dest"
	(FAULT=$1 LD_PRELOAD=$asan$work/fault.so && export FAULT LD_PRELOAD && shift &&
		exec_pull --quiet -a --fsync=none "$@" "127.0.0.1:$port:./" "$dest")
}
by_name() { faulty "$1" && same "$src" "$dest" && no_temps "$dest"; }
check "without O_TMPFILE files get a name and are renamed" by_name tmpfile:0:95
# ext4 writes all of a file that was cut to nothing when it is closed: --fsync=none would wait for the disk.
uncut() { # OPTION...
	head -c 5000000 /dev/urandom >"$work/large" && stop && start "$work" --slots 4 --slot-size 64K && rm -f "$work/larger" &&
		(FAULT=ftruncate:0:5 LD_PRELOAD=$asan$work/fault.so && export FAULT LD_PRELOAD &&
			exec_pull --quiet -a --fsync=none "$@" "127.0.0.1:$port:large" "$work/larger") && cmp "$work/large" "$work/larger"
	uncut=$?
	stop && start "$src" --slots 4 --slot-size 64K && return $uncut
}
check "a new large file is not cut to nothing" uncut
check "and where a file without a name can't be given one" by_name linkat:0:1
case $(stat -f -c %T "$work") in
ext2/ext3 | tmpfs)
	unnamed() {
		faulty pwrite:20:0 --exclude=big --exclude=linked
		[ $? = 137 ] && no_temps "$dest" && whole_or_old && made_up_for
	}
	check "a kill leaves no part of a small file" unnamed
	;;
*) skip "a kill leaves no part of a small file" "not on this file system" ;;
esac

unreadable() {
	stop && begin || return 1
	FAULT=pread:3:5 LD_PRELOAD=$asan$work/fault.so
	export FAULT LD_PRELOAD
	start "$src" --slots 4 --slot-size 64K
	unset FAULT LD_PRELOAD
	pull --quiet -aH "127.0.0.1:$port:./" "$dest" 2>"$work/err"
	status=$?
	cat "$work/err"
	[ "$status" = 1 ] && grep -q "Input/output error" "$work/err" && made_up_for
}
check "a source that can't be read is named, the rest is copied" unreadable
check "server ends well" stop

# Some moment within a copy.
a_moment() { "$PERL" -e 'srand $ARGV[0]; select(undef, undef, undef, rand() ** 2 * 0.4)' "$1"; }
killed() {
	begin
	start "$src" --slots 2 --slot-size 16K
	exec_pull --quiet -aH "127.0.0.1:$port:./" "$dest" >/dev/null 2>&1 &
	client=$!
	a_moment "$1"
	if [ $(($1 % 2)) = 0 ]; then
		kill -9 "$client" 2>/dev/null
	else
		kill -9 "$server"
		wait "$server"
		server=
	fi
	wait "$client"
	[ -n "$server" ] || start "$src" --slots 2 --slot-size 16K
	made_up_for
	status=$?
	stop && return $status
}
kills=4
[ -z "${DVX_TEST_LONG-}" ] || kills=200
all_killed() {
	for n in $(seq "$kills"); do
		killed "$n" || { echo "kill $n"; return 1; }
	done
}
check "$kills kills, of the client and the server in turn" all_killed
plan
