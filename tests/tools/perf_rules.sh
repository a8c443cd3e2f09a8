#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-perf rules measures three ways to write rules, that each rule is written as often as it is counted, and
# that rules without room go to the spill table.
. "$top_srcdir/tests/tap.sh"
perf=$top_builddir/tools/dvx-perf/dvx-perf
run() {
	chip=$1
	shift
	"$dvx_sim" run --set chip="$chip" -- "$perf" rules --count 100 "$@"
}
json() {
	filter=$1
	shift
	# One jq for all: each takes as long as a run.
	run "$@" --json >"$scratch/j" 2>"$scratch/err" && jq -e '.emulator == true and .rules == 100 and
		all(.results[]; .samples == 100 and .rules_per_s > 0 and .latency_ns.min <= .latency_ns.p50 and
		.latency_ns.p50 <= .latency_ns.max) and ('"$filter"')' <"$scratch/j" || { jq . <"$scratch/j"; false; }
}
ops='["insert", "update", "delete"]'
three="[.results[] | [.steering, .operation]] == [(\"sws\", \"hws\", \"posts\") as \$s | $ops[] | [\$s, .]]"
for key in 5tuple6 ${DVX_TEST_LONG:+5tuple ipv4}; do
	check "three ways, three operations: $key" json "$three" bf3 --key $key --batch 32
done
check "a chip without hardware steering: software alone" json "[.results[] | .steering] == [\"sws\", \"sws\", \"sws\"]" cx5
check "... and it says what is missing" grep -q 'hardware, hws.h on .*: wqe_based_flow_table_update_cap is 0' "$scratch/err"
# Each rule alone and among all, by two ways: 1 + 2 + 1 requests by the flow API, whose update is two, and 1 + 1 + 1.
counts() {
	"$dvx_sim" run --set chip=bf3 --trace -- "$perf" rules -n 50 --batch 5 --window 10 >/dev/null 2>"$scratch/trace" &&
		[ "$(grep -c 'wqe_gta_ctrl_seg' "$scratch/trace")" = 700 ] &&
		[ "$(grep -c 'wqe_gta_ctrl_seg .*op=DEACTIVATE' "$scratch/trace")" = 300 ]
}
check "the device executes what is counted" counts
spills() {
	"$dvx_sim" run --set chip=bf3 -- "$perf" rules -n 4000 --batch 32 --json >"$scratch/j" &&
		jq -e '.results[] | select(.steering == "posts" and .operation == "insert") | .retried > 0' <"$scratch/j"
}
check "rules whose rows are full go to the spill table" spills
plot=
! command -v gnuplot >/dev/null || plot=$scratch/p.svg
table() {
	run bf3 ${plot:+--plot "$plot"} >"$scratch/t" && cat "$scratch/t" && grep -q 'dvx-sim, an emulator' "$scratch/t" &&
		[ "$(grep -cE '^(software, flow.h|hardware, flow.h|hardware, hws.h) +(insert|update|delete) ' "$scratch/t")" = 9 ]
}
check "the table" table
csv() {
	run bf3 --csv | awk -F, '
		NR == 1 { n = NF; for (i = 1; i <= NF; i++) at[$i] = i; next }
		NF != n || $at["rules"] != 100 || $at["board"] != "dvx-sim" || $at["key"] != "5tuple" { print; exit 1 }
		END { exit NR != 10 }'
}
check "the columns of CSV" csv
draws() { grep -q 'hardware, hws.h' "$plot" && grep -q 'figures of an emulator, not of a NIC' "$plot"; }
if [ -n "$plot" ]; then
	check "its rates, drawn" draws
else
	skip "its rates, drawn" "gnuplot is not installed"
fi
check "another key" says 2 '--key takes 5tuple, 5tuple6 or ipv4, not "mac"' run bf3 --key mac
check "a window larger than a ring" says 2 '--window=4097: rules have up to 4096' run bf3 --window 4097
check "a batch larger than the window" says 2 '--window=4 is too small' run bf3 --window 4 --batch 8
plan
