# SPDX-License-Identifier: BSD-2-Clause
# The lab: what queues wait for.
SIM_TESTS += tests/lab/why_rig
VERBS_HELPERS += tests/lab/why_hangs
dist_check_SCRIPTS += tests/lab/why.sh tests/lab/fault.sh
