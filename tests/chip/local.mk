# SPDX-License-Identifier: BSD-2-Clause
# The loop, and the device as its clients find it: sessions, refusals, deaths, the commands of dvx-sim.
SIM_TESTS += tests/chip/loop tests/chip/wire_wait
SIM_DEVICE_TESTS += tests/chip/link_hostile
LIB_HELPERS += tests/chip/limits
VERBS_HELPERS += tests/chip/front_client tests/chip/refused
dist_check_SCRIPTS += tests/chip/cli.sh tests/chip/front.sh tests/chip/deaths.sh tests/chip/onecpu.sh \
	tests/chip/refusals.sh tests/chip/profile.sh tests/chip/vfs.sh
EXTRA_DIST += tests/chip/old_chip.pl
