#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that `dvx-flow add -' makes all edits of its input at once or none, that a fault has its line and column there,
# and that `draw' shows tables, rules, goals and counters.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99
up "$chip" || exit 99
check "a daemon starts" start --queues 2

cat >"$work/rules" <<'END'
# kept
drop in udp dst port 53 name dns count
send in tcp dst port 80 goto web
drop in tcp
table web
drop in ipv4 src 192.0.2.0/24
send in to queue 1
END
client apply --quiet "$work/rules"
before=$(client list --json | jq -c '[.rules[] | [.id, .text]]')
unchanged() {
	[ "$(client list --json | jq -c '[.rules[] | [.id, .text]]')" = "$before" ]
}

# refused STATUS WORDS LINE...: the lines are refused with these words, and no rule changes.
refused() {
	status=$1
	words=$2
	shift 2
	printf '%s\n' "$@" >"$work/in"
	fails "$status" "$words" client add - <"$work/in" && unchanged
}
check "a mistake has its line and column" refused 1 '^-:2:9: expected' 'drop in udp' 'drop in frob'
check "... and so has one behind a command" refused 1 '^-:3:32: a port is' '# x' 'drop in udp' 'insert before dns drop in port 70000'
check "a rule that does not exist" refused 1 '^-:2:5: there is no such rule (99)' 'drop in udp' 'del 99'
check "... or whose name does not" refused 1 '^-:1:15: there is no such rule (frob)' 'insert before frob drop in udp'
check "a queue that the daemon lacks" refused 1 '^-:2:13: no queue 9' 'drop in udp' 'send in udp to queue 9'
check "a name that is taken" refused 1 '^-:2:28: ' 'drop in udp' 'replace 3 drop in tcp name dns'
check "a match that the device lacks" refused 4 '^-:2:30: .*\(eswitch_manager\|hardware steering\)' 'drop in udp' '	insert before dns   drop in vport 1'
check "a table that would be left without rules" refused 1 'web' 'drop in udp' 'del 4 5'
check "a table's line" refused 1 '^-:1:7: a table begins in a file' 'table web' 'drop in'
check "insert without a rule" refused 1 '^-:1:15: write: insert before ID|NAME RULE' 'insert before dns'
check "replace of a range" refused 1 '^-:1:9: write: replace ID|NAME RULE' 'replace 1-2 drop in'
check "del without a name" refused 1 '^-:1:6: write: del' 'del  # all'
check "no edit" refused 1 'there is no edit in this' '# nothing'
check "bytes that are no UTF-8" refused 1 '^-:1:' "$(printf 'drop in \377')"

client save "$work/saved" >"$work/out"
printf '%s\n' 'drop in ipv6' '' 'insert before 4 drop in ipv4 \' '	src 10.0.0.0/8' 'add count in' 'insert before dns pass in udp dst port 5353 # first' \
	'replace 3 send in tcp to queue 0' 'insert before dns pass in udp dst port 5354' 'del 5' >"$work/in"
all() {
	client add --json - <"$work/in" >"$work/out" && cat "$work/out" && [ "$(jq -c '[.rules, .ids]' "$work/out")" = \
		'[9,[9,11,10,6,8,7]]' ] || return 1
	[ "$(client list --json | jq -c '[.rules[] | [.id, .text]]')" = "$(jq -nc '[[6, "pass in udp dst port 5353"], [7, "pass in udp dst port 5354"],
		[1, "drop in udp dst port 53 name dns count"], [2, "send in tcp dst port 80 goto web"], [8, "send in tcp to queue 0"], [9, "drop in ipv6"],
		[10, "count in"], [11, "drop in ipv4 src 10.0.0.0/8"], [4, "drop in ipv4 src 192.0.2.0/24"]]')" ]
}
check "all edits are made, each in its place" all
comments() {
	client save | head -n 1 | grep -qx '# kept'
}
check "comments stay" comments

# More edits than are made in place; all of them are there or none.
many() {
	i=0
	while [ $i -lt 3000 ]; do
		echo "drop in ipv4 src 10.1.$((i / 250)).$((i % 250)) udp"
		i=$((i + 1))
	done >"$work/in"
	client add - <"$work/in" && is '.rules | length' 3009 && sed 's/.*/del &/' "$work/in" | client add - && is '.rules | length' 9
}
check "thousands of edits" many
same_words() {
	"$dvx_sim" replay "$chip" "$traffic" && n=$(stat_of '.rules[] | select(.name == "dns").packets') && [ "$n" -gt 0 ] &&
		printf 'del dns\ninsert before 2 drop in udp dst port 53 name dns count\n' | client add - && is '.rules[] | select(.name == "dns") | [.id, .packets] | join(" ")' "1 $n"
}
check "a rule that comes again keeps its counter" same_words

drawn() {
	"$flow" draw "$work/rules" >"$work/dot" || return 1
	cat "$work/dot"
	grep -qF '"in main":r1 -> "in web"' "$work/dot" && grep -qF '"in main":r2 -> drop' "$work/dot" &&
		grep -qF '"in web":r4 -> "queue 1"' "$work/dot" && grep -qF '"in web":end -> "default in"' "$work/dot"
}
check "draw shows a file's tables, rules and goals" drawn
printf 'mirror in tcp to queue 0\nsend in udp to rss 0-1\npass out tcp flags !syn,ack\ntrack switch tcp\n' >"$work/more"
drawn_more() {
	"$flow" draw "$work/more" >"$work/dot" && cat "$work/dot" && grep -qF '"in main":r0 -> "queue 0" [style=dashed' "$work/dot" &&
		grep -qF '"in main":r1 -> "queue 1"' "$work/dot" && grep -qF '"out main":r2 -> "default out"' "$work/dot" &&
		! grep -F '"switch main":r3 ->' "$work/dot"
}
check "... copies, spreads, the other direction, and tracking, behind which packets go on" drawn_more
live() {
	client draw live >"$work/dot" && cat "$work/dot" && grep -q "name dns count<br[^>]*>$n packets" "$work/dot" && grep -q 'queue 0.n[0-9]* packets, 0 dropped' "$work/dot"
}
check "... and the counters of the rules in effect" live
check "draw names a mistake" fails 1 'more:5:1: expected' sh -c "echo frob >>'$work/more'; '$flow' draw '$work/more'"
if command -v dot >/dev/null; then
	svg() {
		client draw --svg live >"$work/svg" && grep -q '<svg' "$work/svg" && grep -qF "name dns count" "$work/svg"
	}
	check "graphviz draws it" svg
else
	skip "graphviz draws it" "graphviz is not installed"
fi
no_dot() {
	fails 3 "needs graphviz's dot" env PATH=/nonexistent "$flow" draw --svg "$work/rules"
}
check "no graphviz" no_dot
# A matcher of hardware steering that was made for one rule takes 6000.
grown() {
	client flush && client add drop in udp dst port 2 && client add "drop in udp dst port $(seq -s , 1 2 17999)" &&
		client explain ipv4 udp dst port 17999 >"$work/out" && grep -q '=> rule "drop in udp dst port 1,3,' "$work/out"
}
check "a rule of more entries than its matcher can grow to" grown
plan
