# SPDX-License-Identifier: BSD-2-Clause
# Proves: what rsync's users type is taken and means the same, or is refused with what to do instead.
. "${top_srcdir:?}/tests/copy/copy_lib.sh" || exit 99
rsync --version >"$work/which" 2>&1 || skip_all "rsync is not installed"

src=$work/src
mkdir -p "$src/a/b" "$src/c/d" "$src/c.x"
for f in top a/1 a/b/2 c/3 c/d/4 c.x/5; do echo "$f" >"$src/$f"; done
ln -s 1 "$src/a/link"
touch -d '2001-02-03 04:05:06.7' "$src/a/1" "$src/a/b" "$src/a" "$src/c/d" "$src/c"
cd "$src" || bail_out "no source"
start "$work" --writable
push() { on_dpu "$copy" push --fsync=none "$@"; }
quick() { pull --fsync=none "$@"; }
fresh() { rm -rf "$work/ours" "$work/theirs"; }
# Entries below the destinations are the same as rsync's; the destinations themselves are other folders.
alike() {
	touch -d 2000-01-01 "$work/ours" "$work/theirs"
	rsync -n -i -a --delete "$work/theirs/" "$work/ours/" >"$work/rsync"
	cat "$work/rsync"
	[ ! -s "$work/rsync" ]
}

# --- letters ---

refused() { # OPTION WORDS: by pull and push, before anything is done
	for verb in pull push; do
		"$copy" $verb -a "$1" "127.0.0.1:$port:src/" "$work/no" >"$work/out" 2>"$work/err"
		status=$?
		cat "$work/out" "$work/err"
		[ "$status" = 2 ] && [ ! -s "$work/out" ] && grep -qF -- "$2" "$work/err" || return 1
	done
}
while IFS='|' read -r option words; do
	check "$option is refused" refused "$option" "$words"
done <<END_OF_ROWS
-L|there is no --copy-links here
--copy-links|there is no --copy-links here
-b|there is no --backup here: cp -a DEST
--backup-dir=x|there is no --backup-dir here: cp -a DEST
--link-dest=x|there is no --link-dest here: cp -al
--remove-source-files|delete them at the source
--max-delete=3|-n --delete
--size-only|--modify-window
--ignore-existing|-u
--mkpath|mkdir -p
--chmod=go=|chmod the copy
--chown=a:b|chown the copy
-essh|starts no shell
--rsh=ssh|starts no shell
-E|-p keeps modes
--delete-after|--delete deletes
--filter=x|--include and --exclude
-Tx|--inplace
--no-such|unrecognized option
--info=backup|progress2, stats and name
END_OF_ROWS
no_help() { # ARGUMENTS...: too few arguments are no wish for help
	"$copy" pull "$@" >"$work/out" 2>"$work/err"
	[ "$?" = 2 ] && [ ! -s "$work/out" ] && grep -q 'needs ADDR' "$work/err"
}
check "-avh without a source is wrong usage" no_help -avh
help() { "$copy" pull -h >"$work/out" && "$copy" pull --help | cmp - "$work/out"; }
check "-h alone is the help" help
each_refused() { # no letter of rsync's prints the help or is unknown
	for letter in v q c a r R b u l L K H p E A X o g D t U N O J S n W x C 0 s 4 6 h i P z I m F y; do
		"$copy" push "-$letter" one >"$work/out" 2>"$work/err"
		[ "$?" = 2 ] && [ ! -s "$work/out" ] && grep -qE 'needs SRC|there is no --' "$work/err" || {
			echo "-$letter"
			cat "$work/out" "$work/err"
			return 1
		}
	done
}
check "every letter of rsync's is taken or refused" each_refused
human() {
	fresh && quick -avh "127.0.0.1:$port:src/" "$work/ours" >"$work/out" && rsync -a "$src/" "$work/theirs/" && alike &&
		grep -qx 'a/b/2' "$work/out"
}
check "-avh copies and prints names" human
ignored() { fresh && quick -azW "127.0.0.1:$port:src/" "$work/ours" 2>"$work/err" && cmp "$src/a/1" "$work/ours/a/1" && grep -q -- '^dvx-copy: -z is ignored' "$work/err"; }
check "-z is told to do nothing" ignored
without() {
	fresh && quick -a --no-times --no-l --no-o "127.0.0.1:$port:src/" "$work/ours" 2>"$work/err"
	grep -q '^dvx-copy: a/link: is a symbolic link' "$work/err" && [ ! -L "$work/ours/a/link" ] &&
		[ "$(stat -c %Y "$work/ours/a/1")" != "$(stat -c %Y "$src/a/1")" ] && fresh &&
		quick -a --no-times -t "127.0.0.1:$port:src/" "$work/ours" && [ "$(stat -c %Y "$work/ours/a/1")" = "$(stat -c %Y "$src/a/1")" ]
}
check "--no-times, --no-l; the last one counts" without
progress() {
	fresh && quick -a "$@" "127.0.0.1:$port:src/" "$work/ours" 2>"$work/err" >"$work/out" && [ -s "$work/err" ]
}
check "-P shows progress" progress -P
check "--info=progress2,stats too" progress --info=progress2,stats
counters() { grep -q '^files copied' "$work/out"; }
check "and counters" counters

# --- lists ---

listed() { # WANTED ARGUMENTS...: paths of a list, and nothing is made
	want=$1
	shift
	quick "$@" >"$work/out" && [ "$(sed 's/^\S* *\S* \S* \S* //' "$work/out" | LC_ALL=C sort | tr '\n' ' ')" = "$want" ] || {
		cat "$work/out"
		return 1
	}
}
check "pull without DEST lists one level" listed '. a c c.x top ' "127.0.0.1:$port:src/"
check "a directory by its name" listed 'a ' "127.0.0.1:$port:src/a"
check "a pattern" listed 'c c.x ' "127.0.0.1:$port:src/c*"
check "-r lists all" listed '. 1 b b/2 link -> 1 ' -r "127.0.0.1:$port:src/a/"
check "--list-only, with a filter" listed '. 3 d ' --list-only --exclude=4 -a "127.0.0.1:$port:src/c/" "$work/no"
nothing() { [ ! -e "$work/no" ]; }
check "makes nothing" nothing
row() { TZ=UTC quick "127.0.0.1:$port:src/a/1" >"$work/out" && cat "$work/out" && [ "$(cat "$work/out")" = "$(stat -c %A "$src/a/1")              4 $(TZ=UTC date -r "$src/a/1" '+%Y/%m/%d %H:%M:%S') 1" ]; }
check "with mode, size and time" row
as_json() {
	quick --json "127.0.0.1:$port:src/a/" >"$work/json" && cat "$work/json" && grep -q '"path": "link"' "$work/json" && grep -q '"target": "1"' "$work/json"
}
check "as JSON" as_json
check "a list of what is not there" fails 3 "No such file" quick "127.0.0.1:$port:none"
check "push lists nothing" fails 2 "--list-only is pull's" push --list-only "$src" "127.0.0.1:$port:x"

# --- paths ---

relative() { # SOURCE...: by pull, by push and by rsync
	fresh && rsync -aR "$@" "$work/theirs/" && push --quiet -aR "$@" "127.0.0.1:$port:ours" && alike || return 1
	rm -rf "$work/ours"
	for s; do
		shift
		set -- "$@" "127.0.0.1:$port:$s"
	done
	quick --quiet -aR "$@" "$work/ours" && alike
}
cd "$work" || bail_out "no directory"
check "-R keeps paths" relative src/a/b src/c/3
check "-R from /./ on" relative src/./a/b/2 src/./c
own_mode() {
	fresh && mkdir -m 700 "$work/ours" && quick --quiet -aR "127.0.0.1:$port:src/./a" "$work/ours" && [ "$(stat -c %a "$work/ours")" = 700 ]
}
check "-R leaves DEST's own mode" own_mode
check "-R from two directories" fails 2 "count from two directories" push -aR src/./a src/c "127.0.0.1:$port:no"
check "-R of pull with --delete" fails 2 "--delete does not go with -R" quick -aR --delete "127.0.0.1:$port:src/a" "$work/no"
relative_delete() {
	fresh && push --quiet -aR src/./a src/./c "127.0.0.1:$port:ours" && rsync -aR src/./a src/./c "$work/theirs/" &&
		touch "$work/ours/a/extra" "$work/theirs/a/extra" && push --quiet -aR --delete src/./a "127.0.0.1:$port:ours" &&
		rsync -aR --delete src/./a "$work/theirs/" && [ ! -e "$work/ours/a/extra" ] && [ -e "$work/ours/c/3" ] && alike &&
		fails 3 "No such file" push -aR --delete src/./none "127.0.0.1:$port:ours" && [ -e "$work/ours/c/3" ]
}
check "-R --delete of push deletes in the sources only" relative_delete
printf '%s\n' '# a list' a/b/2 /top .//c '' none/x c/d c.x/5 top >"$work/list"
from_list() { # OPTIONS...: the list's paths but the one that is not there
	fresh
	rsync -a "$@" --files-from="$work/list" "$src" "$work/theirs/" 2>"$work/err"
	for way in pull push; do
		rm -rf "$work/ours"
		case $way in
		pull) quick --quiet -a "$@" --files-from="$work/list" "127.0.0.1:$port:src" "$work/ours" ;;
		push) push --quiet -a "$@" --files-from=- "$src/" "127.0.0.1:$port:ours" <"$work/list" ;;
		esac 2>"$work/err"
		status=$?
		cat "$work/err"
		[ "$status" = 1 ] && grep -q '^dvx-copy: none/x: was not found' "$work/err" && [ "$(wc -l <"$work/err")" = 1 ] && alike || return 1
	done
}
check "--files-from copies what it lists" from_list
printf '%s\n' a/ a none/x >>"$work/list"
check "and what a path with a slash behind it holds" from_list
check "and with -r what is below" from_list -r
check "--files-from and a filter" from_list -r --exclude=4
check "--files-from with --delete" fails 2 "--delete does not go with --files-from" quick -a --delete --files-from="$work/list" "127.0.0.1:$port:src" "$work/no"
out_of_it() { echo a/../../etc/passwd >"$work/out-of-it"; fails 2 "not within the source" quick -a --files-from="$work/out-of-it" "127.0.0.1:$port:src" "$work/no"; }
check "a path that leaves the source" out_of_it

# --- -x ---

if [ "$(id -u)" = 0 ] && mkdir "$work/mounted" && mount -t tmpfs none "$src/c/d" 2>/dev/null; then
	echo in >"$src/c/d/in"
	one_fs() {
		fresh && quick --quiet -ax "127.0.0.1:$port:src/" "$work/ours" && rsync -ax "$src/" "$work/theirs/" && alike &&
			[ -d "$work/ours/c/d" ] && [ ! -e "$work/ours/c/d/in" ]
	}
	check "-x does not enter what is mounted" one_fs
	umount "$src/c/d"
	not_deleted() {
		fresh && quick --quiet -a "127.0.0.1:$port:src/" "$work/ours" && mkdir "$work/ours/extra" && mount -t tmpfs none "$work/ours/extra" &&
			mount -t tmpfs none "$work/ours/c/d" && : >"$work/ours/extra/mine" && : >"$work/ours/c/d/mine" &&
			quick --quiet -ax --delete "127.0.0.1:$port:src/" "$work/ours"
		[ -e "$work/ours/extra/mine" ] && [ -e "$work/ours/c/d/mine" ]
		status=$?
		umount "$work/ours/extra" "$work/ours/c/d"
		return $status
	}
	check "-x --delete leaves what is mounted at the destination" not_deleted
else
	skip "-x" "no right to mount"
fi
check "the server ends well" stop
plan
