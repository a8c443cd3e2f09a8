#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a hostile device shows mistakes that a plain one hides, and troubles no correct program: for each kind of
# freedom that the specifications give a device there is a program with a mistake and its correct twin. --seeds prints the
# hit rate, messages have the seed; with DVX_TEST_LONG, perftest and rdma-core's examples run on such devices, too.
. "$top_srcdir/tests/tap.sh"
bugs=$top_builddir/tests/lab/hostile_bugs
needs "$bugs"

plain() { says 0 missed "$dvx_sim" run -- "$bugs" "$1"; }
# A seed that shows the mistake is found soon.
shows() {
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
		"$dvx_sim" run --hostile=$seed -- "$bugs" "$1" || break
	done >"$scratch/said" 2>&1
	cat "$scratch/said"
	grep -qx hit "$scratch/said" && grep -qx "dvx-sim: hostile seed $seed: the command returns 1" "$scratch/said"
}
silent() { says 0 "^0 of $2 seeds fail (0%)$" "$dvx_sim" run --seeds "1..$2" -- "$bugs" "ok_$1"; }
rate() {
	"$dvx_sim" run --seeds 1..3 -- false >"$scratch/said"
	[ $? = 1 ] && cat "$scratch/said" && grep -qx 'exit code 1: seed 1 2 3' "$scratch/said" &&
		grep -qx '3 of 3 seeds fail (100%)' "$scratch/said"
}
on_chip() {
	"$dvx_sim" up hostile --hostile=5 && "$dvx_sim" exec hostile -- "$bugs" ok_reuse
	code=$?
	"$dvx_sim" down hostile && return $code
}

for bug in reuse ordered event atomic last_byte received; do
	check "$bug: a plain device hides it" plain $bug
	check "$bug: a hostile one shows it" shows $bug
	check "$bug: its twin is right" silent $bug "$([ -n "${DVX_TEST_LONG-}" ] && echo 20 || echo 2)"
done
check "the hit rate" rate
check "a chip that stays" on_chip
check "a wrong seed" says 125 '\--hostile: expected a seed, a number, not "x"' "$dvx_sim" run --hostile=x -- true
check "wrong seeds" says 125 '\--seeds: expected A..B, numbers from 1, as 1..100, not "5..4"' "$dvx_sim" run --seeds 5..4 -- true
plan
