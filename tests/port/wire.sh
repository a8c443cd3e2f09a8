#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-sim replay sends a file's packets as they are, all of them or none, and says what
# became of them; that dvx-sim capture writes what is on the wire, whoever reads it and however it
# ends; and that bad files, full disks and slow readers harm neither chip nor file.
. "$top_srcdir/tests/tap.sh"
traffic=$top_srcdir/examples/traffic/traffic.pcap

# Packet files from hex, one packet a line "[LEN] HEX": pcap TYPE <lines >file
make_pcap() {
	$PERL -e '
		print pack("LSSlLLL", 0xa1b2c3d4, 2, 4, 0, 0, 65535, shift);
		while (<STDIN>) {
			my ($len, $hex) = /^(?:\[(\d+)\] )?(\S*)/;
			my $p = pack("H*", $hex);
			print pack("LLLL", 1, 0, length $p, $len // length $p), $p;
		}' "$1"
}
eth=02d7000000010200000000020800
packets() { # N: how many packets, of 14 + 46 bytes
	$PERL -e 'print "'$eth'", "00" x 46, "\n" for 1 .. shift' "$1"
}

# start_capture FILE ARGS...: returns when the capture is on
start_capture() {
	mkfifo "$scratch/told"
	timeout 300 "$dvx_sim" capture w "$@" 2>"$scratch/told" &
	capture=$!
	exec 4<"$scratch/told"
	rm "$scratch/told"
	read -r line <&4
	case $line in *capturing*) ;; *) echo "$line"; return 1 ;; esac
}
end_capture() { # its last words
	wait "$capture"
	rc=$?
	cat <&4
	exec 4<&-
	return $rc
}
bytes_of() { # a pcap's packets in hex, without times
	$PERL -e '
		binmode STDIN; local $/; my $d = <STDIN>; my $at = 24;
		while ($at < length $d) {
			my (undef, undef, $n) = unpack "LLLL", substr $d, $at;
			die "cut\n" if $at + 16 + $n > length $d;
			print unpack("H*", substr $d, $at + 16, $n), "\n";
			$at += 16 + $n;
		}'
}
answers() { says 0 'PORT_ACTIVE' "$dvx_sim" exec w -- ibv_devinfo; }

check "replay needs a name" says 2 'replay needs NAME FILE.pcap' "$dvx_sim" replay
check "replay needs a file" says 2 'replay needs NAME FILE.pcap' "$dvx_sim" replay w
check "capture --count is a number" says 2 'not "x"' "$dvx_sim" capture w f -n x
check "replay into nothing" says 3 'no chip named w is up' "$dvx_sim" replay w "$traffic"
check "capture of nothing" says 3 'no chip named w is up' "$dvx_sim" capture w "$scratch/f"
check "... makes no file" test ! -e "$scratch/f"
chips=w
"$dvx_sim" up w

check "real traffic: all of it comes in" \
	says 0 '521 packets, [0-9]* bytes replayed' "$dvx_sim" replay w "$traffic"
fates() {
	"$dvx_sim" replay w "$@" --json |
		jq -e '.frames == 521 and .complete and .bytes == 75218 and .failed + .no_buffer + .queued + .lost == 0 and .missed + .unclaimed == 521'
}
check "... and each packet has one fate" fates "$traffic"
check "from a pipe" says 0 '521 packets' sh -c "cat '$traffic' | '$dvx_sim' replay w -"
dropped() { "$dvx_sim" ls --json | jq '[.[] | select(.name == "w").drops[] | select(.cause == "no_rule").count] | add // 0'; }
told() {
	before=$(dropped)
	packets 3 | make_pcap 1 >"$scratch/three.pcap" && "$dvx_sim" replay w "$scratch/three.pcap" || return
	[ "$(dropped)" = $((before + 3)) ] && "$dvx_sim" ls | grep "$((before + 3)) packets dropped: no receive rule, and no network interface"
}
check "ls says why packets were dropped" told
make_pcapng() { # one section, two interfaces of Ethernet, a packet of each
	$PERL -e '
		sub block { my ($type, $body) = @_; my $n = 12 + length $body; print pack("LL", $type, $n), $body, pack("L", $n) }
		my $p = pack("H*", "'$eth'") . "x" x 50;
		block(0x0a0d0d0a, pack("LSSq", 0x1a2b3c4d, 1, 0, -1));
		block(1, pack("SSL", 1, 0, 0)) for 1, 2;
		block(6, pack("LLLLL", $_, 0, 0, 64, 64) . $p) for 0, 1;'
}
make_pcapng >"$scratch/ng"
check "pcapng" says 0 ' 2 packets, 128 bytes' sh -c "'$dvx_sim' replay w - <'$scratch/ng'"
check "a file without packets" says 0 ' 0 packets' sh -c \
	"head -c 24 '$traffic' | '$dvx_sim' replay w -"

bad() { # NAME SENTENCE, file in $scratch/bad.pcap
	check "$1" says 3 "$2" "$dvx_sim" replay w "$scratch/bad.pcap"
	check "... nothing was sent" grep -q 'nothing was sent' "$scratch/said"
}
head -c 3050 "$traffic" >"$scratch/bad.pcap"
bad "a file cut in a packet" "packet [0-9]* can't be read: truncated"
{ packets 3; echo "[90] ${eth}00"; } | make_pcap 1 >"$scratch/bad.pcap"
bad "a packet cut when captured" 'packet 4 was cut when it was captured (15 of 90 bytes)'
check "... from a pipe: those before it were sent" says 3 '3 packets before it were sent' \
	"$dvx_sim" replay w - <"$scratch/bad.pcap"
{ packets 1; echo; } | make_pcap 1 >"$scratch/bad.pcap"
bad "a packet without bytes" 'packet 2 has 0 bytes'
{ packets 1; $PERL -e 'print "00" x 9217, "\n"'; } | make_pcap 1 >"$scratch/bad.pcap"
bad "a packet longer than the port takes" 'packet 2 has 9217 bytes: the port takes 14 to 9216'
packets 1 | make_pcap 101 >"$scratch/bad.pcap"
check "packets that are not Ethernet" says 3 'link type Raw IP: the port takes Ethernet' \
	"$dvx_sim" replay w "$scratch/bad.pcap"
check "no packet file" says 3 'is no packet file' "$dvx_sim" replay w /etc/passwd
check "an empty file" says 3 'is no packet file' "$dvx_sim" replay w /dev/null
check "no file" says 3 'No such file' "$dvx_sim" replay w "$scratch/none"
check "a folder" says 3 'Is a directory' "$dvx_sim" replay w "$scratch"
check "a report that can't be written" says 3 "standard output cannot be written: No space" \
	sh -c "'$dvx_sim' replay w '$traffic' >/dev/full"

interrupted() {
	mkfifo "$scratch/endless"
	"$dvx_sim" replay w - <"$scratch/endless" >"$scratch/said" 2>&1 &
	replay=$!
	exec 5>"$scratch/endless"
	{ packets 20000 | make_pcap 1; } >&5 # more than one batch: some were sent by now
	kill -INT $replay
	exec 5>&-
	wait $replay
	rc=$?
	cat "$scratch/said"
	[ $rc = 130 ] && grep -q 'interrupted: [1-9][0-9]* packets were sent' "$scratch/said"
}
check "an interrupted replay says how many" interrupted
check "... the chip lives" answers

same() {
	start_capture "$scratch/cap.pcap" || return
	"$dvx_sim" replay w "$traffic" || return
	kill -INT "$(pgrep -P $capture)"
	end_capture || return
	bytes_of <"$traffic" >"$scratch/a"
	bytes_of <"$scratch/cap.pcap" >"$scratch/b"
	cmp "$scratch/a" "$scratch/b"
}
check "a capture holds the replayed packets, byte for byte" same
counted() {
	start_capture - --count 100 >"$scratch/cap.pcap" || return
	"$dvx_sim" replay w "$traffic" && end_capture || return
	[ "$(bytes_of <"$scratch/cap.pcap" | wc -l)" = 100 ]
}
check "--count ends it at that packet" counted
killed() {
	timeout 300 "$dvx_sim" capture w - -n 521 >"$scratch/two" 2>"$scratch/told2" &
	second=$!
	shows_up "$scratch/told2" capturing $second || return
	start_capture "$scratch/cap.pcap" || return
	"$dvx_sim" replay w "$traffic" && wait $second || return
	until [ "$(stat -c %s "$scratch/cap.pcap")" -ge "$(stat -c %s "$traffic")" ]; do :; done
	kill -KILL "$(pgrep -P $capture)"
	end_capture
	bytes_of <"$scratch/two" | cmp - "$scratch/a" && bytes_of <"$scratch/cap.pcap" | cmp - "$scratch/a"
}
check "two at once; one that is killed leaves a whole file" killed
check "a full disk is reported" says 3 "No space left" "$dvx_sim" capture w /dev/full
small_disk() (
	trap '' XFSZ # the write fails instead
	ulimit -f 40 # blocks of 512 bytes
	start_capture "$scratch/small.pcap" || exit
	"$dvx_sim" replay w "$traffic"
	end_capture >"$scratch/words"
	[ $? = 3 ] || exit 1
	cat "$scratch/words"
	n=$(bytes_of <"$scratch/small.pcap" | wc -l)
	[ "$n" -gt 10 ] && grep -q "packet $((n + 1)) and what followed could not be written" "$scratch/words"
)
check "a disk that fills up: one sentence, and only whole packets in the file" small_disk
check "a file that can't be made" says 3 "can't write" "$dvx_sim" capture w "$scratch/no/file"
unread() {
	timeout 300 "$dvx_sim" capture w - 2>"$scratch/told3" | head -c 24 >/dev/null
	grep -q 'has no reader any more' "$scratch/told3"
}
check "a pipe without a reader ends it" unread
check "... nor from the beginning" says 3 'has no reader any more' \
	"$PERL" -e 'pipe R, W; close R; open STDOUT, ">&", W; exec @ARGV' "$dvx_sim" capture w -
stopped() {
	start_capture "$scratch/cap.pcap" || return
	reader=$(pgrep -P $capture)
	kill -STOP "$reader"
	# more than the store takes: it waits a second, then goes on without the reader
	$PERL -e 'print "'$eth'", "00" x 9000, "\n" for 1 .. 2000' | make_pcap 1 >"$scratch/big.pcap"
	says 0 ' 2000 packets' "$dvx_sim" replay w "$scratch/big.pcap"
	rc=$?
	kill -CONT "$reader"
	kill -TERM "$reader"
	end_capture >"$scratch/words" || rc=1
	cat "$scratch/words"
	n=$(bytes_of <"$scratch/cap.pcap" | wc -l)
	lost=$(sed -n 's/.*: \([0-9]*\) packets are not among them.*/\1/p' "$scratch/words")
	[ $rc = 0 ] && [ $((n + lost)) = 2000 ] && [ "$lost" -gt 0 ]
}
check "a reader that stops delays the wire by a second at most; its lost packets are counted" stopped
late() {
	start_capture "$scratch/cap.pcap" || return
	"$dvx_sim" replay w "$scratch/big.pcap" || return
	kill -TERM "$(pgrep -P $capture)"
	end_capture || return
	[ "$(bytes_of <"$scratch/cap.pcap" | wc -l)" = 2000 ]
}
check "one that reads gets all of it" late
server=$("$dvx_sim" ls --json | jq '.[] | select(.name == "w") | .pid')
# As timeout(1) sends it: the second one comes when the first was taken, but not answered yet.
twice() {
	start_capture "$scratch/cap.pcap" || return
	"$dvx_sim" replay w "$traffic" || return
	reader=$(pgrep -P $capture)
	kill -STOP "$server"
	kill -TERM "$reader"
	until grep -q '^ShdPnd:[[:space:]]*0*$' "/proc/$reader/status"; do :; done
	kill -TERM "$reader"
	kill -CONT "$server"
	end_capture || return
	bytes_of <"$scratch/cap.pcap" | cmp - "$scratch/a"
}
check "a capture that gets two signals to end is complete" twice
silent() {
	start_capture "$scratch/cap2.pcap" || return
	kill -STOP "$server"
	kill -TERM "$(pgrep -P $capture)"
	"$dvx_sim" capture w "$scratch/cap.pcap" 2>"$scratch/said" &
	mute=$!
	says 3 'after packet 0: it does not answer' "$dvx_sim" replay w "$traffic"
	told=$?
	kill -TERM $mute
	wait $mute
	[ $? = 3 ] || told=1
	end_capture >"$scratch/words"
	[ $? = 3 ] && grep -q 'does not answer' "$scratch/words" || told=1
	kill -CONT "$server"
	return $told
}
check "a chip that does not answer is reported and delays no client" silent
went_down() {
	start_capture "$scratch/cap.pcap" || return
	"$dvx_sim" down w
	end_capture >"$scratch/words"
	[ $? = 3 ] && grep -q 'w is gone' "$scratch/words"
}
check "... the chip lives" answers
check "a chip that goes down ends it" went_down

# A device that fails sends its captures what was on the wire before.
fails() {
	"$dvx_sim" up w && start_capture "$scratch/cap.pcap" || return
	reader=$(pgrep -P $capture)
	kill -STOP "$reader"
	"$dvx_sim" replay w "$traffic" || return
	echo 'device fatal after 1us' >"$scratch/fatal"
	"$dvx_sim" fault w "$scratch/fatal" || return
	until "$dvx_sim" why w | grep 'the device has failed'; do :; done
	kill -CONT "$reader"
	kill -TERM "$reader"
	end_capture || return
	bytes_of <"$scratch/cap.pcap" | cmp - "$scratch/a"
}
check "a device that fails: its capture is complete" fails
check "... a replay is told" says 3 'after packet 0: Network is down' "$dvx_sim" replay w "$traffic"
plan
