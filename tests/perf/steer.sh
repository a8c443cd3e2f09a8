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
[ -x "$top_builddir/tests/perf/steer_pair" ] || skip "cmocka is not installed"

# total FUNCTION COMMAND...: instructions within a function
total() {
	fn=$1
	shift
	rm -f "$tmp/cg"
	"$@" >"$tmp/log" 2>&1 </dev/null || sed 's/^/# /' "$tmp/log"
	awk '/^(summary|totals):/ { t = $2 } END { printf "%d", t }' "$tmp/cg"
}
grind() { # FUNCTION COMMAND...
	fn=$1
	shift
	total "$fn" valgrind --tool=callgrind --callgrind-out-file="$tmp/cg" \
		--toggle-collect="$fn" "$@"
}
judge() { # WHAT GOT BUDGET
	if [ "$2" -gt 0 ] && [ "$2" -le "$3" ]; then
		ok "$1: $2 instructions, budget $3"
	else
		not_ok "$1: $2 instructions, budget $3"
	fi
}

judge "a packet parsed and walked through three tables" \
	$(($(grind walk_recorded "$bench" "$tmp/icm" "$rules" 20000) / 20000)) 4000

# A rule of these is 1.6 pairs of a WRITE and a READ. The device makes no system call for them.
pair=$(($(grind turn "$top_builddir/tests/perf/steer_pair" 1000) / 8000))
judge "the device, a WRITE and a READ of an entry, a turn for each" "$pair" 4000
printf '#!/bin/sh\nexec valgrind --tool=callgrind --callgrind-out-file=%s %s %s 3000\n' \
	"$tmp/cg" --toggle-collect=mlx5dv_dr_rule_create "$program" >"$tmp/run"
own=$(($(total - "$top_builddir/tools/dvx-sim/dvx-sim" run -- sh "$tmp/run") / 6000))
judge "the device, a rule (libmlx5's own instructions are the budget)" $((pair * 16 / 10)) "$own"
echo "1..$n"
