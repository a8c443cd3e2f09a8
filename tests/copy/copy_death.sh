# SPDX-License-Identifier: BSD-2-Clause
# Proves: whoever dies at whatever moment, no half file has its final name, the other end says so in a
# sentence, and the chip goes on.
. "${top_srcdir:?}/tests/copy/copy_lib.sh" || exit 99

src=$work/src
mkdir -p "$src/sub"
dd if=/dev/urandom of="$src/big" bs=1M count=64 status=none
for n in $(seq 100); do head -c "$((n * 997))" /dev/urandom >"$src/sub/$n"; done

# Some moment within a copy, which takes some tenths of a second.
a_moment() { "$PERL" -e 'select(undef, undef, undef, $ARGV[0] / 1000)' "$1"; }
moments="5 60 160"
[ -z "${DVX_TEST_LONG-}" ] || moments="5 20 40 60 80 100 130 160 200 250"

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
	# Half of the large file may stay, for the next copy.
	find "$work/dest" -name '.dvx-copy.*' | grep -v '\.part$' && return 1
	whole "$src" "$work/dest" || return 1
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
	exec_pull "127.0.0.1:$port:./" "$work/dest" >/dev/null 2>&1 &
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

# Halves of less are as good for the rest.
truncate -s 8M "$src/big"

interrupted() {
	start "$src" --slots 1 --slot-size 4K
	exec_paused "127.0.0.1:$port:big" "$work/dest" >/dev/null 2>"$work/err" &
	client=$!
	paused || return 1
	no_temps "$work" >/dev/null && return 1
	kill "-$1" "$client"
	go_on
	wait "$client"
	status=$?
	cat "$work/err"
	[ "$status" = 130 ] && no_temps "$work" && [ ! -e "$work/dest" ] && stop
}
for signal in INT TERM HUP; do
	check "a pull that gets SIG$signal removes its temporary" interrupted "$signal"
done
unheard() {
	start "$src" --slots 1 --slot-size 4K
	(trap '' HUP && exec_paused "127.0.0.1:$port:big" "$work/dest" >/dev/null 2>"$work/err") &
	client=$!
	paused && kill -HUP "$client" && go_on && wait "$client" && cmp "$src/big" "$work/dest" && rm "$work/dest" && stop
}
check "but nohup(1) has its way" unheard
hung_up() {
	start "$src" --slots 1 --slot-size 4K
	exec_paused "127.0.0.1:$port:big" "$work/dest" >/dev/null 2>"$work/err" &
	client=$!
	paused && kill -HUP "$server" || return 1
	wait "$server"
	status=$?
	server=
	go_on
	wait "$client"
	[ "$? $status" = "8 0" ] && rm "$work"/.dvx-copy.*
}
check "a server without a key ends well by SIGHUP" hung_up

# The confined server knows temporary files of this machine's dead processes by their names.
cleaned_by_server() {
	start "$work" --writable --slots 1 --slot-size 4K
	mkdir "$work/to" && echo old >"$work/to/100"
	exec_paused "127.0.0.1:$port:src/sub/100" "$work/to" >/dev/null 2>"$work/err" &
	client=$!
	paused || return 1
	kill -9 "$client"
	wait "$client"
	no_temps "$work/to" >/dev/null && { echo "nothing is left"; return 1; }
	on_dpu "$copy" push --quiet -a "$src/sub/100" "127.0.0.1:$port:to" && no_temps "$work/to" && rm -r "$work/to" && stop
}
check "a push removes what a killed pull left" cleaned_by_server

typed() {
	start "$src" --slots 1 --slot-size 4K
	mkfifo "$work/keys"
	# script(1) itself leaks, which the sanitizer would report.
	(exec 6>"$work/here"
		exec script -qec "LD_PRELOAD='$asan$work/pause.so' '$dvx_sim' exec '$chip' --function dpu -- '$copy' pull '127.0.0.1:$port:big' '$work/dest'" \
			/dev/null <"$work/keys" >"$work/screen") &
	client=$!
	exec 8<>"$work/keys"
	paused || return 1
	printf '\003' >&8
	go_on
	wait "$client"
	status=$?
	exec 8>&-
	cat "$work/screen"
	[ "$status" = 130 ] && grep -q "interrupted" "$work/screen" && no_temps "$work" && [ ! -e "$work/dest" ] && stop
}
if command -v script >/dev/null; then
	check "Ctrl-C on a terminal does as well" typed
else
	skip "Ctrl-C on a terminal" "no script(1)"
fi

# halfway SIGNAL [client|server] [OPTION]: a pull of a large file; one of the two gets a signal in the middle of it.
halfway() {
	exec_paused ${3:+"$3"} "127.0.0.1:$port:big" "$work/dest" >/dev/null 2>"$work/err" &
	client=$!
	paused || return 1
	case $2 in
	server) kill "-$1" "$server" ;;
	*) kill "-$1" "$client" ;;
	esac
	[ "$1 $2" = "KILL client" ] || go_on
	wait "$client"
	status=$?
	cat "$work/err"
}
# The next pull takes up what is there: fewer bytes travel, the file is right, nothing is left.
resumed() {
	pull --json "127.0.0.1:$port:big" "$work/dest" >"$work/json" && cat "$work/json" || return 1
	bytes=$(sed -n 's/.*"bytes": \([0-9]*\).*/\1/p' "$work/json")
	[ "$bytes" -gt 0 ] && [ "$bytes" -lt $((8 << 20)) ] && cmp "$src/big" "$work/dest" && no_temps "$work" &&
		rm "$work/dest"
}
half_is_there() { [ -n "$(find "$work" -name '.dvx-copy.*.part' -size +8)" ] && [ ! -e "$work/dest" ]; }
client_killed() {
	start "$src" --slots 1 --slot-size 64K
	halfway KILL client
	[ "$status" = 137 ] && half_is_there && resumed
}
check "what a killed client has is taken up by the next" client_killed
server_killed() {
	halfway KILL server
	wait "$server"
	[ "$status" = 8 ] && half_is_there || return 1
	start "$src" --slots 1 --slot-size 64K
	resumed
}
check "what a client has of a killed server, too" server_killed
partial() {
	halfway INT client --partial
	[ "$status" = 130 ] && half_is_there && resumed
}
check "and with --partial what an interrupted client has" partial
damaged() {
	halfway KILL client
	printf x | dd of="$(find "$work" -name '.dvx-copy.*.part')" bs=1 seek=70000 conv=notrunc status=none
	resumed
}
check "a piece that is not what it was is sent again" damaged
# Of the same size and time, with a hole where the first version had data.
holed() {
	halfway KILL client
	cp -p "$src/big" "$work/kept" || return 1
	printf x | dd of="$(find "$work" -name '.dvx-copy.*.part')" bs=1 seek=70000 conv=notrunc status=none
	size=$(stat -c %s "$src/big")
	truncate -s 65536 "$src/big" && truncate -s "$size" "$src/big" && touch -r "$work/kept" "$src/big"
	pull --quiet "127.0.0.1:$port:big" "$work/dest" && cmp "$src/big" "$work/dest" && no_temps "$work"
	status=$?
	cp -p "$work/kept" "$src/big" && rm "$work/kept" "$work/dest" && return $status
}
check "what was not verified does not show through the holes of another version" holed
stale() {
	halfway KILL client
	: >"$work/.dvx-copy.other"
	half_is_there && touch "$src/big" && pull --quiet "127.0.0.1:$port:big" "$work/dest" && cmp "$src/big" "$work/dest" &&
		[ "$(find "$work" -name '.dvx-copy.*')" = "$work/.dvx-copy.other" ] && rm "$work/.dvx-copy.other" "$work/dest"
}
check "of a source that changed nothing is taken up, and nothing of it is left" stale
small_ones() {
	exec_paused "127.0.0.1:$port:sub/" "$work/dest" >/dev/null 2>"$work/err" &
	client=$!
	paused && kill -9 "$client"
	wait "$client"
	no_temps "$work/dest" >/dev/null && return 1
	pull --quiet "127.0.0.1:$port:sub/" "$work/dest" && same "$src/sub" "$work/dest" && no_temps "$work/dest" &&
		rm -r "$work/dest"
}
check "nor is anything left of small files that a killed client had begun" small_ones
running() {
	exec_paused "127.0.0.1:$port:big" "$work/dest" >/dev/null 2>"$work/err" &
	client=$!
	paused && pull --quiet "127.0.0.1:$port:big" "$work/dest" && half_is_not_lost && go_on && wait "$client" &&
		cmp "$src/big" "$work/dest" && no_temps "$work" && rm "$work/dest" && stop
}
half_is_not_lost() { [ -n "$(find "$work" -name '.dvx-copy.*.part')" ]; }
check "what another copy is writing is left alone" running

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
	[ "$status" = 8 ] && half_is_there && rm "$work"/.dvx-copy.*
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
	[ "$status" = 8 ] && grep -q "silent" "$work/err" && rm "$work"/.dvx-copy.* && stop
}
check "a server that falls silent is given up" silent

no_client_left() {
	"$dvx_sim" ls --json >"$work/ls"
	cat "$work/ls"
	! grep -q '"comm"' "$work/ls"
}
check "the chip has no client left" no_client_left
plan
