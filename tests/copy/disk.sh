# SPDX-License-Identifier: BSD-2-Clause
# Proves: a full destination, and sources that change or can't be read, are told and leave no half file.
. "${top_srcdir:?}/tests/copy/copy_lib.sh" || exit 99

src=$work/src
mkdir -p "$src"
dd if=/dev/urandom of="$src/big" bs=1M count=32 status=none
echo small >"$src/small"
start "$src"

limited() {
	# In units of 512 or 1024 bytes: less than the file either way.
	(ulimit -f 20000 && pull "127.0.0.1:$port:big" "$work/limited")
}
check "a file-size limit" fails 1 "limited: could not be written at the destination: File too large" limited
gone() { [ ! -e "$work/limited" ] && no_temps "$work"; }
check "leaves nothing" gone

mkdir "$work/tmpfs"
if mount -t tmpfs -o size=8m none "$work/tmpfs" 2>/dev/null; then
	check "a full disk" fails 3 "No space left" pull "127.0.0.1:$port:." "$work/tmpfs"
	fresh() { no_temps "$work/tmpfs" && [ ! -e "$work/tmpfs/big" ] && whole "$src" "$work/tmpfs"; }
	check "leaves no half file" fresh
	umount "$work/tmpfs"
else
	skip "a full disk" "no right to mount a tmpfs"
fi
# A disk that can't keep what it was given says so at fsync only.
cat >"$work/nosync.c" <<'END'
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
int syncfs(int fd)
{
	(void)fd;
	errno = EIO;
	return getenv("SLOW_DISK") ? poll(0, 0, 4000) : -1;
}
int fsync(int fd) { return syncfs(fd); }
END
if ${CC:-cc} -shared -fPIC -o "$work/nosync.so" "$work/nosync.c"; then
	# A sanitizer's runtime wants to be first.
	asan=$(ldd "$top_builddir/src/sim/.libs/libdvx-sim.so" | sed -n 's/.*=> \(.*lib[at]san[^ ]*\) .*/\1:/p')
	unsynced() { (LD_PRELOAD="$asan$work/nosync.so" && export LD_PRELOAD && pull ${1+"$@"} "127.0.0.1:$port:big" "$work/unsynced"); }
	check "a disk that fails to sync" fails 3 "Input/output error" unsynced
	unnamed() { [ ! -e "$work/unsynced" ] && no_temps "$work"; }
	check "leaves nothing" unnamed
	mkdir "$src/many"
	for n in $(seq 20); do echo "$n" >"$src/many/$n"; done
	group() { (LD_PRELOAD="$asan$work/nosync.so" && export LD_PRELOAD && pull ${1+"$@"} "127.0.0.1:$port:many/" "$work/group"); }
	mkdir "$work/group"
	check "a group of files whose sync fails" fails 3 "Input/output error" group
	none_named() { [ -z "$(ls -A "$work/group")" ]; }
	check "leaves none of them" none_named
	check "--fsync=none does not ask the disk" group --quiet --fsync=none
	if [ -n "${DVX_TEST_LONG-}" ]; then
		slow() {
			stop || return 1
			start "$src" --timeout 2
			SLOW_DISK=1
			export SLOW_DISK
			rm -r "$work/group"
			group --quiet && diff -r "$src/many" "$work/group" && unsynced --quiet && rm "$work/unsynced" &&
				unset SLOW_DISK && ! grep silent "$work/server.err"
		}
		check "a disk that takes longer to sync than the server waits for a silent client" slow
		bytes() {
			head -c 9000 "$src/big" >"$src/few" && pull --quiet --timeout 2 --bwlimit=1k "127.0.0.1:$port:few" "$work/few" &&
				cmp "$src/few" "$work/few" && rm "$src/few"
		}
		check "a limit that lets a slot go each four seconds is no silence" bytes
		cat >"$work/slow.c" <<-'END'
			#define _GNU_SOURCE
			#include <dlfcn.h>
			#include <poll.h>
			#include <string.h>
			#include <sys/stat.h>
			int fstatat(int d, const char *name, struct stat *st, int flags)
			{
				if (!strncmp(name, "hidden", 6))
					poll(0, 0, 300);
				return ((__typeof__(&fstatat))dlsym(RTLD_NEXT, "fstatat"))(d, name, st, flags);
			}
		END
		${CC:-cc} -shared -fPIC -o "$work/slow.so" "$work/slow.c" -ldl
		hidden() {
			stop && mkdir "$src/filtered" && for n in $(seq 15); do : >"$src/filtered/hidden$n"; done
			LD_PRELOAD=$asan$work/slow.so
			export LD_PRELOAD
			start "$src"
			unset LD_PRELOAD
			pull --quiet --timeout 2 --exclude='hidden*' "127.0.0.1:$port:filtered" "$work/filtered" && rm -r "$src/filtered"
		}
		check "nor is a long walk through what is excluded" hidden
	fi
	rm -r "$src/many"
fi
# What has got a new name is synced after that: the directory, or with many of them the file system.
cat >"$work/names.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>
static void note(const char *what, int dir)
{
	char link[40], path[4096];
	FILE *log = fopen(getenv("NAMES_LOG"), "a");
	ssize_t n;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	n = readlink(link, path, sizeof(path) - 1);
	fprintf(log, "%s %.*s\n", what, n > 0 ? (int)n : 0, path);
	fclose(log);
}
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
int fsync(int fd) { note("sync", fd); return 0; }
int mkdirat(int d, const char *p, mode_t m) { note("name", d); return NEXT(mkdirat)(d, p, m); }
int renameat(int a, const char *b, int c, const char *d) { note("name", c); return NEXT(renameat)(a, b, c, d); }
END
if ${CC:-cc} -shared -fPIC -o "$work/names.so" "$work/names.c" -ldl; then
	durable() {
		mkdir -p "$src/linked/1" "$src/linked/2" && echo x >"$src/linked/1/f" && ln "$src/linked/1/f" "$src/linked/2/f"
		rm -f "$work/names"
		(LD_PRELOAD="$asan$work/names.so" NAMES_LOG=$work/names && export LD_PRELOAD NAMES_LOG &&
			pull --quiet -aH "127.0.0.1:$port:linked" "$work/durable/") || return 1
		cat "$work/names"
		rm -r "$src/linked"
		awk '/^name/ { names++; open[$2] = 1 } /^sync/ { delete open[$2] }
			END { for (d in open) { print d " was not synced"; names = 0 } exit names < 5 }' "$work/names"
	}
	check "few new names are durable at the end: directories, files, hard links, DEST" durable
fi
if [ "$(id -u)" != 0 ]; then
	mkdir "$work/locked"
	chmod 500 "$work/locked"
	check "a directory that may not be written" fails 3 "Permission denied" \
		pull "127.0.0.1:$port:small" "$work/locked"
	chmod 000 "$src/small"
	check "a source that may not be read" fails 1 "Permission denied" \
		pull --quiet "127.0.0.1:$port:." "$work/partly"
	chmod 644 "$src/small"
else
	skip "a directory that may not be written" "root may write everywhere"
	skip "a source that may not be read" "root may read everything"
fi

# meanwhile COMMAND...: runs it while the client waits in the middle of the file.
meanwhile() {
	exec_paused --quiet "127.0.0.1:$port:." "$work/changed" 2>"$work/err" &
	client=$!
	paused || return 1
	"$@"
	go_on
	wait "$client"
	status=$?
	cat "$work/err"
	[ "$status" = 1 ] && cmp "$src/small" "$work/changed/small" && no_temps "$work/changed"
}
stop
start "$src" --slots 1 --slot-size 4K
touched() { meanwhile touch "$src/big" && grep -q 'big: changed while' "$work/err" && cmp "$src/big" "$work/changed/big"; }
check "a source that is touched meanwhile is named and kept" touched
rm -rf "$work/changed"
grown() {
	meanwhile sh -c 'printf more >>"$1"' sh "$src/big" && grep -q 'big: changed while' "$work/err" &&
		[ "$(wc -c <"$work/changed/big")" = 33554432 ] && cmp -n 33554432 "$src/big" "$work/changed/big"
}
check "a source that grows meanwhile is named and kept as long as it was" grown
rm -rf "$work/changed"
shrunk() { meanwhile truncate -s 5000 "$src/big" && grep -q 'big: shrank while' "$work/err" && [ ! -e "$work/changed/big" ]; }
check "a source that shrinks meanwhile is named and not kept" shrunk
check "server ends well" stop
plan
