#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that rdma-core's own test-suite (Debian's python3-pyverbs brings it) finds a device here:
# modules of which everything that this device offers must pass.
modules="test_device test_fork test_pd test_addr test_mr test_cq test_cq_events test_cqex test_qp
test_qpex test_mlx5_devx test_mlx5_uar test_mlx5_raw_wqe test_mlx5_dma_memcpy test_mlx5_query_port"
suite=/usr/share/doc/rdma-core/tests
python=/usr/bin/python3

if ! [ -d $suite ] || ! $python -c 'import pyverbs.device' 2>/dev/null; then
	echo "1..0 # SKIP python3-pyverbs is not installed"
	exit 0
fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/dvx-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cp -r $suite "$scratch/tests"
find "$scratch/tests" -name '*.gz' -exec gunzip {} +
sim=$(cd "$top_builddir" && pwd)/tools/dvx-sim/dvx-sim
cd "$scratch" || exit 1

# Sizes, flags and sequence numbers are the same in each run.
seeded='import random, runpy, sys
random.seed(1)
sys.argv = sys.argv[1:]
sys.path.insert(0, "tests")
runpy.run_path(sys.argv[0], run_name="__main__")'

set -- $modules
echo "1..$#"
n=0
failed=0
for module in "$@"; do
	n=$((n + 1))
	if timeout 300 "$sim" run -- $python -c "$seeded" tests/run_tests.py -v --dev mlx5_0 "$module" \
		>log 2>&1; then
		echo "ok $n - $module: $(sed -n 's/^Ran \([0-9]*\) .*/\1 tests/p' log), $(grep '^OK' log)"
	else
		failed=1
		echo "not ok $n - $module"
		sed 's/^/# /' log
	fi
done
exit $failed
