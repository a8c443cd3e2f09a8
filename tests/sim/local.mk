# SPDX-License-Identifier: BSD-2-Clause
EXTRA_DIST += tests/sim/tap.sh tests/sim/patience.h tests/sim/old_chip.pl
dist_check_SCRIPTS += tests/sim/cli.sh tests/sim/front.sh tests/sim/deaths.sh tests/sim/link_hostile.sh \
	tests/sim/onecpu.sh
TESTS += tests/sim/cli.sh tests/sim/front.sh tests/sim/deaths.sh tests/sim/onecpu.sh
check_PROGRAMS += tests/sim/front_client
tests_sim_front_client_CFLAGS = $(AM_CFLAGS) $(IBVERBS_CFLAGS)
tests_sim_front_client_LDADD = $(IBVERBS_LIBS)
TESTS += tests/sim/link_hostile.sh
check_PROGRAMS += tests/sim/link_hostile
tests_sim_link_hostile_CPPFLAGS = $(libsim_la_CPPFLAGS)
tests_sim_link_hostile_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_sim_link_hostile_LDADD = libsim.la $(CMOCKA_LIBS)
include tests/sim/copy.mk
include tests/sim/lib.mk
include tests/sim/info.mk
include tests/sim/raw.mk
include tests/sim/share.mk

dist_check_SCRIPTS += tests/sim/perf.sh
TESTS += tests/sim/perf.sh

dist_check_SCRIPTS += tests/sim/profile.sh
TESTS += tests/sim/profile.sh
check_PROGRAMS += tests/sim/limits
tests_sim_limits_LDADD = src/lib/libdvx.la

dist_check_SCRIPTS += tests/sim/wire.sh
TESTS += tests/sim/wire.sh
include tests/sim/dr.mk
include tests/sim/flow.mk
include tests/sim/dvx_flow.mk
