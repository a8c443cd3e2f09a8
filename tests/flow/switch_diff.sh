#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random rules of the e-switch and packets of both sides: the device against the slow matcher, on chips of each format of
# steering entries, and by hardware steering. DVX_PAIRS="SETS PACKETS SEED" chooses others.
. "$top_srcdir/tests/tap.sh"
needs "$top_builddir/tests/flow/switch_diff"
needs "$top_builddir/tests/steer/dr_fdb_peer"
sets="10 384 38" # 47 has a list of rewrites as long as libmlx5's of a decap
[ -z "${DVX_TEST_LONG-}" ] || sets="330 768 1"
export TO_PEER="$scratch/to" FROM_PEER="$scratch/from" SHOWN="$scratch/shown"

switches() {
	printf '#!/bin/sh\nexec "%s" %s >"$SHOWN"\n' "$top_builddir/tests/flow/switch_diff" "${DVX_PAIRS:-$sets} $steering" \
		>"$scratch/diff"
	chmod +x "$scratch/diff"
	sh "$top_srcdir/tests/steer/beside_far.sh" "$function" "$scratch/diff"
	code=$?
	sed -n "s/^ok 1 - /# $chip: /p" "$SHOWN" >&3
	grep -v '^1\.\.' "$SHOWN"
	return "$code"
}

exec 3>&1 # the numbers of each chip, outside of check's file
"$dvx_sim" up far --wire peer=net >&2 || exit 99
chips=far
while read -r chip format function MANAGER MANAGER_VPORT steering <&4; do
	export MANAGER MANAGER_VPORT
	[ "$chip" != cx6dx ] || [ -n "${DVX_TEST_LONG-}" ] || continue # has the format of bf2
	newer_libmlx5 "$format" || { skip "$chip" "DVX_NEW_LIBMLX5 names no rdma-core of 55 or later" && continue; }
	"$dvx_sim" up near --set chip="$chip",switchdev=1 --vfs 1 --wire peer=net >&2 || exit 99
	chips="far near"
	check "$chip: rules of the e-switch${steering:+, $steering}" switches
	"$dvx_sim" down near
	chips=far
done 4<<-END
	cx5 0 host pf 0
	cx6dx 1 host pf 0
	bf2 1 dpu ecpf 65534
	cx7 2 host pf 0
	cx8 3 host pf 0
	bf3 1 dpu ecpf 65534 hws
END
plan
