#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that rules on real traffic do what they say: the counts of port, rules and queues equal
# tcpdump's to the packet, and examples/first-rules notices when they do not.
. "$top_srcdir/tests/tap.sh"
command -v tcpdump >/dev/null || skip_all "tcpdump is not installed: nothing to compare the counts with"

check "first-rules succeeds" timeout 300 "$top_srcdir/examples/first-rules" "$top_builddir" "$scratch/held"
check "... with packets for each rule" \
	grep -q '521 real packets|60 dropped, 69 in a queue, 392 counted' "$scratch/held"

# Rules that do something else than their text says: the same file with one word changed.
altered() { # SED SENTENCE
	mkdir -p "$scratch/altered/traffic"
	cp "$top_srcdir/examples/first-rules" "$top_srcdir/examples/memlock.sh" "$scratch/altered"
	cp "$top_srcdir/examples/traffic/traffic.pcap" "$scratch/altered/traffic"
	sed "$1" "$top_srcdir/examples/first-rules.flow" >"$scratch/altered/first-rules.flow"
	timeout 300 "$scratch/altered/first-rules" "$top_builddir" >"$scratch/said" 2>&1 && return 1
	cat "$scratch/said"
	grep -q "$2" "$scratch/said"
}
check "a rule that matches other packets is noticed" altered 's/port 53/port 5001/' 'rule 1 counted 8 packets'
check "another tag is noticed" altered 's/tag 7/tag 8/' 'queue 1 got'
check "packets that are not dropped are noticed" altered 's/^drop /pass /' "port's counts differ"
plan
