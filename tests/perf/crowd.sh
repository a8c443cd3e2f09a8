#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that one client's objects do not slow another's requests: functions whose cost once grew with
# the number of objects, or its square, keep to a budget of instructions. The programs are unit tests; a count
# covers all calls of a function in one of them.
skip() {
	echo "1..0 # SKIP $1"
	echo "WARNING: instructions were NOT counted: $1" >&2
	exit 0
}
case $(uname -m) in x86_64) ;; *) skip "budgets are for x86-64" ;; esac
[ -z "$DVX_SAN" ] || skip "this build has sanitizers ($DVX_SAN)"
command -v valgrind >/dev/null || skip "valgrind is not installed"
[ -x "${top_builddir:?}/tests/unit/kernel_devx" ] || skip "cmocka is not installed"

tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

# In millions, rounded up.
count() { # FUNCTION PROGRAM
	valgrind --tool=callgrind --callgrind-out-file="$tmp/out" --toggle-collect="$1" \
		"$top_builddir/tests/unit/$2" >"$tmp/log" 2>&1 || { cat "$tmp/log" >&2; return 1; }
	awk '/^(summary|totals):/ { t = $2 } END { print int((t + 999999) / 1000000) }' "$tmp/out"
}

n=0
# function, program, budget in millions, what it is
while read -r fn program budget what; do
	n=$((n + 1))
	got=$(count "$fn" "$program" </dev/null) || got=0
	ok=ok
	[ "$got" -gt 0 ] && [ "$got" -le "$budget" ] || ok="not ok"
	echo "$ok $n - $what: $got million instructions, budget $budget"
done <<'END'
fw_uid_reap fw_flow 150 20,000 flow entries of one client are removed
devx_event kernel_events 10 20,000 events are dispatched beside another client's 10,000 subscriptions
uverbs_dm_alloc kernel_devx 40 half of the device memory is allocated around two used blocks
END
echo "1..$n"
