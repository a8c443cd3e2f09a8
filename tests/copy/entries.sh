# SPDX-License-Identifier: BSD-2-Clause
# Proves: what the destination refuses of one entry is named, and the rest is copied (exit 1), by pull and by push; and
# what of an entry's attributes, links and times arrives.
. "${top_srcdir:?}/tests/copy/copy_lib.sh" || exit 99

src=$work/src
dest=$work/dest
user=12345
mkdir -p "$src/a" "$src/b/deep" "$src/c" "$dest"
for d in a b b/deep c; do for n in 1 2 3 4 5 6 7 8 9 10 11 12 13; do echo "$d$n" >"$src/$d/$n"; done; done
ln -s 1 "$src/b/link"
ln "$src/a/7" "$src/c/linked"
start "$work" --writable
root() { [ "$(id -u)" = 0 ]; }
# Root may write everywhere, without this capability only where a user may.
if root; then bounded='setpriv --bounding-set=-dac_override'; else bounded=; fi

# copies WAY OPTION...: of the source to the destination
copies() {
	how=$1
	shift
	case $how in
	pull) on_dpu $bounded "$copy" pull --fsync=none "$@" "127.0.0.1:$port:src/" "$dest" ;;
	push) on_dpu "$copy" push --fsync=none "$@" "$src/" "127.0.0.1:$port:dest" ;;
	esac
}
fresh() {
	rm -rf "$dest" 2>/dev/null || { chattr -R -i "$dest"; chmod -R u+rwx "$dest"; rm -rf "$dest"; }
	mkdir "$dest"
}

# left PATTERN WAY OPTION...: exit 1, only what matches is named, and everything else is there and right
left() {
	pattern=$1
	shift
	copies "$@" >"$work/out" 2>"$work/err"
	status=$?
	[ "$status" = 1 ] && LD_PRELOAD= "$PERL" -e '
		my ($pattern, $src, $dest, $err) = @ARGV;
		sub contents { open my $in, "<", $_[0] or die "$_[0]: $!\n"; local $/; <$in> }
		sub walk {
			my ($dir, $visit) = @_;
			opendir my $d, $dir or die "$dir: $!\n";
			for (map { "$dir/$_" } grep { !/^\.\.?$/ } readdir $d) { $visit->($_); walk($_, $visit) if -d && !-l }
		}
		my @said = split /^/, contents($err);
		die "names nothing\n" unless grep { /^dvx-copy: / } @said;
		/^dvx-copy: ($pattern)(\/[^:]*)?: / or die "names another: $_" for @said;
		walk($src, sub {
			my $name = substr $_[0], 1 + length $src;
			return if -d $_[0] && !-l $_[0] or $name =~ /^(?:$pattern(\/.*)?)$/;
			die "$name differs\n" unless -l $_[0] ? -l "$dest/$name" : contents($_[0]) eq contents("$dest/$name");
		});
		walk($dest, sub { die "left: $_[0]\n" if $_[0] =~ m{/\.dvx-copy\.[^/]*$} });
		' "$pattern" "$src" "$dest" "$work/err" || { echo "status $status"; cat "$work/out" "$work/err"; return 1; }
}
unchanged_after() { copies pull --json "$@" >"$work/json"; grep -q '"files": 0,' "$work/json" || { cat "$work/json"; return 1; }; }

# --- one entry is refused ---

others_directory() { fresh && mkdir "$dest/b" && chown $user "$dest/b" && chmod 755 "$dest/b" && left b pull "$@"; }
closed_directory() { fresh && mkdir "$dest/b" && chown $user "$dest/b" && chmod 700 "$dest/b" && left b pull "$@"; }
immutable() { # WAY OPTION...
	fresh && mkdir "$dest/b" && echo old >"$dest/b/3" && echo old >"$dest/a" && chattr +i "$dest/b/3" "$dest/a" &&
		left 'b/3|a' "$@" && [ "$(cat "$dest/b/3")" = old ]
}
immutable_directory() { fresh && mkdir -p "$dest/b" && chattr +i "$dest/b" && left b "$@"; }
linked_to_lost() { # the first link that is listed can't be replaced; the other must not become a link to what is there
	fresh && mkdir "$dest/a" && echo old >"$dest/a/7" && chattr +i "$dest/a/7" && left 'a/7|c/linked' pull -aH
	[ "$(cat "$dest/a/7")" = old ] && [ "$(stat -c %h "$dest/a/7")" = 1 ] && {
		grep '^dvx-copy: c/linked: ' "$work/err" || cmp "$src/c/linked" "$dest/c/linked"
	}
}
deletes() {
	fresh && mkdir -p "$dest/x/y" "$dest/z" && echo old >"$dest/x/y/1" && echo old >"$dest/x/2" && chattr +i "$dest/x/y/1" &&
		left 'x|x/y' "$1" -a --delete && [ -e "$dest/x/y/1" ] && [ ! -e "$dest/x/2" ] && [ ! -e "$dest/z" ]
}
if root && : >"$dest/try" && chattr +i "$dest/try" 2>/dev/null; then
	chattr -i "$dest/try"
	check "a directory that this user may not write" others_directory -rlt --fsync=group
	check "one that it may not open" closed_directory -rlt
	for way in pull push; do
		check "$way: immutable files, one where a directory is to be" immutable $way -a
		check "$way: in groups" immutable $way -a --fsync=group
		check "$way: each synced" immutable $way -a --fsync=each --jobs=1
		check "$way: in place" immutable $way -a --inplace
		check "$way: an immutable directory" immutable_directory $way -a
		check "$way: --delete of what can't be deleted" deletes $way
	done
	check "a hard link to a file that could not be copied" linked_to_lost
else
	skip "what may not be written" "needs root and a file system with immutable files"
fi

too_large() { # OPTION...: a file that this process may not make so large
	fresh && head -c 300000 /dev/urandom >"$src/b/large" && head -c 5000000 /dev/urandom >"$src/c/larger" &&
		(ulimit -f 64 && left 'b/large|c/larger' pull "$@") && rm "$src/b/large" "$src/c/larger"
}
check "files that are too large" too_large -a
check "in groups" too_large -a --fsync=group
check "in place" too_large -a --inplace
running() {
	fresh && mkdir "$dest/b" && cp "$(command -v sleep)" "$dest/b/5" && { "$dest/b/5" 1000 & } && busy=$! &&
		until [ "$(readlink "/proc/$busy/exe")" = "$dest/b/5" ]; do :; done
	left b/5 pull -a --inplace
	status=$?
	kill "$busy"
	return $status
}
check "a program that runs is not written in place" running

# Errors that this file system does not have: FAULT=CALL:NAME:ERRNO fails each of these calls for that name.
cat >"$work/refuse.c" <<'END_OF_C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
static int refused(const char *call, const char *name)
{
	const char *f = getenv("FAULT"), *want = f ? strchr(f, ':') + 1 : "";
	if (!f || strncmp(f, call, strlen(call)) || f[strlen(call)] != ':' || strncmp(name, want, strcspn(want, ":")) ||
	    strlen(name) != strcspn(want, ":"))
		return 0;
	errno = atoi(strchr(want, ':') + 1);
	return 1;
}
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
int mkdirat(int a, const char *b, mode_t c) { return refused("mkdirat", b) ? -1 : NEXT(mkdirat)(a, b, c); }
int renameat(int a, const char *b, int c, const char *d) { return refused("renameat", d) ? -1 : NEXT(renameat)(a, b, c, d); }
int linkat(int a, const char *b, int c, const char *d, int e) { return refused("linkat", d) ? -1 : NEXT(linkat)(a, b, c, d, e); }
int symlinkat(const char *a, int b, const char *c) { return refused("symlinkat", a) ? -1 : NEXT(symlinkat)(a, b, c); }
int fstatat(int a, const char *b, struct stat *c, int d) { return refused("fstatat", b) ? -1 : NEXT(fstatat)(a, b, c, d); }
END_OF_C
${CC:-cc} -shared -fPIC -o "$work/refuse.so" "$work/refuse.c" -ldl || bail_out "no compiler"
refusing() { # CALL NAME ERRNO PATTERN
	fresh && mkdir "$dest/c" && : >"$dest/c/9" &&
		(FAULT=$1:$2:$3 LD_PRELOAD=$asan$work/refuse.so && export FAULT LD_PRELOAD && left "$4" pull -a --fsync=group)
}
for number in 22 31 36 95; do # EINVAL EMLINK ENAMETOOLONG EOPNOTSUPP
	check "error $number of a directory" refusing mkdirat b "$number" b
done
for number in 13 20 21 40 122; do # EACCES ENOTDIR EISDIR ELOOP EDQUOT
	check "error $number of a file's name" refusing renameat 13 "$number" '[abc]/(deep/)?13'
done
check "no symbolic links here" refusing symlinkat 1 1 b/link
check "an entry that can't be examined" refusing fstatat 9 13 c/9
whole() { # ERRNO: what the next entry would meet, too
	fresh
	(FAULT=mkdirat:b:$1 LD_PRELOAD=$asan$work/refuse.so && export FAULT LD_PRELOAD && fails 3 "b could not be made" copies pull -qa)
}
check "a full disk ends the copy" whole 28
check "so does one that fails" whole 5
read_only_part() {
	fresh && mkdir "$dest/b" "$work/ro" && mount --bind -o ro "$work/ro" "$dest/b" && left b pull -a
	status=$?
	umount "$dest/b"
	return $status
}
if root && unshare -m true 2>/dev/null && mkdir "$work/try" && mount --bind "$work/try" "$work/try" 2>/dev/null; then
	umount "$work/try"
	check "a part of the destination is mounted read-only" read_only_part
else
	skip "a part of the destination is mounted read-only" "no right to mount"
fi
fresh

# --- several sources ---

mkfifo "$src/fifo"
ln -s /etc "$src/leaves"
# some_of WAY OPTIONS SOURCE...: of src/, to the destination
some_of() {
	how=$1
	letters=$2
	shift 2
	# shellcheck disable=SC2086
	case $how in
	pull)
		for s; do shift && set -- "$@" "127.0.0.1:$port:src/$s"; done
		pull $letters "$@" "$dest"
		;;
	push)
		for s; do shift && set -- "$@" "$src/$s"; done
		on_dpu "$copy" push $letters "$@" "127.0.0.1:$port:dest"
		;;
	esac >"$work/out" 2>"$work/err"
	status=$?
	cat "$work/out" "$work/err"
	return $status
}
# others_copied NAMED WAY OPTIONS SOURCE...: exit 1, one sentence for each that is named, and a and c are there
others_copied() {
	named=$1
	shift
	fresh
	some_of "$@"
	[ $? = 1 ] && [ "$(grep -c '^dvx-copy: ' "$work/err")" = "$named" ] && diff -r "$src/a" "$dest/a" && diff -r "$src/c" "$dest/c"
}
nothing_deleted() { # WAY SOURCE...
	fresh && mkdir -p "$dest/b" "$dest/deep" && touch "$dest/extra" "$dest/b/extra"
	how=$1
	shift
	some_of "$how" "-a --delete" "$@"
	[ $? = 1 ] && [ -e "$dest/extra" ] && [ -e "$dest/b/extra" ]
}
for way in pull push; do
	check "$way: one of several sources is missing" others_copied 1 $way -a a none c
	check "$way: more of them, first and last, and a directory that is none" others_copied 4 $way -a none a a/1/ c b/none/1 none
	check "$way: one of a kind that is not copied" others_copied 1 $way -rlt a fifo c
	check "$way: --delete deletes nothing then" nothing_deleted $way a/ none/ c/
	check "$way: nor where the missing one is the last" nothing_deleted $way a/ none
	check "$way: a single source that is missing" fails 3 "No such file" some_of $way -a none
done
check "sources that the server refuses" others_copied 2 pull -a leaves/passwd a ../x c
check "a pattern that matches nothing is one" others_copied 1 pull -a a 'no*' c
check "alone it is a missing source" fails 3 "No such file" some_of pull -a 'no*'
unlisted() { # -R: what is missing is not deleted
	fresh && mkdir "$dest/none" && touch "$dest/none/1" "$dest/extra" && cd "$src" &&
		on_dpu "$copy" push -aR --delete a none c "127.0.0.1:$port:dest" 2>"$work/err"
	status=$?
	cat "$work/err"
	cd "$work" || return 1
	[ $status = 1 ] && [ -e "$dest/none/1" ] && diff -r "$src/a" "$dest/a" && diff -r "$src/c" "$dest/c"
}
check "-R --delete of push" unlisted
rm "$src/fifo" "$src/leaves"
fresh

# --- attributes ---

read_only_in_place() {
	fresh && mkdir "$dest/a" && echo older >"$dest/a/3" && chmod 444 "$dest/a/3" && copies pull -rlt --inplace &&
		cmp "$src/a/3" "$dest/a/3" && [ "$(stat -c %a "$dest/a/3")" = 444 ]
}
check "a read-only file is written in place, and stays read-only" read_only_in_place
others_destination() { # everybody may write there, but only its owner may set the mode and owner that it has already
	chown $user "$src" && fresh && chown $user "$dest" && chmod 777 "$dest" &&
		on_dpu setpriv --bounding-set=-fowner,-chown "$copy" pull -q "$@" "127.0.0.1:$port:src/" "$dest"
	status=$?
	chown root "$src"
	return $status
}
if root; then
	check "another user's destination" others_destination -rl
	check "with its owner and group" others_destination -rlog
else
	skip "another user's destination" "needs root"
fi
if root && setfattr -n user.a -v b "$src/a/1" 2>/dev/null; then
	attribute() { [ "$(getfattr --only-values -n user.a "$dest/a/1" 2>/dev/null)" = "$1" ]; }
	of_read_only() {
		chmod 444 "$src/a/1" && copies pull -aX && attribute b && setfattr -n user.a -v new "$src/a/1" && copies pull -aX &&
			attribute new && setfattr -x user.a "$src/a/1" && copies pull -aX && attribute '' &&
			[ "$(stat -c %a "$dest/a/1")" = 444 ]
	}
	check "attributes of a read-only file are made, changed and removed" of_read_only
	many() {
		"$PERL" -e 'print "# file: $ARGV[0]\n", map { "user.n$_=\"" . "x" x 4000 . "\"\n" } 1 .. 70' "$src/a/2" >"$work/attributes"
		setfattr --restore="$work/attributes" 2>/dev/null
		[ "$(getfattr -d "$src/a/2" 2>/dev/null | wc -c)" -gt 262144 ] || return 0
		left a/2 pull -aX && cmp "$src/a/2" "$dest/a/2" && cp "$src/a/2" "$src/a/plain" && mv "$src/a/plain" "$src/a/2"
	}
	check "more attributes than are kept are named, the file is copied" many
else
	skip "attributes of a read-only file" "no user attributes here"
fi
inherited() { # OPTION...
	fresh && chmod 2775 "$dest" && chgrp "$user" "$dest" && copies pull "$@" && [ "$(stat -c %A "$dest/b/deep")" = drwxr-sr-x ] &&
		copies pull "$@" && [ "$(stat -c %A "$dest/b/deep")" = drwxr-sr-x ]
}
if root; then
	check "a directory inherits set-group-id" inherited -rlt
	check "without letters, too" inherited
	exact() { copies pull -a && [ "$(stat -c %A "$dest/b/deep")" = drwxr-xr-x ]; }
	check "with -p it has the source's mode" exact
else
	skip "a directory inherits set-group-id" "needs root"
fi

# --- times ---

# coarse DIGITS: the destination stores no more of each time than these digits of the second
coarse() {
	fresh && copies pull -qa && /usr/bin/python3 -c 'import os, sys
src, dest, unit = sys.argv[1], sys.argv[2], 10 ** (9 - int(sys.argv[3]))
for at, dirs, files in os.walk(src, topdown=False):
    for name in [os.path.relpath(os.path.join(at, f), src) for f in files + dirs]:
        if not os.path.islink(os.path.join(src, name)):
            time = os.stat(os.path.join(src, name)).st_mtime_ns // unit * unit
            os.utime(os.path.join(dest, name), ns=(time, time))' "$src" "$dest" "$1" || return 1
	copies pull -a -i >"$work/out" || return 1
	cat "$work/out"
	! grep '^[.<>ch]' "$work/out" && grep -q '^0 files' "$work/out"
}
for digits in 0 2 6 7 9; do
	check "times with $digits digits behind the second are the same" coarse $digits
done
window() {
	fresh && copies pull -qa && touch -r "$src/a/3" "$work/time" && touch -d "@$(($(stat -c %Y "$src/a/3") - 1)).9" "$dest/a/3" &&
		unchanged_after -a --modify-window=1 && copies pull --json -a --modify-window=0 >"$work/json" && grep -q '"files": 1,' "$work/json" &&
		touch -d "@$(stat -c %Y "$src/a/3").000000001" "$dest/a/3" && unchanged_after -a --modify-window=0 &&
		touch -d "@$(stat -c %Y "$src/a/3")" "$dest/a/3" && copies pull --json -a -@ -1 >"$work/json" && grep -q '"files": 1,' "$work/json"
}
check "--modify-window: seconds, whole seconds, nanoseconds" window
check "--modify-window wants a number" fails 2 "--modify-window is a number" copies pull --modify-window=x

# --- links, counts ---

across() { # pull|push
	fresh && mkdir -p "$src/h1" "$src/h2" && echo x >"$src/h1/a" && ln -f "$src/h1/a" "$src/h2/b" || return 1
	case $1 in
	pull) pull --quiet -aH "127.0.0.1:$port:src/h1" "127.0.0.1:$port:src/h2" "$dest" ;;
	push) on_dpu "$copy" push --quiet -aH "$src/h1" "$src/h2" "127.0.0.1:$port:dest" ;;
	esac && [ "$(stat -c %h "$dest/h1/a" "$dest/h2/b" | tr '\n' ' ')" = "2 2 " ] && [ "$dest/h1/a" -ef "$dest/h2/b" ]
}
check "hard links across sources by pull" across pull
check "and by push" across push
newer_link() { # NEWER OTHER: -u keeps one name of the source's file, and the other does not become a link to it
	fresh && mkdir "$src/n" && echo x >"$src/n/a" && touch -d 2020-01-01 "$src/n/a" && ln "$src/n/a" "$src/n/b" && copies pull -aH &&
		rm "$dest/n/$1" && echo mine >"$dest/n/$1" && copies pull -aHu --json >"$work/json" &&
		[ "$(cat "$dest/n/$1") $(cat "$dest/n/$2")" = "mine x" ] && grep -q '"newer": 1,' "$work/json"
	status=$?
	cat "$work/json" "$dest/n/$1" "$dest/n/$2"
	rm -r "$src/n"
	return $status
}
check "-u -H leaves a newer file alone" newer_link a b
check "whichever of the names is listed first" newer_link b a
# A name that the next copy cleans away is refused, each time; what only resembles it is copied.
reserved() { # pull|push
	names='d/\.dvx-copy\.(0123456789abcdef\.part|fedcba9876543210\.part|0001000002abcdef)'
	fresh && mkdir "$src/d" && touch "$src/d/.dvx-copy.0123456789abcdef.part" "$src/d/.dvx-copy.0001000002abcdef" &&
		ln -s 1 "$src/d/.dvx-copy.fedcba9876543210.part" && left "$names" "$1" -a && left "$names" "$1" -a &&
		[ "$(grep -c 'temporary files: rename it' "$work/err")" = 3 ] &&
		mkdir "$src/d/.dvx-copy.z.part" && touch "$src/d/.dvx-copy.z.part/f" "$src/d/.dvx-copy.conf" "$src/d/.dvx-copy.my.part" &&
		{ copies "$1" -a; copies "$1" -a; [ $? = 1 ]; } &&
		[ -f "$dest/d/.dvx-copy.z.part/f" ] && [ -f "$dest/d/.dvx-copy.conf" ] && [ -f "$dest/d/.dvx-copy.my.part" ]
	status=$?
	rm -rf "$src/d"
	return $status
}
check "a name of temporary files is refused by pull" reserved pull
check "and by push" reserved push
dry() {
	fresh && copies "$1" --json -naH >"$work/json" && copies pull --json -aH >"$work/json.2" || return 1
	for field in files directories symlinks hard_links bytes; do
		[ "$(grep "\"$field\":" "$work/json")" = "$(grep "\"$field\":" "$work/json.2")" ] || { cat "$work/json" "$work/json.2"; return 1; }
	done
}
check "pull -n counts what it would do" dry pull
check "and push -n" dry push
counted() {
	fresh && mkdir "$dest/b" && echo old >"$dest/b/3" && chattr +i "$dest/b/3" && copies push --json -a >"$work/json"
	cat "$work/json"
	chattr -i "$dest/b/3"
	n=$(find "$src" -type f | wc -l)
	grep -q "\"files\": $((n - 1))," "$work/json"
}
if root && chattr +i "$work/json" 2>/dev/null; then
	chattr -i "$work/json"
	check "push counts what arrived" counted
fi
check "the server ends well" stop
plan
