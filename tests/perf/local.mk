# SPDX-License-Identifier: BSD-2-Clause
dist_check_SCRIPTS += tests/perf/budget.sh tests/perf/steer.sh tests/perf/crowd.sh tests/perf/messages.sh
EXTRA_DIST += tests/perf/count.sh tests/perf/budget.c tests/perf/perf_mem.h
SIM_HELPERS += tests/perf/steer_bench tests/perf/steer_pair tests/perf/messages
VERBS_HELPERS += tests/perf/steer_rules
