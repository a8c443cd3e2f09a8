#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-perf threads compares the three ways to share queues, that each posts every message once, and that
# locks are taken where queues or registers are shared, and nowhere else.
. "$top_srcdir/tests/tap.sh"
perf=$top_builddir/tools/dvx-perf/dvx-perf
chips=perf
"$dvx_sim" up perf || bail_out "no chip"
run() {
	"$dvx_sim" exec perf -- "$perf" threads --threads 3 --connections 50 --queues 2 --count 4 "$@"
}
json() {
	filter=$1
	shift
	# One jq for all: each takes as long as a run.
	run --json "$@" >"$scratch/j" && jq -e '.board == "dvx-sim" and .emulator == true and
		.connections == 50 and all(.results[]; .messages == 200 and .messages_per_s > 0 and
		.doorbell_ns > 0 and .queue_lock.mean_ns <= .queue_lock.longest_ns and
		.queue_lock.waits <= .queue_lock.takes and .register_lock.waits <= .register_lock.takes) and
		('"$filter"')' <"$scratch/j" || { jq . <"$scratch/j"; false; }
}
modes='["shared queues", "own queues", "own queues and register"]'
check "three ways, one to three threads" json "[.results[] | [.threads, .mode]] == [(1, 2, 3) as \$t | $modes[] | [\$t, .]]"
check "shared queues: each post takes the queue's lock" json \
	'all(.results[] | select(.mode == "shared queues"); .queue_lock.takes >= 200 and .register_lock.takes == 0)' --size 64
check "own queues: each doorbell takes the register's lock" json \
	'all(.results[] | select(.mode == "own queues"); .queue_lock.takes == 0 and .register_lock.takes == 200)' --window 3
check "own registers: no locks" json \
	'all(.results[] | select(.mode == "own queues and register"); .queue_lock.takes == 0 and .register_lock.takes == 0)' --size 1
counts() {
	"$dvx_sim" run --trace -- "$perf" threads -t 1 --connections 5 -n 3 >/dev/null 2>"$scratch/trace" &&
		[ "$(grep -c 'wqe_ctrl_seg .*opcode=RDMA_WRITE' "$scratch/trace")" = 45 ]
}
check "the device executes what is counted" counts
table() {
	run >"$scratch/t" && cat "$scratch/t" && [ "$(grep -c '  3  ' "$scratch/t")" = 3 ] &&
		grep -q 'dvx-sim, an emulator' "$scratch/t" && grep -q '  3  shared queues .*queue: [0-9]* of [0-9]* takes waited' "$scratch/t" &&
		grep -q '  3  own queues  .*register: [0-9]* of 200 takes waited' "$scratch/t" &&
		grep -q '  3  own queues and register .*nothing in this process' "$scratch/t"
}
check "the table says what was contended" table
csv() {
	run --csv | awk -F, '
		NR == 1 { n = NF; for (i = 1; i <= NF; i++) at[$i] = i; next }
		NF != n || $at["messages"] != 200 || $at["board"] != "dvx-sim" || $at["connections"] != 50 { print; exit 1 }
		END { exit NR != 10 }'
}
check "the columns of CSV" csv
draws() {
	run --plot "$scratch/p.svg" >/dev/null && grep -q 'own queues and register' "$scratch/p.svg" &&
		grep -q 'figures of an emulator, not of a NIC' "$scratch/p.svg"
}
if command -v gnuplot >/dev/null; then
	check "rate against threads, drawn" draws
else
	skip "rate against threads, drawn" "gnuplot is not installed"
fi
check "fewer connections than threads" says 2 '--connections=2: 3 threads need one each' run --connections 2
check "no queues" says 2 '--queues takes a number from 1 to 1024, not "0"' run --queues 0
plan
