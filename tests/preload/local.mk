# SPDX-License-Identifier: BSD-2-Clause
# The libc hooks in a program, and what they answer themselves.
SIM_TESTS += tests/preload/netlink tests/preload/move_budget tests/preload/sysfs_change
VERBS_HELPERS += tests/preload/hooks
dist_check_SCRIPTS += tests/preload/hooks.sh
