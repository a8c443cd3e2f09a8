#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that ./quickstart waits for another apt, as a fresh machine's own updates hold its locks: apt-get waits for
# dpkg's lock if it is told to; that of the package lists is quickstart's to wait for. What else fails is told at once.
. "${top_srcdir:?}/tests/tap.sh" || exit 99
mkdir "$scratch/bin"

# stub NAME SCRIPT: a program that quickstart calls
stub() { printf '#!/bin/sh\n%s\n' "$2" >"$scratch/bin/$1" && chmod +x "$scratch/bin/$1"; }
stub id 'echo 0'
stub dpkg-query ':' # nothing is installed
stub apt-cache ':'
stub sleep 'echo sleep >>"$CALLS"'
# Fails with each line of $WORDS in turn, then does it.
stub apt-get 'echo "apt-get $*" >>"$CALLS"
case $* in *update*) ;; *) exit 0 ;; esac
words=$(head -n 1 "$WORDS")
[ -n "$words" ] || exit 0
sed -i 1d "$WORDS"
echo "E: $words" >&2
exit 100'

# deps CODE WORD...: what apt-get update fails with, each time it is called
deps() {
	code=$1
	shift
	CALLS=$scratch/calls WORDS=$scratch/words
	: >"$CALLS"
	printf '%s\n' "$@" >"$WORDS"
	export CALLS WORDS
	PATH=$scratch/bin:$PATH "$top_srcdir/quickstart" deps
	got=$?
	cat "$CALLS"
	[ $got = "$code" ]
}
held="Could not get lock /var/lib/apt/lists/lock. It is held by process 77 (apt-get)"
waits() {
	deps 0 "$held" "$held" &&
		[ "$(head -n 5 "$scratch/calls" | paste -sd,)" = "apt-get update -qq,sleep,apt-get update -qq,sleep,apt-get update -qq" ]
}
check "the lock of the package lists is held: it waits" waits
locked_dpkg() { grep '^apt-get.* install' "$scratch/calls" | tee /dev/stderr | grep -qv 'DPkg::Lock::Timeout=[1-9]' && return 1; grep -q install "$scratch/calls"; }
check "... and apt-get waits for that of dpkg" locked_dpkg
fails() { deps 1 "Temporary failure resolving 'deb.debian.org'" | tee /dev/stderr | grep -v sleep | grep -q 'apt-get update'; }
check "another failure is told at once" fails
plan
