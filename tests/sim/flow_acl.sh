#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the daemon makes tables of codes of access lists, and that each packet of a replay meets the rule
# which is the first of the file that takes it. DVX_ACL="SHAPE RULES PACKETS ..." chooses other lists, see
# tests/unit/acl_sets.h.
. "${top_srcdir:?}/tests/sim/flow_lib.sh" || exit 99
"$dvx_sim" up "$chip" || exit 99
start --queues 1 || exit 99
sets="3 300 2000"
[ -z "${DVX_TEST_LONG-}" ] || sets="0 5000 20000 1 5000 20000 2 5000 20000 3 5000 20000"

# Without the rules of the list before: those that both have would keep their counters.
same() {
	client flush >/dev/null || return 1
	"$top_builddir/tests/sim/flow_acl" "$@" "$work" && client apply --json "$work/rules" >"$work/cost" 2>"$work/err" || return 1
	cat "$work/cost" "$work/err"
	[ "$(jq -r '.in.compiled, .in.longest_path <= 64' "$work/cost" | tr '\n' ' ')" = "codes true " ] &&
		"$dvx_sim" replay "$chip" "$work/packets.pcap" --json >"$work/replay" && client stats --json >"$work/stats" &&
		jq -e --argjson sent "$3" --slurpfile want "$work/want" '[.rules[].packets] as $got |
			[$sent - ($got | add)] + $got == $want[0]' "$work/stats"
}
# shellcheck disable=SC2086 # words
set -- ${DVX_ACL:-$sets}
while [ $# -ge 3 ]; do
	check "each of $3 packets meets its rule of $2 (shape $1)" same "$1" "$2" "$3"
	shift 3
done
plan
