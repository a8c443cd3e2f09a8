# SPDX-License-Identifier: BSD-2-Clause
# Proves: what dvx-copy makes of a destination, the first time and again after changes at both ends, is what rsync
# makes of it with the same options: random trees, compared by rsync and by a hash of the test's own.
. "${top_srcdir:?}/tests/copy/copy_lib.sh" || exit 99
rsync --version >/dev/null 2>&1 || skip_all "rsync is not installed"
random="$PERL $top_srcdir/tests/copy/random.pl"
seeds=3
[ -z "${DVX_TEST_LONG-}" ] || seeds=${DVX_TEST_SEEDS-150}

SKIP=
: >"$work/probe"
setfacl -m u:1:r "$work/probe" 2>/dev/null || SKIP=${SKIP}A
setfattr -n user.a -v b "$work/probe" 2>/dev/null || SKIP=${SKIP}X
[ "$(id -u)" = 0 ] || SKIP=${SKIP}o
cannot=$SKIP
export SKIP
echo "# left out: ${SKIP:-nothing}"

# What both get, and whether times are to be compared.
options() {
	case $1 in
	0) echo "-aHAX --delete" ;;
	1) echo "-a" ;;
	2) echo "-rlt --delete" ;;
	3) echo "-aH --checksum" ;;
	4) echo "-rl" ;;
	5) echo "-aHAX --delete --exclude=a --exclude=/b/ --include=*/ --exclude=*x" ;;
	6) echo "-aAu" ;;
	7) echo "-rlpDX --delete" ;;
	8) echo "-aHAXS --delete --checksum" ;;
	*) echo "-rltpgo --inplace" ;;
	esac
}

copy_once() { # OPTION...
	# Where a directory with ACLs became a file it needs a second run.
	rsync --quiet "$@" "$work/src/" "$work/theirs/" || rsync --quiet "$@" "$work/src/" "$work/theirs/" || return 1
	if [ $((seed % 2)) = 0 ]; then
		pull --quiet "$@" "127.0.0.1:$port:src/" "$work/ours"
	else
		on_dpu "$copy" push --quiet "$@" "$work/src/" "127.0.0.1:$port:ours"
	fi
	status=$?
	# 1: it names what it left out, FIFOs without -D.
	[ "$status" = 0 ] || { [ "$status" = 1 ] && ! echo "$*" | grep -q '^-a\|D'; }
}

agree() { # OPTION...
	case $1 in
	-a* | *t*) times=-t no_times= ;;
	*) times=--no-times no_times=-t ;;
	esac
	rsync -n -i -aHAX $times --checksum --delete "$work/theirs/" "$work/ours/" >"$work/differs" || return 1
	$random hash "$work/theirs" $no_times >"$work/hash.theirs"
	$random hash "$work/ours" $no_times >"$work/hash.ours"
	cat "$work/differs"
	diff "$work/hash.theirs" "$work/hash.ours" && [ ! -s "$work/differs" ]
}

# rsync deletes an excluded directory if the source has a file of its name; dvx-copy does not.
no_pair() { # OPTION...
	case $* in *--exclude=/b/*) [ -d "$work/src/b" ] || rm -rf "$work/ours/b" "$work/theirs/b" ;; esac
}

# A tree, then changes of the source, then changes of both destinations (the same ones).
as_rsync() {
	chmod -R u+rwx "$work/src" "$work/ours" "$work/theirs" 2>/dev/null
	rm -rf "$work/src" "$work/ours" "$work/theirs"
	mkdir "$work/ours" "$work/theirs"
	set -f
	# shellcheck disable=SC2046
	set -- $(options $((seed % 10)))
	set +f
	# rsync without -A makes an ACL's mask the group's rights, which dvx-copy never does.
	case $1 in *A*) SKIP=$cannot ;; *) SKIP=${cannot}A ;; esac
	# Set-user-id without the owner is dropped, which rsync keeps.
	case $1 in -a* | *o*) ;; *) SKIP=${SKIP}s ;; esac
	# What is written into one of two names of a file is read by the other.
	case $* in *--inplace*) SKIP=${SKIP}h ;; esac
	case $* in *--delete*) ;; *) SKIP=${SKIP}d ;; esac
	echo "a new tree"
	$random make "$seed" "$work/src" && copy_once "$@" && agree "$@" || return 1
	echo "after changes of the source"
	$random change "$((seed + 1000))" "$work/src" && copy_once "$@" && agree "$@" || return 1
	echo "after changes of the destination"
	# Which of a file's names the others are linked to is the first that a directory lists, which in rsync is sorted:
	# another name of it that only the destination has may keep the one or the other.
	case $* in *--delete*) ;; *H*) SKIP=${SKIP}h ;; esac
	$random change "$((seed + 2000))" "$work/ours" && $random change "$((seed + 2000))" "$work/theirs" &&
		no_pair "$@" && copy_once "$@" && agree "$@" && no_temps "$work/ours"
}

start "$work" --writable
seed=${DVX_TEST_SEED-0}
for _ in $(seq "$seeds"); do
	check "seed $seed: $(options $((seed % 10)))" as_rsync
	seed=$((seed + 1))
done
check "server ends well" stop
plan
