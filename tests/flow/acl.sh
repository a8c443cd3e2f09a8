#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the daemon makes tables of codes of access lists, and that each packet of a replay meets the rule
# which is the first of the file that takes it. DVX_ACL="SHAPE RULES PACKETS ..." chooses other lists, see
# tests/flow/acl_sets.h.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99
up "$chip" || exit 99
start --queues 1 || exit 99
sets="3 300 2000"
[ -z "${DVX_TEST_LONG-}" ] || sets="0 5000 20000 1 5000 20000 2 5000 20000 3 5000 20000"

# Without the rules of the list before: those that both have would keep their counters.
same() {
	client flush >/dev/null || return 1
	"$top_builddir/tests/flow/acl" "$@" "$work" && client apply --json "$work/rules" >"$work/cost" 2>"$work/err" || return 1
	cat "$work/cost" "$work/err"
	[ "$(jq -r '.in.compiled, .in.longest_path <= 64' "$work/cost" | tr '\n' ' ')" = "codes true " ] &&
		"$dvx_sim" replay "$chip" "$work/packets.pcap" --json >"$work/replay" && client stats --json >"$work/stats" &&
		jq -e --argjson sent "$3" --slurpfile want "$work/want" '[.rules[].packets] as $got |
			[$sent - ($got | add)] + $got == $want[0]' "$work/stats"
}
# The addresses that a code stands for, in explain's words: the packet's own is among those of the codes that it has, and
# not among all of those that an entry which it misses wants.
codes_in_words() {
	for packet in 1 2 3; do
		client explain --packet=$packet "$work/packets.pcap" || return 1
	done >"$work/says"
	perl -ne 'sub number { my $n = 0; $n = $n << 8 | $_ for split /\./, shift; $n }
		sub among { my ($address, $list) = @_;
			for (split / or /, $list) {
				return 1 if /more/;
				my ($low, $bits, $high) = m{^([\d.]+)(?:/(\d+)|-([\d.]+))?$} or die "no addresses: $_";
				my ($from, $to) = (number($low), number($high // $low));
				$to |= 2 ** (32 - $bits) - 1 if defined $bits;
				return 1 if $from <= $address && $address <= $to } 0 }
		sub all { my ($words, $of) = @_; my $all = 1;
			while ($words =~ /code 0x\w+ of ipv4 (src|dst): ((?:\d+ more|[\d.\/-]+)(?: or (?:\d+ more|[\d.\/-]+))*)/g) {
				$codes++; $all &= among($of->{$1}, $2) } $all }
		%of = (src => number($1), dst => number($2)) if /^packet .* ipv4 ([\d.]+) > ([\d.]+)/;
		die "a number: $_" if /register c[0-5] 0x/ && !/changes/;
		if (/ of "(.*?)" hits: a hit of "(.*?)"/) { $1 eq $2 or die "another rule: $_"; $hits++ }
		next unless /code 0x/ && /ipv4/;
		if (/misses: it wants (.*), the packet has (.*)/) { die "it has: $_" unless all($2, \%of) }
		elsif (/hits: (.*)/) { die "it hits: $_" unless all($1, \%of) }
		END { print "# $codes codes, $hits hits\n"; $? ||= !$codes || !$hits }' "$work/says" || { cat "$work/says"; return 1; }
}
# Hands the daemon's socket on as $work/between. What each client asks for is a line of $work/between.asked.
between() {
	background "$work/between.err" "$PERL" -MIO::Socket::UNIX -e '
		my ($daemon, $path) = @ARGV;
		my $in = IO::Socket::UNIX->new(Local => $path, Listen => 8) or die "listen: $!";
		$| = 1;
		print "ready\n";
		open my $log, ">", "$path.asked" or die;
		$log->autoflush(1);
		while (my $c = $in->accept) {
			my $d = IO::Socket::UNIX->new(Peer => $daemon) or die "connect: $!";
			sysread $c, $_, 65536;
			print $log substr($_, 12), "\n";
			syswrite $d, $_;
			shutdown $d, 1;
			while (sysread $d, $_, 65536) { print $c $_ }
			close $c;
		}' "$socket" "$work/between"
}
# explain asks for the tables that a packet in words meets, and for all of them where it has a file of packets.
meets_the_same_in_words() {
	compared=0
	for packet in 1 2 3 4 5 6; do
		client explain --packet=$packet "$work/packets.pcap" >"$work/whole" || return 1
		words=$(sed -nE '1s/.* in: (ipv[46]) (.*) > (.*) (tcp|udp) (.*) > (.*)/\1 src \2 dst \3 \4 src port \5 dst port \6/p' \
			"$work/whole")
		[ -n "$words" ] || continue
		compared=$((compared + 1))
		# shellcheck disable=SC2086 # words
		client explain --socket "$work/between" $words >"$work/part" || return 1
		sed 1d "$work/whole" >"$work/whole.ways"
		sed 1d "$work/part" | diff "$work/whole.ways" - || return 1
	done
	[ $compared -gt 0 ]
}
asks_for_parts() {
	cat "$work/between.asked"
	[ -s "$work/between.asked" ] && ! grep -v '"direction"' "$work/between.asked"
}
# shellcheck disable=SC2086 # words
set -- ${DVX_ACL:-$sets}
while [ $# -ge 3 ]; do
	check "each of $3 packets meets its rule of $2 (shape $1)" same "$1" "$2" "$3"
	shift 3
done
check "explain says in words what codes mean" codes_in_words
between
check "explain says the same of a packet in words and of one in a file" meets_the_same_in_words
check "explain asks for the tables of a packet in words only" asks_for_parts
kill "$child"
plan
