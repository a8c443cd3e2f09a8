# SPDX-License-Identifier: BSD-2-Clause
# dvx-flow on a device made of software.
EXTRA_DIST += tests/sim/flow_lib.sh
flow_tool_tests = tests/sim/flow_rules.sh tests/sim/flow_lacks.sh tests/sim/flow_death.sh tests/sim/flow_icm.sh
dist_check_SCRIPTS += $(flow_tool_tests)
TESTS += $(flow_tool_tests)
