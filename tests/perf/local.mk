# SPDX-License-Identifier: BSD-2-Clause
dist_check_SCRIPTS += tests/perf/budget.sh
TESTS += tests/perf/budget.sh
EXTRA_DIST += tests/perf/budget.c
