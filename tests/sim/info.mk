# SPDX-License-Identifier: BSD-2-Clause
dist_check_SCRIPTS += tests/sim/info.sh tests/sim/doctor.sh
TESTS += tests/sim/info.sh tests/sim/doctor.sh
