#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that rdma-core's own steering tests pass on this device, each of them; one that the device
# cannot serve is skipped by the suite itself, for a capability that is named here.
modules="test_flow test_mlx5_flow test_mlx5_dr test_rss_traffic"
python=/usr/bin/python3
srcdir=$(cd "$top_srcdir" && pwd)
sim=$(cd "$top_builddir" && pwd)/tools/dvx-sim/dvx-sim

# What may be skipped, for which reason of the suite's, and the capability that says so. Any other
# skip is a failure. What the suite would try without asking for its capability is left out.
left_out=test_flow_sampler
lacks() {
	case $1:$2 in
	*.test_tx_packet_reformat:*reformat | *.test_packet_reformat:*reformat)
		echo "QUERY_HCA_CAP NIC flow table: log_max_packet_reformat 0, reformat 0" ;;
	*.test_dest_vport:*switchdev* | *.test_dest_ib_port:*switchdev*)
		echo "QUERY_HCA_CAP general: eswitch_manager 0 (no FDB domain)" ;;
	*.test_set_matcher_layout:*layout*)
		echo "QUERY_HCA_CAP general: match_definer_format_supported 0 (layouts are of definers)" ;;
	*.test_flow_sampler:*)
		echo "QUERY_HCA_CAP general: general_obj_types bit 0x20 (sampler) 0, which the suite does not ask" ;;
	*) return 1 ;;
	esac
}

# The suite is part of Debian's python3-pyverbs, among its documentation, which slim systems leave
# out when they install: then the package is unpacked here.
suite() {
	if [ -d "${DVX_PYVERBS_TESTS:-/usr/share/doc/rdma-core/tests}" ]; then
		cp -r "${DVX_PYVERBS_TESTS:-/usr/share/doc/rdma-core/tests}" "$scratch/tests"
	else
		(cd "$scratch" && apt-get download -qq python3-pyverbs && dpkg-deb -x ./*.deb deb) \
			>"$scratch/get" 2>&1 || return 1
		mv "$scratch/deb/usr/share/doc/rdma-core/tests" "$scratch/tests" || return 1
	fi
	find "$scratch/tests" -name '*.gz' -exec gunzip {} +
}

give_up() {
	echo "rdma-core's steering tests did NOT run: $1" >&2
	echo "1..0 # SKIP $1"
	exit 0
}

scratch=$(mktemp -d "$PWD/dvx-suite.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
suite || give_up "python3-pyverbs can't be had: $(tail -n 1 "$scratch/get")"
$python -c 'import pyverbs.device' 2>/dev/null || give_up "python3-pyverbs is not installed"
[ "$(id -u)" = 0 ] || give_up "rdma-core's raw packet tests want to be root"
export PYTHONDONTWRITEBYTECODE=1
cd "$scratch" || exit 1

n=0
failed=0
: >table
for module in $modules; do
	timeout 300 "$sim" run -- $python "$srcdir/tests/interop/suite.py" "$scratch/$module" \
		"$left_out" "$module" >log 2>&1
	status=$?
	if [ $status != 0 ] || ! [ -s "$module" ]; then
		n=$((n + 1))
		failed=1
		echo "not ok $n - $module: ended with status $status"
		sed 's/^/# /' log
	fi
	[ -f "$module" ] || continue
	bad=0
	while IFS='	' read -r name result reason; do
		n=$((n + 1))
		short=$module.${name##*.}
		case $result in
		pass) echo "ok $n - $short" ;;
		skip)
			if why=$(lacks "$name" "$reason"); then
				echo "ok $n - $short # SKIP $why"
				reason=$why
			else
				bad=1
				echo "not ok $n - $short was skipped: $reason"
			fi ;;
		*)
			bad=1
			echo "not ok $n - $short: $reason" ;;
		esac
		printf '%-52s %-5s %s\n' "$short" "$result" "$reason" >>table
	done <"$module"
	if [ $bad != 0 ]; then
		failed=1
		sed 's/^/# /' log
	fi
done
cut -c1-150 table | sed 's/^/# /'
echo "1..$n"
exit $failed
