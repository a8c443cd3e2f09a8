# SPDX-License-Identifier: BSD-2-Clause
# dvx-perf, dvx-info and dvx-verify; what all tools have in common.
PRM_TESTS += tests/tools/info_words
dist_check_SCRIPTS += tests/tools/completion.sh tests/tools/info.sh tests/tools/doctor.sh tests/tools/perf.sh \
	tests/tools/verify.sh tests/tools/perf_pair.sh tests/tools/perf_threads.sh tests/tools/perf_rules.sh tests/tools/tools.sh
EXTRA_DIST += tests/tools/verify_plant.c tests/tools/verify.plants
