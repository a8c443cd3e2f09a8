#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each chip of --set chip= under unmodified programs: it is what it is sold as, and the tests of software's steering,
# which libmlx5 writes in the format of the chip, pass on it.
. "${top_srcdir:?}/tests/tap.sh" || exit 99
caps=${top_builddir:?}/tests/fw/caps
info=$top_builddir/tools/dvx-info/dvx-info
pairs="10 300" sets=4
[ -z "${DVX_TEST_LONG-}" ] || pairs="400 1000" sets=12

part() {
	[ "$("$dvx_sim" run --set chip="$chip" -- ibv_devinfo -v | awk '$1 == "vendor_part_id:" { print $2 }')" = "$(($1))" ]
}
format() {
	"$dvx_sim" run --set chip="$chip" -- "$info" caps --all general | grep -q "^ *steering_format_version  *$1 "
}
# The second function of a BlueField is the Arm cores'.
functions() {
	if [ "$1" = 2 ]; then
		"$dvx_sim" run --set chip="$chip" -f dpu -- true
	else
		says 125 "has no function dpu" "$dvx_sim" run --set chip="$chip" -f dpu -- true
	fi
}

root_alone() {
	says 1 "libmlx5 has only the root (0)" "$dvx_sim" run --set chip="$chip" -- "$top_builddir/tests/flow/diff" 1 1
}

while read -r chip id format functions steers <&3; do
	command -v ibv_devinfo >/dev/null && check "$chip: device $id" part "$id"
	check "$chip: entries of format $format" format "$format"
	check "$chip: $functions functions" functions "$functions"
	[ "$functions" = 1 ] || check "$chip: each capability is used" "$dvx_sim" run --set chip="$chip" -- "$caps"
	[ "$steers" ] || continue
	if ! newer_libmlx5 "$format"; then
		check "$chip: libmlx5 of rdma-core 44 has the root alone" root_alone
		skip "$chip: software's tables" "DVX_NEW_LIBMLX5 names no rdma-core of 55 or later"
		continue
	fi
	check "$chip: software's tables match each field" "$dvx_sim" run --set chip="$chip" -- "$top_builddir/tests/steer/dr_fields"
	[ -z "${DVX_TEST_LONG-}" ] || check "$chip: ... of headers that software describes, too" \
		"$dvx_sim" run --set chip="$chip",parse_graph=1 -- "$top_builddir/tests/steer/dr_fields"
	[ "$format" = 0 ] || check "$chip: ... by match definers" \
		"$dvx_sim" run --set chip="$chip",match_definers=1 -- "$top_builddir/tests/steer/dr_fields"
	check "$chip: tunnels begin and end" "$dvx_sim" run --set chip="$chip" -- "$top_builddir/tests/steer/dr_reformat"
	# check runs it on a BlueField-2 (tests/steer/local.mk).
	[ -z "${DVX_TEST_LONG-}" ] || check "$chip: limits of software's tables" \
		"$dvx_sim" run --set chip="$chip",log_ste_icm=27 -- "$top_builddir/tests/steer/dr_limits"
	[ "$format" = 0 ] || check "$chip: meters, first hits and tracked connections" \
		"$dvx_sim" run --set chip="$chip" -- "$top_builddir/tests/steer/dr_aso"
	set=${DVX_SIM_SET:+$DVX_SIM_SET,}chip=$chip
	check "$chip: rules against the slow matcher" env DVX_SIM_SET="$set" DVX_PAIRS="$pairs" \
		sh "$top_srcdir/tests/flow/diff.sh"
	[ "$format" = 0 ] || [ -z "${DVX_TEST_LONG-}" ] || check "$chip: rules against the slow matcher, by match definers" env \
		DVX_SIM_SET="$set,match_definers=1" DVX_PAIRS="$pairs" sh "$top_srcdir/tests/flow/diff.sh"
	check "$chip: explain reads its entries" env DVX_SIM_SET="$set" DVX_SETS="$sets" \
		sh "$top_srcdir/tests/flow/explain_walks.sh"
done 3<<-END
	cx5 0x1017 0 1 steers
	cx6dx 0x101d 1 1
	cx7 0x1021 2 1 steers
	cx8 0x1023 3 1 steers
	bf2 0xa2d6 1 2
	bf3 0xa2dc 2 2
END
check "samples of headers that software describes" "$dvx_sim" run --set parse_graph=1 -- "$top_builddir/tests/steer/dr_fields"
check "... and their capabilities" "$dvx_sim" run --set parse_graph=1 -- "$caps"
"$dvx_sim" up a --set chip=cx7 || bail_out "no chip"
chips=a
check "a running chip without Arm cores: exec names the function" says 125 "chip a has no function dpu" \
	"$dvx_sim" exec a -f dpu -- true
plan
