# SPDX-License-Identifier: BSD-2-Clause
# Proves: whoever dies at whatever moment, no half file has its final name, the other end says so in a
# sentence, and the chip goes on.
. "${top_srcdir:?}/tests/sim/copy_lib.sh" || exit 99

src=$work/src
mkdir -p "$src/sub"
dd if=/dev/urandom of="$src/big" bs=1M count=64 status=none
for n in $(seq 100); do head -c "$((n * 997))" /dev/urandom >"$src/sub/$n"; done

# Some moment within a copy, which takes some tenths of a second.
a_moment() { "$PERL" -e 'select(undef, undef, undef, $ARGV[0] / 1000)' "$1"; }
moments="5 20 40 60 80 100 130 160 200 250"

server_dies() {
	start "$src" --slots 4 --slot-size 64K
	exec_pull "127.0.0.1:$port:." "$work/dest" >/dev/null 2>"$work/err" &
	client=$!
	a_moment "$1"
	kill -9 "$server"
	wait "$server"
	server=
	wait "$client"
	status=$?
	cat "$work/err"
	mkdir -p "$work/dest"
	no_temps "$work/dest" && whole "$src" "$work/dest" || return 1
	rm -rf "$work/dest"
	case $status in
	0) ;; # it was done before
	10) grep -q "cannot connect" "$work/err" ;;
	8) [ "$(grep -vc '^dvx-sim:' "$work/err")" = 1 ] && grep -q "the server died" "$work/err" ;;
	*) echo "status $status"; return 1 ;;
	esac
}
for m in $moments; do
	check "server killed after $m ms" server_dies "$m"
done

client_dies() {
	start "$src" --slots 4 --slot-size 64K
	exec_pull "127.0.0.1:$port:." "$work/dest" >/dev/null 2>&1 &
	client=$!
	a_moment "$1"
	kill -9 "$client" 2>/dev/null
	wait "$client" 2>/dev/null
	mkdir -p "$work/dest"
	whole "$src" "$work/dest" || return 1
	rm -rf "$work/dest"
	# The server lives, and serves the next one.
	pull --quiet "127.0.0.1:$port:sub/" "$work/next" && same "$src/sub" "$work/next" || return 1
	rm -rf "$work/next"
	cat "$work/server.err"
	stop
}
for m in $moments; do
	check "client killed after $m ms" client_dies "$m"
done

interrupted() {
	start "$src" --slots 1 --slot-size 4K
	exec_paused "127.0.0.1:$port:big" "$work/dest" >/dev/null 2>"$work/err" &
	client=$!
	paused || return 1
	no_temps "$work" >/dev/null && return 1
	kill -INT "$client"
	go_on
	wait "$client"
	status=$?
	cat "$work/err"
	[ "$status" = 130 ] && no_temps "$work" && [ ! -e "$work/dest" ] && stop
}
check "an interrupted pull removes its temporary" interrupted

stopped() {
	start "$src" --slots 1 --slot-size 4K
	exec_paused "127.0.0.1:$port:big" "$work/dest" >/dev/null 2>"$work/err" &
	client=$!
	paused || return 1
	stop || return 1
	go_on
	wait "$client"
	status=$?
	cat "$work/err"
	[ "$status" = 8 ] && no_temps "$work" && [ ! -e "$work/dest" ]
}
check "a server that gets SIGTERM closes its client's connection" stopped

silent() {
	start "$src" --slots 1 --slot-size 4K
	exec_paused --timeout 3 "127.0.0.1:$port:big" "$work/dest" >/dev/null 2>"$work/err" &
	client=$!
	paused || return 1
	kill -STOP "$server"
	go_on
	wait "$client"
	status=$?
	kill -CONT "$server"
	cat "$work/err"
	[ "$status" = 8 ] && grep -q "silent" "$work/err" && no_temps "$work" && stop
}
check "a server that falls silent is given up" silent

no_client_left() {
	"$dvx_sim" ls --json >"$work/ls"
	cat "$work/ls"
	! grep -q '"comm"' "$work/ls"
}
check "the chip has no client left" no_client_left
plan
