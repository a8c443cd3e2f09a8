# SPDX-License-Identifier: BSD-2-Clause
dist_check_SCRIPTS += tests/perf/budget.sh tests/perf/steer.sh tests/perf/crowd.sh
EXTRA_DIST += tests/perf/count.sh tests/perf/budget.c
SIM_HELPERS += tests/perf/steer_bench tests/perf/steer_pair
VERBS_HELPERS += tests/perf/steer_rules
