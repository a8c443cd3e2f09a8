#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The programs and the test suite of an rdma-core source tree on dvx-sim: proves that another version than Debian's runs
# on it. By hand, from the build directory; it needs cmake, ninja, cython3, python3-dev, libnl-route-3-dev, libudev-dev:
#   sh ../tests/interop/newest.sh RDMA_CORE_SOURCE [RDMA_CORE_BUILD]
# It builds the tree in RDMA_CORE_BUILD (without the word: in ./rdma-core) and compares the suite with
# doc/rdma-core-newest-tests.md; DVX_UPDATE=1 writes that page.
tree=$(cd "${1:?a source tree of rdma-core}" && pwd) || exit 99
build=${2:-$PWD/rdma-core}
here=$(cd "$(dirname "$0")" && pwd)
top_srcdir=${here%/tests/interop}
top_builddir=$PWD
export top_srcdir top_builddir

mkdir -p "$build" && cd "$build" || exit 99
cmake -GNinja -DIN_PLACE=1 -DNO_MAN_PAGES=1 -DENABLE_STATIC=0 -DPYTHON_EXECUTABLE=/usr/bin/python3 "$tree" >cmake.log &&
	ninja >ninja.log || exit 99
build=$PWD
PATH=$build/bin:$PATH
export PATH PYTHONPATH="$build/python"
cd "$top_builddir" || exit 99

. "$here/pair.sh"
alone()
{
	: >"$dir/server"
	timeout "$bound" "$sim" exec "$chip" -- "$@" >"$dir/client" 2>&1
	result $? "$*"
}

plan 14
alone ibv_devices
alone ibv_devinfo -v
alone ibstat
alone sh "$build/bin/ibstatus"
pair host ibv_rc_pingpong -g 1 -n 200
pair dpu ibv_rc_pingpong -g 1 -n 200 -e
pair host ibv_uc_pingpong -g 1 -n 200
pair host ibv_ud_pingpong -g 1 -n 100
pair host ibv_srq_pingpong -g 1 -n 100
pair host ibv_xsrq_pingpong -g 1 -n 100
cm host "rping -s -C 5 -V" "rping -c -C 5 -V -a 127.0.0.1"
cm host "ucmatose -c 10 -C 20" "ucmatose -c 10 -C 20 -s 127.0.0.1"
cm host "udaddy -C 50 -c 4" "udaddy -C 50 -c 4 -s 127.0.0.1"
cm dpu "rstream -C 10 -S 100000 -T v" "rstream -C 10 -S 100000 -T v -s 192.168.215.2"

DVX_PYVERBS_TESTS=$tree/tests DVX_SUITE_LIST=$top_srcdir/doc/rdma-core-newest-tests.md \
	sh "$here/rdma_core.sh" || failed=1

# The suite's steering tests on each chip: what fails there, and is not listed so.
for chip in cx5 cx6dx cx7 cx8 bf2 bf3; do
	(cd "$tree" && PYTHONDONTWRITEBYTECODE=1 "$sim" run --set chip=$chip -- /usr/bin/python3 tests/run_tests.py -v --dev mlx5_0 \
		--port 1 tests.test_mlx5_dr tests.test_mlx5_flow tests.test_flow) >"$dir/steering" 2>&1
	for test in $(sed -n 's/^\(ERROR\|FAIL\): \([a-z0-9_]*\) .*/\2/p' "$dir/steering"); do
		grep -q "\.$test | \(error\|fail\) " "$top_srcdir/doc/rdma-core-newest-tests.md" && continue
		echo "not ok $chip: $test"
		failed=1
	done
done

# Software's tables on each chip, one of which only a newer libmlx5 knows; make check has built the programs.
for test in steer/chips steer/dr_fdb steer/dr_fdb_changes flow/switch_diff; do
	DVX_NEW_LIBMLX5=$build/lib PERL=perl sh "$top_srcdir/tests/$test.sh" || failed=1
done
exit "$failed"
