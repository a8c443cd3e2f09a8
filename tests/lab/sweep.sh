#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that run --sweep fails each device command and each completion of a program once, and reports the error paths that
# crash, hang, leak or end with 0; that it refuses a program that fails by itself or has no device; and, with
# DVX_TEST_LONG, that a correct program, the tools, the examples and libdvx have no finding.
. "$top_srcdir/tests/tap.sh"
bugs=$top_builddir/tests/lab/sweep_bugs
needs "$bugs"

found() { "$dvx_sim" run --sweep --hang-after 2 -- "$bugs" >"$scratch/table"; [ $? = 1 ] && cat "$scratch/table"; }
has() { cat "$scratch/table"; grep -q -- "$1" "$scratch/table"; }
# silent COMMAND...: as JSON
silent() { "$dvx_sim" run --sweep --json -- "$@" >"$scratch/json" || { jq '.runs[] | select(.finding)' "$scratch/json"; false; }; }

check "a program with mistakes on its error paths has findings" found
while IFS='|' read -r what words; do
	check "$what" has "$words"
done <<'TABLE'
a crash|^command [0-9]*, CREATE_CQ  *killed by SIG
a leak|^command [0-9]*, CREATE_MKEY  *exit code 1, and pd 0x[0-9a-f]* was left in a closed context$
a hang|^completion 1  *no end within 2.0 s$
success after a failure|^command [0-9]*, ALLOC_PD  *exit code 0, although it failed$
the sum|and 1 completions failed, each in a run of its own. Findings: 4. The others: 
TABLE
check "a command that fails by itself" says 125 'false fails without a fault (exit code 1)' "$dvx_sim" run --sweep -- false
check "a command without a device" says 125 'true does not use the device' "$dvx_sim" run --sweep -- true
if [ -n "${DVX_TEST_LONG-}" ]; then
	check "its correct twin is silent" silent "$bugs" ok
	for example in post_poll completions chain errors ud srq recover multicast dc; do
		check "example $example" silent "$top_builddir/examples/$example"
	done
	for command in '' caps doctor; do
		# shellcheck disable=SC2086
		check "dvx-info $command" silent "$top_builddir/tools/dvx-info/dvx-info" $command
	done
fi
plan
