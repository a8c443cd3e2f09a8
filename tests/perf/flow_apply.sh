#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dvx-flow's way of 100,000 rules to the device (parse, compile, insert, commit), compared with a bare loop
# over libmlx5 that inserts the same entries; an edit of these rules; and the file over hardware steering. Times
# are printed; instructions of the parser and the compiler, and of the whole over hardware steering, are held to budgets.
# DVX_FLOW_RULES: another number.
. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
export TMPDIR="$tmp"
rules=${DVX_FLOW_RULES:-3000}
[ -z "${DVX_TEST_LONG-}" ] || rules=${DVX_FLOW_RULES:-100000}
needs "$top_builddir/tests/perf/flow_apply"

if "$dvx_sim" run --set chip=bf3 -- "$top_builddir/tests/perf/flow_apply" "$tmp/state" "$rules" >"$tmp/out" 2>&1; then
	report 0 "a file of $rules rules, the same entries by a bare loop, and edits"
	awk '{ v[$1] = $2 }
	END {
		printf "# apply %.2f s (libmlx5 %.2f s of it), the bare loop %.2f s: %.2f times, of CPU %.2f times\n",
			v["apply_ns"] / 1e9, v["apply_libmlx5_ns"] / 1e9, v["bare_ns"] / 1e9,
			v["apply_ns"] / v["bare_ns"], v["apply_cpu_ns"] / v["bare_cpu_ns"]
		printf "# over hardware steering %.2f s: %.2f times the bare loop of software steering, of CPU %.2f times\n",
			v["hardware_ns"] / 1e9, v["hardware_ns"] / v["bare_ns"], v["hardware_cpu_ns"] / v["bare_cpu_ns"]
		printf "# pages touched first: apply %d, the bare loop %d, over hardware steering %d\n",
			v["apply_faults"], v["bare_faults"], v["hardware_faults"]
		printf "# one rule added: %.2f ms, %.2f ms of CPU\n", v["edit_ns"] / 1e6, v["edit_cpu_ns"] / 1e6
	}' "$tmp/out" >"$tmp/said"
	cat "$tmp/said"
	cat "$tmp/said" >&2
else
	cat "$tmp/out"
	report 1 "a file of $rules rules, the same entries by a bare loop, and edits"
fi

# counted_in FUNCTIONS ARG...: the instructions of a run with these arguments, where collecting begins or ends at each
# function. Libtool's wrapper is a script.
program=$top_builddir/tests/perf/.libs/flow_apply
[ -x "$program" ] || program=$top_builddir/tests/perf/flow_apply
counted_in() {
	toggles=
	for f in $1; do toggles="$toggles --toggle-collect=$f"; done
	shift
	printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%s\nexec valgrind --tool=callgrind --callgrind-out-file=%s %s %s %s\n' \
		"$top_builddir/src/lib/.libs" "$tmp/cg" "$toggles" "$program" "$*" >"$tmp/run"
	rm -f "$tmp/cg"
	"$dvx_sim" run --set chip=bf3 -- sh "$tmp/run" >"$tmp/log" 2>&1 </dev/null || sed 's/^/# /' "$tmp/log"
	total
}
why=$(uncounted | head -n 1)
if [ -n "$why" ]; then
	echo "WARNING: the instructions of an apply were NOT counted: $why" >&2
	skip "instructions of an apply" "$why"
else
	# The parser and the compiler are called one after the other; over software steering, then over hardware steering.
	judge "a rule of 1000, parsed and compiled" \
		$(($(counted_in "rules_parse rules_compile" "$tmp/state" 1000) / 2000)) 12000
	# The whole, without waiting for the device, which the bare loop does, too: 100,000 rules in check long.
	counted=2000
	[ -z "${DVX_TEST_LONG-}" ] || counted=$rules
	judge "a rule of $counted, applied over hardware steering" \
		$(($(counted_in "flow_apply_hardware dvx_service_queue_wait" "$tmp/state" "$counted" hardware) / counted)) 18000
fi

# An access list of each shape (acl, fw, ipc, mixed) and number of rules: what a rule that comes costs.
inserts() {
	"$dvx_sim" run -- "$top_builddir/tests/perf/flow_inserts" "$tmp/state" "$@" >"$tmp/out" 2>&1
	status=$?
	sed 's/^/# /' "$tmp/out" | tee /dev/stderr
	return $status
}
sets="0 300 20"
[ -z "${DVX_TEST_LONG-}" ] || sets="0 1000 200 1 1000 200 2 1000 200 3 1000 200 0 5000 100 1 5000 100 2 5000 100 3 5000 100"
# shellcheck disable=SC2086 # words
set -- ${DVX_FLOW_INSERTS:-$sets}
while [ $# -ge 3 ]; do
	inserts "$1" "$2" "$3"
	report $? "$3 rules come to an access list of $2 (shape $1)"
	shift 3
done
plan
