# SPDX-License-Identifier: BSD-2-Clause
# The lab: what queues wait for.
SIM_TESTS += tests/lab/why_rig
VERBS_HELPERS += tests/lab/why_hangs tests/lab/misuse tests/lab/sweep_bugs tests/lab/hostile_bugs tests/lab/stat_costs
dist_check_SCRIPTS += tests/lab/why.sh tests/lab/stat.sh tests/lab/fault.sh tests/lab/sweep.sh tests/lab/hostile.sh tests/lab/misuse.sh
# Distributions build programs that any address takes: dvx-check finds their functions, too.
ANYWHERE = tests/lab/misuse
$(ANYWHERE): private LDFLAGS =
