#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that unmodified libmlx5's FDB rules begin tunnels to the wire and end those that come from it, on chips of each
# format of steering entries, and tags, arrays and samplers; the packets beyond the wire have scapy's bytes.
. "$top_srcdir/tests/tap.sh"
needs "$top_builddir/tests/steer/dr_fdb_changes"
needs "$top_builddir/tests/steer/dr_fdb_peer"
needs "$top_builddir/tests/steer/dr_fdb_show"
export TO_PEER="$scratch/to" FROM_PEER="$scratch/from" SHOWN="$scratch/shown"
: >"$SHOWN"

beside_far() { sh "$top_srcdir/tests/steer/beside_far.sh" "$function" "$@"; }
like_scapy() {
	printf '#!/bin/sh\nexec sh "%s" "%s" "%s"\n' "$top_srcdir/tests/steer/beside_far.sh" "$function" \
		"$top_builddir/tests/steer/dr_fdb_show" >"$scratch/show"
	chmod +x "$scratch/show"
	/usr/bin/python3 "$top_srcdir/tests/interop/encap.py" "$scratch/show" 8
}

"$dvx_sim" up far --wire peer=net >&2 || exit 99
chips=far
while read -r chip function MANAGER_VPORT FORMAT <&3; do
	export MANAGER_VPORT FORMAT
	[ "$chip" != cx6dx ] || [ -n "${DVX_TEST_LONG-}" ] || continue # has the format of bf2
	newer_libmlx5 "$FORMAT" || { skip "$chip" "DVX_NEW_LIBMLX5 names no rdma-core of 55 or later" && continue; }
	"$dvx_sim" up near --set chip="$chip",switchdev=1 --wire peer=net >&2 || exit 99
	chips="far near"
	check "$chip: tunnels, tags, arrays, samplers" beside_far "$top_builddir/tests/steer/dr_fdb_changes"
	if [ "$chip" != bf2 ] && [ -z "${DVX_TEST_LONG-}" ]; then
		echo "# $chip: check long compares its bytes with scapy's"
	elif /usr/bin/python3 -c 'import scapy.all' 2>/dev/null; then
		check "$chip: the bytes of scapy's packets" like_scapy
	else
		skip "$chip: the bytes of scapy's packets" "scapy is not installed"
	fi
	"$dvx_sim" down near
	chips=far
done 3<<-END
	cx5 host 0 0
	cx6dx host 0 1
	bf2 dpu 65534 1
	cx7 host 0 2
	cx8 host 0 3
END
plan
