#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Software-managed steering under unmodified libmlx5: 100,000 rules in three tables, what a rule costs
# libmlx5 and the device, and how many packets a second the device walks through them. Times are
# printed, not judged; the walk's instructions are held to a budget.
rules=${DVX_STEER_RULES:-100000}
preload=$(cd "${top_builddir:?}/src/sim/.libs" && pwd)/libdvx-sim.so
bench=$top_builddir/tests/perf/steer_bench
program=$top_builddir/tests/perf/steer_rules

tmp=$(mktemp -d) || exit 99
export TMPDIR="$tmp"
trap 'rm -rf "$tmp"' EXIT
# Programs of a sanitized build would need its runtime before them.
[ -z "$DVX_SAN" ] || { echo "1..0 # SKIP this build has sanitizers ($DVX_SAN)"; exit 0; }

n=0
ok() {
	n=$((n + 1))
	echo "ok $n - $1"
}
not_ok() {
	n=$((n + 1))
	echo "not ok $n - $1"
}
value() { awk -v name="$1" '$1 == name { print $2 }' "$tmp/out"; }

if timeout 300 "$bench" "$preload" "$program" "$rules" 1000000 "$tmp/icm" >"$tmp/out" 2>&1; then
	ok "$(value rules) rules in three tables; each of 1000000 packets met one of each"
	awk '{ v[$1] = $2 }
	END {
		n = v["rules"]
		printf "# a rule: libmlx5 %.2f us of a CPU, the device %.2f us (ratio %.2f)\n",
			v["own_ns_per_rule"] / 1000, v["device_ns"] / n / 1000,
			v["device_ns"] / n / v["own_ns_per_rule"]
		printf "# %.0f rules/s; walk: %.2f million packets/s on one core, %.2f times 1 million\n",
			n / v["insert_ns"] * 1e9, v["walk_per_s"] / 1e6, v["walk_per_s"] / 1e6
	}' "$tmp/out" >"$tmp/said"
	cat "$tmp/said"
	cat "$tmp/said" >&2
else
	not_ok "rules in three tables"
	sed 's/^/# /' "$tmp/out"
fi

skip() {
	echo "ok $((n + 1)) - instructions of a walk # SKIP $1"
	echo "WARNING: the instructions of a walk were NOT counted: $1" >&2
	echo "1..$((n + 1))"
	exit 0
}
case $(uname -m) in x86_64) ;; *) skip "the budget is for x86-64" ;; esac
command -v valgrind >/dev/null || skip "valgrind is not installed"

# Parsing and three tables, of the same memory.
packets=20000
budget=4500
valgrind --tool=callgrind --callgrind-out-file="$tmp/cg" --toggle-collect=walk_recorded \
	"$bench" "$tmp/icm" "$rules" $packets >"$tmp/log" 2>&1 || { cat "$tmp/log"; rm -f "$tmp/cg"; }
got=$(awk -v n=$packets '/^(summary|totals):/ { t = $2 } END { printf "%d", t / n }' "$tmp/cg")
if [ "${got:-0}" -le 0 ]; then
	not_ok "a packet through three tables: nothing was counted"
elif [ "$got" -le $budget ]; then
	ok "a packet through three tables: $got instructions, budget $budget"
else
	not_ok "a packet through three tables: $got instructions, budget $budget"
fi
echo "1..$n"
