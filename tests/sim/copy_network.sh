# SPDX-License-Identifier: BSD-2-Clause
# Proves: on a network that tampers, stalls, resets or loses bytes, a pull ends soon with the cause as its
# exit status, always the same for the same fault, and nothing that is not whole has its final name.
. "${top_srcdir:?}/tests/sim/copy_lib.sh" || exit 99

src=$work/src
mkdir -p "$src"
dd if=/dev/urandom of="$src/file" bs=64K count=16 status=none
(umask 077; echo 0123456789abcdef0123456789abcdef >"$work/key")
start "$src" --key-file "$work/key" --slots 4 --slot-size 4K --timeout 20

# through FAULT PATH [OPTION...]: a pull with the proxy's fault on its way
through() {
	fault=$1
	path=$2
	shift 2
	[ -z "$proxy" ] || kill "$proxy" 2>/dev/null
	background "$work/proxy.err" "$PERL" "$top_srcdir/tests/sim/copy_proxy.pl" "$port" "$fault" || return 1
	proxy=$child
	pull --quiet --key-file "$work/key" "$@" "127.0.0.1:${line##*:}:$path" "$work/dest" 2>"$work/err"
	got=$?
	kill "$proxy"
	wait "$proxy" 2>/dev/null
	proxy=
	cat "$work/err"
	if [ $got = 0 ]; then same_file; else [ ! -e "$work/dest" ] && no_temps "$work"; fi || return 99
	rm -rf "$work/dest"
	return $got
}
same_file() { cmp "$src/file" "$work/dest"; }
proxy=

# ends STATUS WORDS FAULT...: each of these faults ends a pull like this
ends() {
	want=$1
	words=$2
	shift 2
	for f in "$@"; do
		through "$f" file --timeout 3
		[ $got = "$want" ] || { echo "$f: status $got instead of $want"; return 1; }
		grep -qF -- "$words" "$work/err" || { echo "$f: does not say: $words"; return 1; }
	done
}
tampered=$(seq -f 'flip:up:%g' 292 284 3500)
check "a bit of what the client sends" ends 11 "tampered with" $tampered
check "server ends well" stop
plan
