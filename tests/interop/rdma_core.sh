#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that each test of rdma-core's own suite (Debian's python3-pyverbs brings it) that passed on this
# device before still passes; check has a third of them. doc/rdma-core-tests.md is the list; DVX_UPDATE=1 writes it anew.
python=/usr/bin/python3
srcdir=$(cd "$top_srcdir" && pwd)
sim=$(cd "$top_builddir" && pwd)/tools/dvx-sim/dvx-sim
interop=$srcdir/tests/interop
# In check long it runs under dvx-check, which changes no result; doc/dvx-check-programs.md says what is found. Without
# poison: the suite reads a buffer after it has posted it again.
under=${DVX_TEST_LONG:+$(cd "$top_builddir" && pwd)/tools/dvx-check/dvx-check --no-poison --}

# RDMA_CM's tests need a network interface of the port with an address, in a namespace of its own.
if [ -z "$DVX_NETNS" ]; then
	as=
	[ "$(id -u)" = 0 ] || as=-r
	[ -c /dev/net/tun ] && unshare -n $as true 2>/dev/null && DVX_NETNS=1 exec unshare -n $as sh "$0"
	netdev=
else
	netdev=--netdev
	ip link set lo up
fi
addressed='for i in $(ls /sys/class/infiniband/mlx5_0/device/net 2>/dev/null); do
	ip addr add 192.168.215.1/24 dev "$i"; done; exec "$@"'

# The suite is among the package's documentation, which slim systems leave out when they install: ./quickstart then
# unpacks it elsewhere.
suite() {
	cp -r "${DVX_PYVERBS_TESTS:-/usr/share/doc/rdma-core/tests}" "$scratch/tests" || return
	find "$scratch/tests" -name '*.gz' -exec gunzip {} +
}

give_up() {
	echo "rdma-core's tests did NOT run: $1" >&2
	echo "1..0 # SKIP $1"
	exit 0
}

scratch=$(mktemp -d "$PWD/dvx-suite.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
suite || give_up "the tests of python3-pyverbs are not installed"
$python -c 'import pyverbs.device' 2>/dev/null || give_up "python3-pyverbs is not installed"
export PYTHONDONTWRITEBYTECODE=1
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1 # its buffers of up to 512 MB take a third of the time
cd "$scratch" || exit 1

# On a chip with these settings, what the report does not have yet. A test that ends the process (a crash, or the
# limit of suite.py) is reported so; the rest goes on.
run_suite() {
	status=1
	while [ $status != 0 ]; do
		before=$(wc -l <report)
		# shellcheck disable=SC2086 # no word, or one
		"$sim" run $netdev "$@" -- $under sh -c "$addressed" sh $python "$interop/suite.py" report $port >>log 2>&1
		status=$?
		[ $status != 86 ] || status=0 # findings
		[ $status = 0 ] && break
		if [ "$(wc -l <report)" = "$before" ]; then
			sed 's/^/# /' log
			echo "Bail out! the suite ended with status $status before its first test"
			exit 1
		fi
		tail -n 1 report |
			awk -F '\t' -v s=$status '$2 == "begun" { print $1 "\tcrash\texit status " s }' >last
		cat last >>report
	done
}

# Forgets the results with this reason, so that the next run has these tests again. Fails if there are none.
again() {
	awk -F '\t' -v why="$1" 'NR == FNR { if ($3 ~ why) again[$1]; next } !($1 in again)' report report >left
	cmp -s report left && return 1
	mv left report
}

# Keys, a login and what data become with them, by OpenSSL. A chip takes keys either in plaintext or wrapped.
export MLX5_CRYPTO_TEST_INFO="$interop/crypto.json"
: >report
port=1
run_suite
# Matchers change their size if they are of definers, which are a setting.
again 'wrapped DEK|Setting matcher layout' && run_suite --set crypto_wrapped=1,match_definers=1
# A function that does not manage the e-switch has no encap-mode.
again 'Encap must be disabled' && run_suite --function dpu
# The e-switch's manager, whose port 1 has no representor, as its vport is the PF's; port 2 is the uplink's.
again 'must be in switchdev mode'
port=2
run_suite --set chip=cx6dx,switchdev=1
$python "$interop/scoreboard.py" report "$interop/reasons.tsv" "${DVX_SUITE_LIST:-$srcdir/doc/rdma-core-tests.md}" \
	${DVX_UPDATE:+update}
status=$?
[ $status = 0 ] || sed 's/^/# /' log
exit $status
