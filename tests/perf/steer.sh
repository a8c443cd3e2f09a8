#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Software-managed steering under unmodified libmlx5: 30,000 rules in three tables (check long: 100,000), what a rule
# costs libmlx5 and the device, and how many packets a second the device walks through them. Times are printed, not
# judged (./quickstart check has other tests beside it); the instructions of walks, of rules, of the FDB too, and
# libdvx's of a rule, are held to budgets.
rules=30000
fdb_rules=5000 fdb_most=5700
[ -z "${DVX_TEST_LONG-}" ] || rules=100000 fdb_rules=1000000 fdb_most=4350
rules=${DVX_STEER_RULES:-$rules}
preload=$(cd "${top_builddir:?}/src/sim/.libs" && pwd)/libdvx-sim.so
bench=$top_builddir/tests/perf/steer_bench
program=$top_builddir/tests/perf/steer_rules

. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
export TMPDIR="$tmp"
# Programs of a sanitized build would need its runtime before them.
[ -z "$DVX_SAN" ] || skip_all "this build has sanitizers ($DVX_SAN)"

value() { awk -v name="$1" '$1 == name { print $2 }' "$tmp/out"; }

if "$bench" "$preload" "$program" "$rules" 1000000 "$tmp/icm" >"$tmp/out" 2>&1; then
	report 0 "$(value rules) rules in three tables; each of 1000000 packets met one of each"
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
	report 1 "rules in three tables"
fi

needs "$top_builddir/tests/perf/steer_pair"
needs "$top_builddir/tests/perf/rule_create"
why=$(uncounted | head -n 1)
if [ -n "$why" ]; then
	echo "WARNING: the instructions of a walk were NOT counted: $why" >&2
	skip "instructions of a walk" "$why"
	plan
fi

judge "a packet parsed and walked through three tables" \
	$(($(counted walk_recorded "$bench" "$tmp/icm" "$rules" 20000) / 20000)) 4000

# A rule of these is 1.6 pairs of a WRITE and a READ. The device makes no system call for them.
pair=$(($(counted turn "$top_builddir/tests/perf/steer_pair" 1000) / 8000))
judge "the device, a WRITE and a READ of an entry, a turn for each" "$pair" 1290
printf '#!/bin/sh\nexec valgrind --tool=callgrind --callgrind-out-file=%s %s %s 3000\n' \
	"$tmp/cg" --toggle-collect=mlx5dv_dr_rule_create "$program" >"$tmp/run"
rm -f "$tmp/cg"
"$dvx_sim" run -- sh "$tmp/run" >"$tmp/log" 2>&1 </dev/null || sed 's/^/# /' "$tmp/log"
own=$(($(total) / 6000))
judge "the device, a rule (libmlx5's own instructions are the budget)" $((pair * 16 / 10)) "$own"

# A rule of the FDB is on both sides. A pair is four packets: a WRITE, its ACK, a READ and its response.
# libmlx5 polls while it waits, so its own instructions are 11,200 to 14,500 a rule, and the share is printed only.
printf '#!/bin/sh\nvalgrind --tool=callgrind --callgrind-out-file=%s %s %s %s fdb || exit\n%s\n' \
	"$tmp/cg" --toggle-collect=mlx5dv_dr_rule_create "$program" "$fdb_rules" \
	'cat /sys/class/infiniband/*/ports/1/counters/port_xmit_packets' >"$tmp/run"
rm -f "$tmp/cg"
"$dvx_sim" run --set switchdev=1 -f dpu -- sh "$tmp/run" >"$tmp/pairs" 2>"$tmp/log" </dev/null || sed 's/^/# /' "$tmp/log"
own=$(($(total) / fdb_rules))
pairs=$(($(tail -n 1 "$tmp/pairs") / 4))
device=$((pair * pairs / fdb_rules))
judge "the device, one of $fdb_rules FDB rules: $((device * 100 / own)) % of libmlx5's own $own" "$device" "$fdb_most"

# A packet from function to function by the FDB, and by its address.
needs "$top_builddir/tests/perf/fdb_walk"
by_address=$(($(counted fdb_walk "$top_builddir/tests/perf/fdb_walk" nic 1000) / 1000))
judge "a packet through NIC tables, two access control lists and the FDB (2.2 times $by_address without these)" \
	$(($(counted fdb_walk "$top_builddir/tests/perf/fdb_walk" fdb 1000) / 1000)) $((by_address * 22 / 10))

# Collecting stops where libdvx calls libmlx5, and goes on when it returns. Libtool's wrapper is a script.
program=$top_builddir/tests/perf/.libs/rule_create
[ -x "$program" ] || program=$top_builddir/tests/perf/rule_create
printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%s\nexec valgrind --tool=callgrind --callgrind-out-file=%s %s %s %s 1000\n' \
	"$top_builddir/src/lib/.libs" "$tmp/cg" --toggle-collect=dvx_flow_rule_create \
	--toggle-collect=mlx5dv_dr_rule_create "$program" >"$tmp/run"
rm -f "$tmp/cg"
"$dvx_sim" run -- sh "$tmp/run" >"$tmp/log" 2>&1 </dev/null || sed 's/^/# /' "$tmp/log"
# glibc takes 20 more or fewer for the rule's memory, by what was freed before.
judge "dvx_flow_rule_create(), above libmlx5's own" $(($(total) / 1000)) 1040
plan
