# SPDX-License-Identifier: BSD-2-Clause
# Proves: on a network that tampers, stalls, resets or loses bytes, a pull ends soon with the cause as its
# exit status, always the same for the same fault, and nothing that is not whole has its final name.
. "${top_srcdir:?}/tests/copy/copy_lib.sh" || exit 99

src=$work/src
mkdir -p "$src"
dd if=/dev/urandom of="$src/file" bs=64K count=16 status=none
(umask 077; echo 0123456789abcdef0123456789abcdef >"$work/key")
start "$src" --key-file "$work/key" --slots 4 --slot-size 4K --timeout 20
proxy=

# through FAULT [OPTION...]: a pull with the proxy's fault on its way; $got is its status
through() {
	fault=$1
	shift
	background "$work/proxy.err" "$PERL" "$top_srcdir/tests/copy/proxy.pl" "$port" "$fault" || return 1
	proxy=$child
	pull --quiet --key-file "$work/key" "$@" "127.0.0.1:${line##*:}:file" "$work/dest" 2>"$work/err"
	got=$?
	kill "$proxy"
	wait "$proxy" 2>/dev/null
	cat "$work/err"
	if [ $got = 0 ]; then
		cmp "$src/file" "$work/dest" || return 1
	else
		[ ! -e "$work/dest" ] && no_temps "$work" || return 1
	fi
	rm -rf "$work/dest"
}

# ends STATUS WORDS FAULT...: each of these faults ends a pull like this
ends() {
	want=$1
	words=$2
	shift 2
	for f in "$@"; do
		through "$f" --timeout "${patience:-20}" || return 1
		[ $got = "$want" ] || { echo "$f: status $got instead of $want"; return 1; }
		[ -z "$words" ] || grep -qF -- "$words" "$work/err" || { echo "$f: does not say: $words"; return 1; }
	done
}
# Both hellos are 56 bytes; the keys' exchange follows, and is over after 800.
check "a changed bit of what the client sends" ends 11 "was tampered with" $(seq -f 'flip:up:%g' 1200 1000 4500)
check "a changed bit of what the server sends" ends 11 "was tampered with" $(seq -f 'flip:down:%g' 1200 3000 9000)
check "a changed bit of the handshake" ends 11 "handshake was tampered with" flip:up:60 flip:down:60
check "bytes that are lost" ends 11 "was tampered with" drop:down:2000 drop:down:5000
check "bytes that come twice" ends 11 "was tampered with" twice:up:2000 twice:down:2000
check "a connection that is cut" ends 8 "died or closed" cut:up:20 cut:down:20 cut:up:2000 cut:down:2000
check "a connection that is reset" ends 8 "died or closed" reset:up:20 reset:down:20 reset:up:2000 reset:down:2000
check "bytes that come in crumbs harm nothing" ends 0 "" crumbs:up:0 crumbs:down:0
patience=1
check "a network that stalls" ends 8 "silent" stall:down:60 stall:up:2000
check "server ends well" stop
plan
