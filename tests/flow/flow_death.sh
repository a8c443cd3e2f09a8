# SPDX-License-Identifier: BSD-2-Clause
# Proves: a daemon that dies takes its rules with it and brings the committed ones back, whole; what fails
# half way (a full disk, a device without room, a client that dies) leaves the applied set untouched.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99
"$dvx_sim" up "$chip" || exit 99

replay() {
	"$dvx_sim" replay "$chip" "$traffic" --json >"$work/replay"
}
verdict() { # ROW NUMBER: what the chip says of the next replay
	replay && field "$1" "$work/replay" && [ "$value" = "$2" ] || { cat "$work/replay"; return 1; }
}
die() {
	kill -9 "$daemon"
	wait "$daemon"
	daemon=
	true
}
a_moment() { "$PERL" -e 'select(undef, undef, undef, $ARGV[0] / 1000)' "$1"; }

start --queues 2
echo "drop in" >"$work/a"
printf 'drop in udp\nsend in to queue 1 count\n' >"$work/b"
check "rules hold" client apply "$work/a"
check "packets are dropped" verdict dropped 521
second() { fails 5 "process $daemon (dvx-flow) holds mlx5_0's rules already" client daemon; }
check "a second daemon is refused" second
elsewhere() { fails 5 "holds mlx5_0's rules already" client daemon --socket "$work/other" && [ ! -e "$work/other" ]; }
check "with a socket of its own too" elsewhere
mkdir "$work/xdg"
other_home() {
	fails 5 "process $daemon (dvx-flow) holds mlx5_0's rules already; .* kill $daemon$" on_chip env XDG_RUNTIME_DIR="$work/xdg" "$flow" daemon &&
		[ -z "$(ls -A "$work/xdg")" ]
}
check "a second daemon with another XDG_RUNTIME_DIR, too" other_home
# A daemon that died does not block; and what holds the device may be no daemon at all.
other_side() {
	kill -9 "$daemon"
	wait "$daemon"
	mkfifo "$work/line2"
	"$dvx_sim" exec "$chip" -- env XDG_RUNTIME_DIR="$work/xdg" "$flow" daemon --json >"$work/line2" 2>"$work/daemon.err" &
	daemon=$!
	read -r line <"$work/line2" && printf '%s' "$line" | jq -e '.rules == 0' && fails 5 "process $daemon (dvx-flow) holds" client daemon
}
check "one that was killed does not keep it" other_side
stop >/dev/null
stranger() {
	# shellcheck disable=SC2016 # the chip's own variable
	on_chip sh -c 'exec flock -n "$SYSFS_PATH/class/infiniband/mlx5_0" "$@"' sh \
		"$flow" daemon 2>"$work/err"
	[ $? = 5 ] && cat "$work/err" && grep -q "process [0-9]* (flock) holds" "$work/err"
}
check "the holder's name is printed, whatever bytes it has" stranger
check "and then a daemon starts again" start --queues 2
default_way() { die && verdict dropped 0; }
check "killed, it takes its rules with it: packets go the default way" default_way
no_daemon() { fails 3 "no daemon holds" client list; }
check "and clients report it" no_daemon
check "started again" start --queues 2
check "the committed rules are restored" holds "drop in
"
says_so() { cat "$work/daemon.err" && grep -qx 'dvx-flow: restored 1 rule committed at 20..-..-.. ..:..:..; daemon --fresh starts without them' "$work/daemon.err"; }
check "and says so" says_so
check "and packets are dropped again" verdict dropped 521
fresh() { die && start --fresh --queues 2 && holds "" && die && start --queues 2 && holds ""; }
check "--fresh begins without" fresh

# Killed at a random moment of a change: the rules before or those after, whole, and a restart says which.
change() { # NUMBER: prints when to kill, and a client's words that make "after" of "before"
	"$PERL" -e '
		my ($number, $before, $after) = @ARGV;
		srand $number;
		open my $in, "<", $before or die;
		my @rules = <$in>;
		my ($at, $ms, $new) = (int rand @rules, int rand 60, "drop in tcp dst port " . (1000 + $number) . " count\n");
		my @kinds = ("add $new", "insert before " . ($at + 1) . " $new", "replace " . ($at + 1) . " $new", "del " . ($at + 1),
			"apply $after", "apply $after");
		my $kind = $number % @kinds;
		$kind == 0 ? push @rules, $new : $kind == 1 ? splice @rules, $at, 0, $new : $kind == 2 ? splice @rules, $at, 1, $new :
			$kind == 3 ? splice @rules, $at, 1 : $kind == 4 ? splice @rules, $at, 2, $new, "drop in icmp type $number count\n" :
			(@rules = map { "drop in udp dst port " . ($number + $_) . " count\n" } 1 .. 100);
		open my $out, ">", $after or die;
		print $out @rules;
		print "$ms $kinds[$kind]";
	' "$1" "$work/before" "$work/after"
}
killed() { # FROM TO
	n=$1
	while [ "$n" -lt "$2" ]; do
		words=$(change "$n")
		# shellcheck disable=SC2086 # words
		"$dvx_sim" exec "$chip" -- "$flow" ${words#* } >"$work/out" 2>"$work/err" &
		changing=$!
		a_moment "${words%% *}"
		die
		wait $changing
		status=$?
		start --queues 2 || { cat "$work/daemon.err"; return 1; }
		rule_texts >"$work/now"
		{ [ $status != 0 ] && cmp -s "$work/now" "$work/before"; } || cmp "$work/now" "$work/after" ||
			{ echo "change $n, status $status, $words"; return 1; }
		mv "$work/now" "$work/before"
		n=$((n + 1))
	done
}
"$PERL" -e 'print "drop in udp dst port $_ count\n" for 1 .. 100' >"$work/before"
client apply "$work/before" >/dev/null
check "killed while rules change" killed 0 6
[ -z "${DVX_TEST_LONG-}" ] || check "killed 200 times" killed 6 200
no_leftover() { [ -z "$(find "$scratch" -name '*.new' -size +1k)" ] && start --queues 2; }
check "an incomplete file is not restored" no_leftover

# --- what must not change anything -----------------------------------------------------------------
client apply "$work/a" >/dev/null
still() { holds "drop in
" && verdict dropped 521; }

mistake() { printf 'drop in\nsend in to quue 1\n' >"$work/c" && fails 1 "$work/c:2:12: no vport is called" client apply "$work/c" && still; }
check "a mistake" mistake
queue() { echo "send in to queue 2" >"$work/c" && fails 1 "$work/c:1:9: no queue 2, the daemon has 2" client apply "$work/c" && still; }
check "a queue that the daemon lacks" queue
unreadable() { fails 3 "No such file" client apply "$work/nonesuch" && fails 3 "Is a directory" client apply "$work" && still; }
check "a file that cannot be read" unreadable
lacks() { printf 'drop in\ndrop out sqn 5\n' >"$work/c" && fails 4 "$work/c:2:10: .*source_sqn: libmlx5 compares it in RX" client apply "$work/c" && still; }
check "a match field that the device lacks is named" lacks
checked() {
	fails 4 "$work/c:2:10: .*source_sqn: libmlx5 compares it in RX" client check --quiet --device mlx5_0 "$work/c" && client check --device mlx5_0 "$work/b" && still
}
check "check --device reports it without a daemon" checked
no_vport() { echo "drop in vport 77" >"$work/c" && fails 4 "$work/c:1:9: .*source_port: mlx5_0 lacks eswitch_manager" client apply "$work/c" && still; }
check "a vport that does not exist" no_vport
binary() { "$PERL" -e 'srand 1; print map { chr rand 256 } 1 .. 100000' >"$work/c"; client apply "$work/c" 2>"$work/err"; [ $? = 1 ] && still; }
check "a file that is no text" binary

client_dies() {
	"$PERL" -e 'for (1 .. 20000) { printf "drop in ipv4 src 10.%d.%d.%d\n", $_ >> 16, $_ >> 8 & 255, $_ & 255 }' >"$work/many"
	"$dvx_sim" exec "$chip" -- "$flow" apply --quiet "$work/many" &
	applying=$!
	a_moment 30
	kill -9 $applying
	wait $applying 2>/dev/null
	is '.rules | length == 20000 or length == 1' true
	client apply --quiet "$work/a" && still
}
check "a client that dies while its rules go in" client_dies

# Bytes that no client of ours would send.
hostile() {
	"$PERL" -MIO::Socket::UNIX -e '
		my ($path, $good) = @ARGV;
		srand 1;
		for my $bytes ("", "D", "DVXF", "DVXF\0\0\0\x0d\0\0\0\0", "GET / HTTP/1.0\r\n\r\n", "DVXF" . "\xff" x 8,
			"DVXF" . pack("NN", 2, 0) . "[]", "DVXF" . pack("NN", 5, 0) . "{\"do\"", "DVXF" . pack("NN", 12, 0) . "{\"do\":\"bad\"}",
			"DVXF" . pack("NN", 8, 0) . "{\"do\":1}", "DVXF" . pack("NN", 14, 20) . "{\"do\":\"apply\"}drop in udp\ndrop",
			"DVXF" . pack("NN", 14, 9) . "{\"do\":\"apply\"}drop inn\n", "DVXF" . pack("NN", 24, 0) . "{\"do\":\"del\",\"rules\":null}",
			"DVXF" . pack("NN", 26, 0) . "{\"do\":\"del\",\"rules\":[null]}", "DVXF" . pack("NN", 24, 0) . "{\"do\":\"del\",\"rules\":[[]]}",
			"DVXF" . pack("NN", 12, 0) . "{\"do\":\"add\"}", "DVXF" . pack("NN", 24, 0) . "{\"do\":\"add\",\"before\":{}}",
			"DVXF" . pack("NN", 12, 0) . "{\"do\":\"del\"}", "\0" x 100000, join "", map { chr rand 256 } 1 .. 5000) {
			my $s = IO::Socket::UNIX->new(Peer => $path) or die "connect: $!";
			syswrite $s, $bytes;
			shutdown $s, 1;
			1 while sysread $s, my $buf, 65536;
		}
		my @idle = map { IO::Socket::UNIX->new(Peer => $path) } 1 .. 40;
		syswrite $_, "DVXF" for grep { $_ } @idle;
		kill 9, $$;
	' "$socket"
	still
}
check "a hostile client" hostile
others() {
	[ "$(stat -c %a "$socket")" = 600 ] && [ "$(find "$scratch" -name 'dvx-flow*' -perm /077 | wc -l)" = 0 ]
}
check "other users cannot connect, nor read the committed rules" others

neighbour() {
	"$dvx_sim" up "$chip-b" && fails 3 "no daemon holds" "$dvx_sim" exec "$chip-b" -- "$flow" list && still
	status=$?
	"$dvx_sim" down "$chip-b" && [ $status = 0 ]
}
check "a second chip has its own rules" neighbour
stop
named() { start --queues 2 --socket "$work/named" && [ "$socket" = "$work/named" ] && client list --socket "$work/named" &&
	"$flow" list --socket "$work/named" && fails 3 "no daemon holds" client list && stop; }
check "a socket by its name, for clients that see no device too" named
taken() { # WORDS PATH: a daemon refuses to listen there, and leaves it as it was
	before=$(stat -c '%F %i %s' "$2")
	start --socket "$2"
	[ $? = 3 ] && cat "$work/daemon.err" && grep -q "$2: $1" "$work/daemon.err" && [ "$(stat -c '%F %i %s' "$2")" = "$before" ]
}
echo precious >"$work/file"
check "a file where the socket should be stays" taken "File exists" "$work/file"
check "a directory, too" taken "File exists" "$work"
fresh() { # what was committed stays until a fresh daemon serves
	echo "drop in" >"$work/kept"
	start --fresh --state "$work/kept" --socket "$work/file"
	[ $? = 3 ] && [ -e "$work/kept" ] && start --fresh --state "$work/kept" && stop && [ ! -e "$work/kept" ]
}
check "--fresh forgets nothing before it serves" fresh
mkfifo "$work/listens"
"$PERL" -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 5) or die; print "ready\n"; close STDOUT; sleep 600' "$work/used" >"$work/listens" &
listener=$!
read -r _ <"$work/listens"
check "a socket with a listener is refused, too" taken "Address already in use" "$work/used"
kill $listener
wait $listener 2>/dev/null
left() { start --socket "$work/used" && client list --socket "$work/used" && stop; }
check "one that was left over is taken away" left
mkdir "$work/tmpfs"
if mount -t tmpfs -o size=64k none "$work/tmpfs" 2>/dev/null; then
	full() {
		start --queues 2 --state "$work/tmpfs/state" && client apply --quiet "$work/a" &&
			head -n 4000 "$work/many" >"$work/large" && fails 3 "No space left" client apply "$work/large" && still &&
			[ "$(sed 1d "$work/tmpfs/state")" = "drop in" ] && [ "$(find "$work/tmpfs" -type f | wc -l)" = 1 ]
	}
	check "a full disk" full
	full_edit() {
		cat /dev/zero >"$work/tmpfs/fill" 2>"$work/err"
		cp "$work/tmpfs/state" "$work/state"
		fails 3 "$work/tmpfs/state: No space left on device; the rules are as they were" client insert before 1 \
			"drop in tcp port $(seq -s , 1 2 4001)" && still && cmp "$work/state" "$work/tmpfs/state"
		status=$?
		rm "$work/tmpfs/fill"
		return $status
	}
	check "a full disk: an edit changes nothing, and leaves nothing in the file" full_edit
	read_only() {
		mount -o remount,ro "$work/tmpfs"
		fails 3 "$work/tmpfs/state: Read-only file system; the rules are as they were" client apply "$work/b" && still &&
			fails 3 "Read-only file system" client del 1 && still && fails 3 "Read-only" client add "drop in" && still
		status=$?
		mount -o remount,rw "$work/tmpfs"
		[ $status = 0 ] && client apply --quiet "$work/b" && holds "drop in udp
send in to queue 1 count
" && client apply --quiet "$work/a" && still
	}
	check "a folder that is read-only while rules change" read_only
	again() { mount -o remount,ro "$work/tmpfs" && start --queues 2 --state "$work/tmpfs/state" && still; }
	check "a disk that is read-only by now: restarted, the committed rules hold" again
	mount -o remount,rw "$work/tmpfs"
	capture_full() {
		stop && start --queues 2 --fresh --capture "$work/tmpfs/cap" && echo "send in to queue 1" | client apply --quiet - &&
			replay && is '.queues[1].packets' 521 && replay && is '.queues[1].packets' 1042 \
				'.queues[1].capture_ended' "No space left on device" || return 1
		command -v tcpdump >/dev/null || return 0
		n=$(tcpdump -Z "$(id -un)" -nr "$work/tmpfs/cap/queue1.pcap" 2>"$work/err" | wc -l)
		cat "$work/err"
		! grep -q truncated "$work/err" && [ "$n" -gt 50 ] && is '.queues[1].captured' "$n" &&
			[ "$(cat "$work/daemon.err")" = "dvx-flow: $work/tmpfs/cap/queue1.pcap ends after $n packets: No space left on device" ]
	}
	check "a full disk ends a capture with a whole packet, and nothing else" capture_full
	stop
	umount "$work/tmpfs"
else
	skip "a full disk" "no right to mount a tmpfs"
	skip "a full disk: an edit changes nothing, and leaves nothing in the file" "no right to mount a tmpfs"
	skip "a folder that is read-only while rules change" "no right to mount a tmpfs"
	skip "a disk that is read-only by now: restarted, the committed rules hold" "no right to mount a tmpfs"
	skip "a full disk ends a capture with a whole packet, and nothing else" "no right to mount a tmpfs"
fi
# Each starts a daemon, which takes as long as thirty clients. check has one of each kind.
long_check() { [ -z "${DVX_TEST_LONG-}" ] || check "$@"; }
# A damaged file of rules is refused, also where it would be a smaller rule file.
start --queues 2 --state "$work/damaged" && client apply --quiet "$work/b" && stop
damaged() { # WORDS PERL: the daemon refuses the file after this change of $_, and leaves it alone
	"$PERL" -0777 -pe "$2" "$work/damaged" >"$work/hurt"
	cp "$work/hurt" "$work/hurt.copy"
	start --queues 2 --state "$work/hurt"
	status=$?
	cat "$work/daemon.err"
	[ $status = 3 ] && grep -q "hurt is damaged: $1.*; daemon --fresh starts" "$work/daemon.err" && cmp "$work/hurt" "$work/hurt.copy"
}
check "a file cut at a line's end" damaged "it has 12 bytes of rules, its first line says 37" 's/send.*\n//'
check "cut to nothing" damaged "it is empty" 's/.*//s'
long_check "cut behind its first line" damaged "it has 0 bytes of rules" 's/\n.*/\n/s'
long_check "cut within its first line" damaged "its first line is not" 's/state.*//s'
check "another rule of the same length" damaged "its rules. crc32c is" 's/udp/tcp/'
long_check "a rule more" damaged "it has 45 bytes of rules, its first line says 37" '$_ .= "drop in\n"'
long_check "a checksum that is no number" damaged "its first line is not" 's/crc32c ./crc32c x/'
# Edits are appended to it: one that its first line counts is there, any other was not made.
kept() { # a copy that a backup made as a hard link
	cp "$work/damaged" "$work/linked" && ln "$work/linked" "$work/link" && start --queues 2 --state "$work/linked" &&
		client add "drop in udp" && stop && cmp "$work/damaged" "$work/link" && grep -q "^drop in udp" "$work/linked"
}
check "edits leave a hard link of the file as it was" kept
appended() { start --queues 2 --state "$work/damaged" && client add "drop in tcp" && client replace 1 "drop in icmp" && stop &&
	[ "$(grep -c '^# edit of' "$work/damaged")" = 2 ]; }
check "edits are appended to the file" appended
check "an edit that is missing" damaged "it has [0-9]* bytes of rules, its first line says" 's/# edit of \w*: 2 bytes.*//s'
long_check "all of them" damaged "it has 37 bytes of rules, its first line says" 's/# edit.*//s'
long_check "cut within one" damaged "it has [0-9]* bytes of rules, its first line says" 's/icm\n$//'
long_check "another byte in one" damaged "edit 2 of its rules is not what was written" 's/drop in tcp/drop in udp/'
check "another byte in the last one" damaged "its last edit.s crc32c is" 's/icm\n$/igm\n/'
long_check "fewer edits in its first line" damaged "its last edit.s crc32c is\|edit 2 of" 's/edits \d+/edits 0000000000/'
long_check "a length that no file has" damaged "it has [0-9]* bytes of rules" 's/state: \d+/state: 18446744073709551615/'
long_check "a first line that is none" damaged "its first line is not" 's/dvx-flow state/dvx-flow stare/'
check "a byte of zero in front of its edits" damaged "its first line is not" 's/dvx-flow state/dvx-flow\0state/'
long_check "a disk that lost its first bytes" damaged "its first line is not" 's/^(.{30})/"\0" x 30/e'
long_check "a rule behind them" damaged "it has [0-9]* bytes of rules" '$_ .= "drop in\n"'
unfinished() { # PERL: an edit that was not finished was not made
	"$PERL" -0777 -pe "$1" "$work/damaged" >"$work/hurt"
	start --queues 2 --state "$work/hurt" && holds "drop in icmp
send in to queue 1 count
drop in tcp
" && client del 1 && start --queues 2 --state "$work/hurt" && holds "send in to queue 1 count
drop in tcp
"
}
check "a part of one more edit" unfinished '$_ .= "# edit of 12"'
long_check "one that is whole, but not counted" unfinished '/(# edit of \w*: 2 bytes.*)/s; $_ .= $1'
long_check "a disk that kept its length only" unfinished '$_ .= "\0" x 5000'
unsealed() {
	cp "$work/b" "$work/hurt"
	start --queues 2 --state "$work/hurt" && is '.rules | length' 2 &&
		grep "hurt has no length and checksum (dvx-flow apply writes them)" "$work/daemon.err" &&
		client apply --quiet "$work/b" && start --queues 2 --state "$work/hurt" && is '[.rules[].line] | join(",")' 1,2 &&
		! grep "no length and checksum" "$work/daemon.err"
}
check "a file without a checksum is taken up, and the daemon says so" unsealed
older() { # a first line that counts no edits
	"$PERL" -pe 's/, edits.*// if $. == 1; last if /^# edit/' "$work/state.whole" >"$work/hurt" && start --queues 2 --state "$work/hurt" &&
		holds "drop in udp
send in to queue 1 count
" && client del 1 && start --queues 2 --state "$work/hurt" && holds "send in to queue 1 count
"
}
start --queues 2 --fresh --state "$work/state.whole" && client apply --quiet "$work/b" && stop
check "a file of an older dvx-flow is taken up, and edited" older
start --queues 2 --fresh
echo "drop in" | client apply --quiet -
device_gone() {
	"$dvx_sim" down "$chip"
	wait "$daemon"
	status=$?
	daemon=
	cat "$work/daemon.err"
	[ $status = 4 ] && [ "$(cat "$work/daemon.err")" = "dvx-flow: mlx5_0 is gone, and its rules with it" ] && [ ! -e "$socket" ]
}
check "a device that goes away ends the daemon" device_gone
"$dvx_sim" up "$chip" --set log_max_flow_counter=9 || exit 99
newer() { start --queues 2 && holds "" && grep "are an older mlx5_0's" "$work/daemon.err" && start --queues 2 && holds "" &&
	[ ! -s "$work/daemon.err" ]; }
check "a new chip with an old chip's name starts without its rules and says so" newer
few() { echo "count in" | client apply --quiet - && seq 1000 | sed 's/.*/count in udp dst port &/' >"$work/c" &&
	fails 4 "^$work/c:[0-9]*:1: no counter: ALLOC_FLOW_COUNTER" client apply "$work/c" && holds "count in
" && replay && is '.rules[0].packets' 521; }
check "counters that run out" few
stop
"$dvx_sim" down "$chip"
no_chip() { fails 3 "mlx5" "$flow" daemon; }
check "no device" no_chip
plan
