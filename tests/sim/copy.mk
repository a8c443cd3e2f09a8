# SPDX-License-Identifier: BSD-2-Clause
EXTRA_DIST += tests/sim/copy_lib.sh
dist_check_SCRIPTS += tests/sim/copy_tree.sh tests/sim/copy_refuse.sh tests/sim/copy_death.sh \
	tests/sim/copy_disk.sh
TESTS += tests/sim/copy_tree.sh tests/sim/copy_refuse.sh tests/sim/copy_death.sh tests/sim/copy_disk.sh
