# SPDX-License-Identifier: BSD-2-Clause
# Proves: typed rules steer packets of real programs; verdicts, queues, captures and
# counters agree to the packet; list, stats, del and --json say what is so.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99
up "$chip" || exit 99
check "a daemon starts" start --queues 4 --capture "$work/cap"

nothing() {
	client list >"$work/out" && grep -q "no rules" "$work/out" && is '.rules | length' 0 \
			'.queues | length' 4
}
check "it holds no rules at first" nothing

cat >"$work/rules" <<'END'
# drop a port, steer a subnet to a queue with a tag, count the rest
drop in udp dst port 53 count
send in ipv4 src 10.9.0.0/16 tcp dst port 80-443 to queue 3 tag 7 count
send in ipv6 tcp to queue 1 count
pass in icmp
count in
END
applies() {
	client apply "$work/rules" >"$work/out" && cat "$work/out" && grep -q "applied; 5 rules in effect" "$work/out" &&
		holds "$(grep -v '^#' "$work/rules")
"
}
check "a file is applied" applies

# What the file of packets has, told by another program than ours.
count_packets() { # FILE FILTER
	tcpdump -Z "$(id -un)" -nr "$1" "$2" 2>/dev/null | wc -l
}
replay() {
	"$dvx_sim" replay "$chip" "$traffic" --json >"$work/replay"
}
check "real traffic is replayed" replay
counted() {
	is '.rules[0].packets' 60 '.rules[3].packets' null '.queues[0].packets' 0 \
			'.rules[1].packets == .queues[3].packets and .rules[1].bytes == .queues[3].bytes' true \
			'.rules[2].packets == .queues[1].packets and .rules[2].bytes == .queues[1].bytes' true \
			'.queues[3].tags[0].tag' 7 '.queues[3].tags[0].packets == .queues[3].packets' true \
			'.queues[1].tags | length' 0
}
check "rules and queues count the same packets" counted
if command -v tcpdump >/dev/null; then
	captured() {
		want3=$(count_packets "$traffic" "src net 10.9 and tcp and dst portrange 80-443 or (vlan and src net 10.9 and tcp and dst portrange 80-443)")
		[ "$(count_packets "$work/cap/queue3.pcap" "")" = "$want3" ] &&
			is '.queues[3].packets' "$want3" '.queues[3].captured' "$want3" &&
			[ "$(count_packets "$work/cap/queue0.pcap" "")" = 0 ]
	}
	check "the capture has them, whole" captured
else
	skip "the capture has them, whole" "no tcpdump"
fi
# Packets are changed on their way: tcpdump finds the new fields, and no wrong checksum.
if command -v tcpdump >/dev/null; then
	cat >"$work/nat" <<'END'
send in untagged ipv4 src 10.9.0.0/16 tcp dst port 443 set ipv4 dst 192.0.2.7 tcp dst port 8443 dec ttl to queue 0 count
send in untagged ipv4 udp push vlan 7 pcp 3 to queue 1 count
send in vlan ipv4 pop vlan to queue 2 count
END
	told() { # FILE FILTER
		tcpdump -Z "$(id -un)" -nevvr "$1" "$2" 2>/dev/null
	}
	changed() {
		start --queues 4 --fresh --capture "$work/nat.d" && client apply --quiet "$work/nat" && replay || return 1
		n0=$(stat_of '.rules[0].packets') n1=$(stat_of '.rules[1].packets') n2=$(stat_of '.rules[2].packets')
		[ "$n0" -gt 0 ] && [ "$n1" -gt 0 ] && [ "$n2" -gt 0 ] &&
			[ "$(count_packets "$work/nat.d/queue0.pcap" "dst host 192.0.2.7 and tcp dst port 8443")" = "$n0" ] &&
			[ "$(count_packets "$work/nat.d/queue1.pcap" "vlan 7 and udp")" = "$n1" ] &&
			[ "$(told "$work/nat.d/queue1.pcap" "" | grep -c "vlan 7, p 3,")" = "$n1" ] &&
			[ "$(count_packets "$work/nat.d/queue2.pcap" "ip")" = "$n2" ] || return 1
		told "$traffic" "ip and src net 10.9 and tcp dst port 443" >"$work/before"
		told "$work/nat.d/queue0.pcap" "" >"$work/after"
		[ "$(grep -c incorrect "$work/before")" = "$(grep -c incorrect "$work/after")" ] && ! grep -q "bad cksum" "$work/after" &&
			[ -s "$work/after" ] &&
			[ "$(sed -n 's/.* ttl \([0-9]*\),.*/\1/p' "$work/before" | awk '{ print $1 - 1 }')" = "$(sed -n 's/.* ttl \([0-9]*\),.*/\1/p' "$work/after")" ]
	}
	check "packets are rewritten, tagged and untagged" changed
	check "the daemon starts once more, for the first rules" start --queues 4 --fresh --capture "$work/cap"
	client apply --quiet "$work/rules" && replay
else
	skip "packets are rewritten, tagged and untagged" "no tcpdump"
	skip "the daemon starts once more, for the first rules" "no tcpdump"
fi
agree() {
	dropped=$(jq .dropped "$work/replay")
	queued=$(jq .queued "$work/replay")
	is '.rules[0].packets' "${dropped:?}" '[.queues[].packets] | add' "${queued:?}"
}
check "the chip's own account agrees" agree

table() {
	client stats >"$work/out" && cat "$work/out" &&
		grep -Eq '^ +1 +60 +[0-9]+  drop in udp dst port 53 count$' "$work/out" &&
		grep -Eq '^ +4 +- +-  pass in icmp$' "$work/out" && grep -Eq '^ +3 .* tag 7: ' "$work/out"
}
check "stats prints a table" table

watched() {
	"$dvx_sim" exec "$chip" -- "$flow" stats --watch --interval 0.02 --json >"$work/watch" &
	watcher=$!
	until [ "$(grep -c . "$work/watch")" -ge 3 ]; do kill -0 $watcher || return 1; sleep 0.02; done
	kill $watcher
	wait $watcher
	head -n 3 "$work/watch" | jq -e '.rules | length == 5' >/dev/null
}
check "stats --watch goes on" watched

deleted() {
	client del 1 >"$work/out" && grep -q "4 rules in effect" "$work/out" &&
		is '[.rules[].id] | join(",")' 2,3,4,5 '.rules[0].packets == .queues[3].packets' true
}
check "del by number; the others' counters go on" deleted
by_words() {
	client del "pass in icmp" && is '[.rules[].id] | join(",")' 2,3,5 && client del count in && is '[.rules[].id] | join(",")' 2,3
}
check "del by words" by_words
no_such() {
	fails 1 "no such rule (1)" client del 1 && fails 1 "no such rule (drop in udp)" client del drop in udp &&
		fails 1 "no such rule (7 to 9)" client del 2 7-9 && is '[.rules[].id] | join(",")' 2,3
}
check "del of a rule that does not exist" no_such
deleted_steers() {
	before=$(stat_of '.queues[3].packets')
	replay && is '.rules[0].packets' $((2 * before)) '.queues[3].packets' $((2 * before)) &&
		field dropped "$work/replay" && [ "$value" = 0 ]
}
check "the remaining rules steer as before" deleted_steers

# apply and the edits keep IDs and counters of rules that stay.
cat >"$work/kept" <<'END'
# what stays
drop in udp dst port 53 count
send in ipv6 tcp to queue 1 count # by its words
count in vlan 7
END
ids() { is '[.rules[].id] | join(",")' "$1"; }
applied_again() {
	before=$(stat_of '.rules[] | select(.id == 3).packets')
	client apply --quiet "$work/kept" && ids 6,3,7 && is '.rules[1].packets' "$before" '.rules[0].packets' 0
}
check "apply: a rule with the same words keeps its counter and its ID" applied_again
edited() {
	[ "$(client add drop in vlan 9)" = "added as 8; 4 rules in effect" ] && client insert before 3 pass in arp &&
		client replace 7 "count in vlan 8" && ids 6,9,3,10,8 && is '.rules[2].packets' "$before" &&
		client list --json | jq -e '[.rules[].line] == [2, 3, 4, 5, 6]' &&
		fails 1 "RULE:1:6: expected in, out or switch" client add drop inn && fails 1 "RULE:1:9: no queue 5" client add send in to queue 5 &&
		fails 1 "no such rule (7)" client replace 7 drop in && fails 2 "insert before ID|NAME RULE" client insert 3 drop in && ids 6,9,3,10,8
}
check "add, insert and replace, at their places" edited
saved() {
	client save "$work/saved" && printf '%s\n' "# what stays" "drop in udp dst port 53 count" "pass in arp" \
		"send in ipv6 tcp to queue 1 count # by its words" "count in vlan 8" "drop in vlan 9" | diff - "$work/saved" &&
		[ "$(client save --json | jq -r .text)" = "$(cat "$work/saved")" ]
}
check "save writes them with the file's comments" saved
differs() {
	client diff "$work/kept" >"$work/out" && printf '%s\n' "      6  drop in udp dst port 53 count" "-     9  pass in arp" \
		"      3  send in ipv6 tcp to queue 1 count" "-    10  count in vlan 8" "-     8  drop in vlan 9" "+        count in vlan 7" \
		"2 stay, 1 added, 3 deleted, 0 moved" | diff - "$work/out" &&
		sort -r "$work/saved" | client diff --json - | jq -e '.stay == 2 and (.moved | length) == 3 and .moved[0].id == 3' && ids 6,9,3,10,8
}
check "diff shows what apply would do, and does nothing" differs
nothing_held() { is '.rules | length' 0 && replay && field queued "$work/replay" && [ "$value" = 0 ]; }
several() {
	client replace 10 'count in vlan 8 name "eight"' && client insert before eight count in name last && fails 1 "no such rule (none)" client del none &&
		client del 8-9 8 last 6 eight && ids 3 && is '.rules[0].packets' "$before" && client flush && nothing_held
}
check "del takes several IDs, ranges and names; flush takes all" several

empty() { client apply --quiet "$work/kept" && : >"$work/none" && client apply "$work/none" && nothing_held; }
check "an empty file takes all rules away" empty

from_stdin() { echo "drop in" | client apply - && holds "drop in
" && replay && field dropped "$work/replay" && [ "$value" = 521 ]; }
check "rules come from standard input too" from_stdin

# Copies, and a table of its own: DNS is counted twice and sent once, TCP is judged in "web" alone.
cat >"$work/ways" <<'END'
mirror in udp dst port 53 to queue 2 count
send in tcp goto web count
mirror in udp to queue 3 count
send in udp dst port 53 to queue 1 tag 5 count
drop in tcp count
table web
send in tcp dst port 443 to queue 0 count
END
ways() {
	client apply --quiet "$work/ways" && replay || return 1
	dns=$(stat_of '.rules[0].packets') tcp=$(stat_of '.rules[1].packets') udp=$(stat_of '.rules[2].packets')
	[ "$dns" = 60 ] && [ "$udp" -gt "$dns" ] && [ "$tcp" -gt "$(stat_of '.rules[5].packets')" ] &&
		is '.queues[2].packets' "$dns" '.queues[3].packets' "$udp" '.queues[1].packets' "$dns" \
			'.queues[1].tags[0].packets' "$dns" '.queues[2].tags | length' 0 \
			'.queues[0].packets == .rules[5].packets and .rules[5].packets > 0' true \
			'.rules[4].packets' 0 '.rules[1].goto' web '.rules[5].table' web
}
check "a daemon starts for mirrors and tables" start --queues 4 --fresh --capture "$work/cap"
check "mirrors copy and tables judge" ways
tables_shown() {
	client list | grep -q "  web    send in tcp dst port 443" && client list | grep -q "  main   drop in tcp count" &&
		client stats | grep -q "  web    send in tcp dst port 443" && client stats | grep -q "  TABLE  RULE" &&
		[ "$(client stats --prometheus | grep -c ',table="web",rule="send in tcp dst port 443')" = 2 ]
}
check "list and stats name the tables" tables_shown
tables_differ() {
	sed 's/port 443/port 444/' "$work/ways" >"$work/other" && client diff "$work/other" >"$work/out" &&
		grep -q '^- .*  web   send in tcp dst port 443' "$work/out" && grep -q '^+ .*  web   send in tcp dst port 444' "$work/out" &&
		grep -q '^  .*  main  drop in tcp count' "$work/out" &&
		client diff --json "$work/other" | jq -e '.added[0].table == "web" and .deleted[0].table == "web"'
}
check "diff names them, too" tables_differ
kept_table() {
	client del 3 && holds "$(grep -v "udp to queue 3\|^table" "$work/ways")
" && is '.rules[4].table' web && replay && is '.rules[0].packets' $((2 * dns)) '.queues[3].packets' "$udp"
}
check "del keeps the tables" kept_table
orphan() {
	fails 1 "has rules for incoming packets, but no such rule leads here" client del 2
}
check "del of the only way to a table" orphan
main_too() {
	client add "send in icmp goto web" && is '.rules[4].text' "send in icmp goto web" '.rules[4].goto' web &&
		client insert before 6 "drop in icmp" && is '.rules[5].table' web && client save - >"$work/saved" &&
		grep -A1 "^table" "$work/saved" | grep -q "^drop in icmp$" && client flush && nothing_held
}
check "add adds to the table main, insert to that of its rule" main_too
# Of 521 packets, one in 4 is copied at random: 130, give or take six standard deviations. All go on.
sampled() {
	printf '%s\n' "mirror in any to queue 2 sample 4 count" "send in to queue 1 count" | client apply --quiet - || return 1
	before=$(stat_of '.queues[2].packets')
	replay && is '.rules | map(.packets) | join(" ")' "521 521" || return 1
	copies=$(($(stat_of '.queues[2].packets') - before))
	echo "$copies copies"
	[ "$copies" -gt 70 ] && [ "$copies" -lt 190 ] && client list --json | jq -e '.rules[0].sample == 4' &&
		client explain arp | grep -q "one packet in 4 is copied elsewhere, the packet goes on" && client flush
}
check "a mirror copies one packet in so many" sampled
# No packet comes to "web": its mirror has no table to lead on to.
unreached() {
	printf '%s\n' "drop in" "send in tcp goto web" "table web" "mirror in to queue 1" "drop in" | client apply --quiet - && client flush
}
check "a mirror in a table that no packet reaches" unreached
# The daemon gets the request when it goes on. The client takes the signal from when it is about to send; before exec it is
# a shell, which catches it, too.
catches() {
	[ "$(cat "/proc/$1/comm")" = dvx-flow ] && mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status") && [ $((0x$mask >> 14 & 1)) = 1 ]
}
interrupted() {
	kill -STOP "$daemon"
	"$dvx_sim" exec "$chip" -- "$flow" apply "$work/ways" 2>"$work/err" &
	told=$!
	while kill -0 "$told" && ! catches "$told"; do :; done
	kill "$told"
	wait "$told"
	status=$?
	kill -CONT "$daemon"
	[ $status = 143 ] && grep -q "interrupted, but the daemon goes on" "$work/err" && client flush
}
check "who interrupts apply is told that the daemon goes on" interrupted

# The flows of Microsoft's "Verifying the RSS Hash Calculation", as TCP: queues by the hashes published there.
"${PERL:-perl}" -MSocket=:DEFAULT,inet_pton,AF_INET6 -e '
	print pack("VvvlVVV", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1);
	for (map { [split] } "66.9.149.187 161.142.100.80 2794 1766", "199.92.111.2 65.69.140.83 14230 4739",
		"24.19.198.95 12.22.207.184 12898 38024", "38.27.205.30 209.142.163.6 48228 2217",
		"153.39.163.191 202.188.127.2 44251 1303", "3ffe:2501:200:1fff::7 3ffe:2501:200:3::1 2794 1766",
		"3ffe:501:8::260:97ff:fe40:efab ff02::1 14230 4739",
		"3ffe:1900:4545:3:200:f8ff:fe21:67cf fe80::200:f8ff:fe21:67cf 44251 38024") {
		my ($src, $dst, $sport, $dport) = @$_;
		my $v6 = $src =~ /:/;
		my @ip = map { inet_pton($v6 ? AF_INET6 : AF_INET, $_) } $src, $dst;
		my $f = pack("H24 n", "02d700000001020000000009", $v6 ? 0x86dd : 0x0800)
			. ($v6 ? pack("NnCC", 6 << 28, 20, 6, 64) : pack("CCnnnCCn", 0x45, 0, 40, 0, 0, 64, 6, 0))
			. join("", @ip) . pack("nnNNnnnn", $sport, $dport, 0, 0, 0x5002, 0, 0, 0) . "\0" x 6;
		print pack("VVVV", 1, 0, length $f, length $f), $f;
	}' >"$work/rss.pcap"
spread() { # RSS PACKETS-OF-EACH-QUEUE
	echo "send in tcp to rss $1" | client apply --quiet - || return 1
	before=$(stat_of '[.queues[].packets] | join(" ")')
	"$dvx_sim" replay "$chip" "$work/rss.pcap" --json >"$work/replay"
	got=$(stat_of "[[.queues[].packets], [$(echo "$before" | tr " " ,)]] | transpose | map(.[0] - .[1]) | join(\" \")")
	[ "$got" = "$2" ] || { echo "$1: $got"; return 1; }
}
spreads() {
	spread "0-3" "1 1 3 3" && spread "0-3 on ipv4,ipv6" "1 3 4 0" && spread "0-3 on ipv4,tcp" "4 0 3 1" &&
		spread "0-2" "3 4 1 0" && spread "1-2" "0 4 4 0" &&
		spread "2-3 key 0x$(printf '%080d' 0)" "0 0 8 0"
}
check "rss spreads as Microsoft's Toeplitz hash says" spreads
no_such_rss() {
	echo "send in to rss 2-4" >"$work/rss" && fails 1 "rss:1:18: no queue 4, the daemon has 4" client apply "$work/rss"
}
check "rss over queues that the daemon lacks: the place of the number" no_such_rss

# A matcher of the device for an IP version that no rule has would be a question for each packet.
asks_little() {
	echo "send in ip6 to queue 1" | client apply --quiet - && client explain "in arp" >"$work/out" &&
		cat "$work/out" && grep -q "wants ip version 6" "$work/out" && ! grep -q "has no rules" "$work/out"
}
check "rules of IPv6 alone are one question" asks_little

# Two priorities take turns: each of many applications has to take effect.
turns() {
	for n in 1 2 3 4 5 6; do
		echo "send in to queue $((n % 4)) count" | client apply --quiet - || return 1
		replay && is '.rules[0].packets' 521 || return 1
	done
}
check "generation after generation" turns

# Tags 7 and 9; 7 and 8; 9 and 7; a provider's 7 and 9; 7 alone.
"${PERL:-perl}" -e '
	sub frame { pack("H24 H*", "02d700000001" . "020000000009", shift) . pack("n", 0x88b5) . "\0" x 50 }
	print pack("VvvlVVV", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1);
	for (qw(8100000781000009 8100000781000008 8100000981000007 88a8000781000009 81000007)) {
		my $f = frame($_);
		print pack("VVVV", 1, 0, length $f, length $f), $f;
	}' >"$work/qinq.pcap"
second_tag() {
	printf '%s\n' "drop in vlan 7 vlan 9 count" "drop in svlan 7 vlan id 9 count" "drop in vlan vlan 7 count" "drop in vlan 7 count" >"$work/qinq" &&
		client apply --quiet "$work/qinq" && "$dvx_sim" replay "$chip" "$work/qinq.pcap" --json >"$work/replay" &&
		is '[.rules[].packets] | join(" ")' "1 1 1 2" || return 1
	client explain --packet 1 "$work/qinq.pcap" >"$work/out" && cat "$work/out" &&
		grep -q "packet 1 in: vlan 7 vlan 9 ether" "$work/out" && grep -q '=> rule "drop in vlan 7 vlan 9 count"' "$work/out" &&
		client explain svlan 7 vlan 9 >"$work/out" && grep -q '=> rule "drop in svlan 7 vlan id 9 count"' "$work/out"
}
check "a second VLAN tag" second_tag

out_rules() {
	printf '%s\n' "drop out udp dst port 9" "count out" "drop in" >"$work/both"
	client apply "$work/both" && holds "$(cat "$work/both")
"
}
check "rules of both directions" out_rules

# A daemon that stands still takes no packets: its queue is soon full.
printf '%s\n' 'send in udp to queue 1 count' 'send in to queue 0 count' 'drop out' 'count out tcp name "web"' >"$work/lose"
lost() {
	client apply --quiet "$work/lose" || return 1
	kill -STOP "$daemon"
	dropped=0
	for _ in 1 2 3; do replay && dropped=$((dropped + $(jq .no_buffer "$work/replay"))); done
	kill -CONT "$daemon"
	[ "$dropped" -gt 0 ] && is '.queues[0].dropped' "$dropped" '.queues[1].dropped' 0 \
			'.rules[1].packets' $((1024 + dropped)) &&
		client stats >"$work/out" && grep -Eq "^ +0 +[0-9]+ +[0-9]+ +$dropped\$" "$work/out"
}
check "each queue tells what it lost, as the chip does" lost

# A terminal of 12 rows and 70 columns, on which Ctrl-C is typed after a few reports
screen() {
	mkfifo "$work/keys"
	script -qec "stty rows 12 cols 70; exec $dvx_sim exec $chip -- $flow stats --watch 0.02" /dev/null <"$work/keys" >"$work/screen" &
	screen=$!
	exec 7>"$work/keys"
	until [ "$(grep -c 'Ctrl-C ends' "$work/screen")" -ge 3 ]; do kill -0 $screen || return 1; sleep 0.02; done
	printf '\003' >&7
	wait $screen
	status=$?
	exec 7>&-
	return $status
}
check "stats --watch on a terminal ends by Ctrl-C, with status 0" screen
steady() { # one erasure at the beginning; then lines are written over the old ones, and fit
	"$PERL" -0777 -ne '
		my ($begin, @reports) = split /\e\[H(?!\e\[J)/;
		die "begins without erasing: $begin" if $begin ne "\e[?25l\e[H\e[J";
		die "the cursor stays hidden" unless pop(@reports) =~ /\e\[\?25h$/;
		for my $r (@reports) {
			my @lines = split /\r\n/, $r;
			die "erases more than the end" if pop(@lines) ne "\e[J";
			die scalar(@lines) . " lines" if @lines > 11;
			s/\e\[K$// ? length() < 70 : length() == 70 or die "line: $_" for @lines;
			die "the busiest is not first: $r" unless $lines[8] =~ /^ +2 .*send in to queue 0/;
		}' "$work/screen"
}
check "and its screen is steady" steady

# A strict reader of the text format (0.0.4): each metric has its lines in one place, and no series is there twice.
prometheus() {
	client stats --prometheus >"$work/prom" && cat "$work/prom" && "$PERL" -ne '
		/^# HELP (\w+) \S.*\.$/ and !$help{$1}++ and $at = $1, next;
		/^# TYPE (\w+) (counter|gauge)$/ and $1 eq $at and !$type{$1}++ and ($2 eq "counter") == /_total / and next;
		my $v = qr/"(?:[^"\\\n]|\\[\\n"])*"/;
		/^((\w+)\{[a-z]+=$v(?:,[a-z]+=$v)*\}) (\d+)$/ and $2 eq $at and $type{$2} and !$is{$1}++ and ++$n and next;
		die "line $.: $_";
		END { die "$n samples" unless $n == 28 }' "$work/prom" || return 1
	grep -qF 'dvx_flow_rule_packets_total{device="mlx5_0",id="4",direction="out",action="pass",name="web",rule="count out tcp name \"web\""} 0' "$work/prom" &&
		grep -qx "dvx_flow_queue_dropped_packets_total{device=\"mlx5_0\",queue=\"0\"} $(stat_of '.queues[0].dropped')" "$work/prom" || return 1
	! command -v promtool >/dev/null || promtool check metrics <"$work/prom"
}
check "stats --prometheus is what scrapers read" prometheus
one_report() { fails 2 "leave out --json" client stats --prometheus --json && fails 2 "leave out --watch" client stats --prometheus --watch; }
check "and one report, in one format" one_report
seconds() { fails 2 "SECONDS belong to --watch" client stats 3 && fails 2 "not a number of seconds" client stats --watch 1x; }
check "--watch takes seconds" seconds
# What a file includes is part of its rules; the daemon is told where each came from, and opens nothing.
included() {
	mkdir -p "$work/in/sub" && printf 'define dns = 53\ninclude "sub/web.flow"\ncount in # the rest\n' >"$work/in/main.flow" &&
		printf '# web\ndrop in udp dst port $dns\n' >"$work/in/sub/web.flow" && client apply --quiet "$work/in/main.flow" &&
		client list >"$work/out" && grep -q 'sub/web.flow:2 *drop in udp dst port 53$' "$work/out" &&
		grep -q 'line 3 *count in$' "$work/out" &&
		client list --json | jq -e '[.rules[] | [.file, .line]] == [["sub/web.flow", 2], [null, 3]]'
}
check "rules of an included file are named by it" included
one_file() {
	client add --quiet pass in tcp && client save >"$work/saved" && cat "$work/saved" &&
		grep -qx '# line 1 "sub/web.flow"' "$work/saved" && grep -qx 'define dns = 53' "$work/saved" &&
		client diff "$work/saved" | grep -q '3 stay, 0 added' && client diff "$work/in/main.flow" | grep -q '^- .*pass in tcp'
}
check "save writes one file, which means the same" one_file
by_variable() {
	client add 'drop in tcp dst port $dns' && is '.rules[-1].text' "drop in tcp dst port 53" &&
		client replace "$(stat_of '.rules[-1].id')" 'drop in tcp src port $dns' && is '.rules[-1].text' "drop in tcp src port 53" &&
		fails 1 'RULE:1:22: no variable is called "dms"; did you mean "$dns"' client add 'drop in udp dst port $dms' &&
		fails 1 'rules have the values of variables' client del 'drop in tcp src port $dns' &&
		fails 1 'a definition belongs to a file' client add 'define web = 80' &&
		fails 1 'there is no rule in this' client add '# no rule' && client del "drop in tcp src port 53"
}
check "add and replace know the variables of the rules in effect" by_variable
two_mistakes() { printf 'drop inn\npass in\nfoo in\n' >"$work/two" && fails 1 'two:1:6: ' client apply "$work/two" && fails 1 'two:3:1: ' client apply "$work/two"; }
check "apply tells all mistakes of a file" two_mistakes
no_queue() {
	printf 'include "sub/bad.flow"\n' >"$work/in/bad.flow" && printf '\nsend in to queue 9\n' >"$work/in/sub/bad.flow" &&
		fails 1 'sub/bad.flow:2:9: no queue 9' client apply "$work/in/bad.flow"
}
check "what the daemon refuses is named by the included file" no_queue
# Packets that came just before the end are in the capture, all of them.
echo "send in to queue 0" | client apply --quiet -
is '.queues[0].captured > 0' true
captured=$(stat -c %s "$work/cap/queue0.pcap")
replay
# Who watches is told in the same form that the daemon ended.
on_chip "$flow" stats --watch 0.02 --json >"$work/ends" 2>"$work/ends.err" &
watcher=$!
until [ -s "$work/ends" ]; do kill -0 $watcher || break; done
check "the daemon ends on SIGTERM" stop
told() {
	wait $watcher
	[ $? = 3 ] && [ "$(tail -n 1 "$work/ends" | jq .error.exit)" = 3 ] && [ "$(head -n 1 "$work/ends" | jq .error)" = null ]
}
check "and stats --watch --json ends with an error object" told
whole() { [ "$(stat -c %s "$work/cap/queue0.pcap")" = $((captured + 16 * $(jq .frames "$work/replay") + $(jq .bytes "$work/replay"))) ]; }
check "its captures are complete" whole
gone() { [ ! -S "$socket" ] && fails 3 "no daemon holds" client list; }
check "its socket is gone" gone
plan
