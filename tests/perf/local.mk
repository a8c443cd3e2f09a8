# SPDX-License-Identifier: BSD-2-Clause
dist_check_SCRIPTS += tests/perf/budget.sh tests/perf/cycles.sh tests/perf/steer.sh tests/perf/flow_apply.sh tests/perf/crowd.sh tests/perf/messages.sh tests/perf/goals.sh tests/perf/wire.sh tests/perf/copy.sh
EXTRA_DIST += tests/perf/count.sh tests/perf/budget.c tests/perf/budget_rules.c tests/perf/rule_batches.h tests/perf/cycles_rules.c tests/perf/cycles.c tests/perf/cycles.h tests/perf/plain_rings.h tests/perf/cycles_verbs.c tests/perf/perf_mem.h tests/perf/rounds.h
SIM_HELPERS += tests/perf/steer_bench tests/perf/steer_pair tests/perf/messages
VERBS_HELPERS += tests/perf/steer_rules
LIB_HELPERS += tests/perf/rules_easy tests/perf/rule_create tests/perf/goals tests/perf/wire_pair
dist_check_SCRIPTS += tests/perf/creation.sh tests/perf/aso.sh tests/perf/rules.sh
SIM_HELPERS += tests/perf/creation tests/perf/aso_walk tests/perf/fdb_walk tests/perf/rules_wqe tests/perf/rules_walk
tests_perf_creation_LDADD = tests/libkernel.a $(SIM_LIBS) $(CMOCKA_LIBS)
dist_check_SCRIPTS += tests/perf/shared.sh tests/perf/checked_posts.sh
VERBS_HELPERS += tests/perf/shared_rings tests/perf/checked_posts
