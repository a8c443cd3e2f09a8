# SPDX-License-Identifier: BSD-2-Clause
# The data path and the transport on a silicon without firmware (dp_rig.h).
DP_TESTS = tests/unit/dp_rc tests/unit/dp_errors tests/unit/dp_cq tests/unit/dp_mmo \
	tests/unit/dp_fuzz tests/unit/net_loss
check_PROGRAMS += $(DP_TESTS)
TESTS += $(DP_TESTS)
DP_RIG = tests/unit/dp_rig.c tests/unit/dp_rig.h
DP_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)/src/sim
DP_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
DP_LDADD = libsim.la $(CMOCKA_LIBS)
tests_unit_dp_rc_SOURCES = tests/unit/dp_rc.c $(DP_RIG)
tests_unit_dp_rc_CPPFLAGS = $(DP_CPPFLAGS)
tests_unit_dp_rc_CFLAGS = $(DP_CFLAGS)
tests_unit_dp_rc_LDADD = $(DP_LDADD)
tests_unit_dp_errors_SOURCES = tests/unit/dp_errors.c $(DP_RIG)
tests_unit_dp_errors_CPPFLAGS = $(DP_CPPFLAGS)
tests_unit_dp_errors_CFLAGS = $(DP_CFLAGS)
tests_unit_dp_errors_LDADD = $(DP_LDADD)
tests_unit_net_loss_SOURCES = tests/unit/net_loss.c $(DP_RIG)
tests_unit_net_loss_CPPFLAGS = $(DP_CPPFLAGS)
tests_unit_net_loss_CFLAGS = $(DP_CFLAGS)
tests_unit_net_loss_LDADD = $(DP_LDADD)
tests_unit_dp_cq_SOURCES = tests/unit/dp_cq.c $(DP_RIG)
tests_unit_dp_cq_CPPFLAGS = $(DP_CPPFLAGS)
tests_unit_dp_cq_CFLAGS = $(DP_CFLAGS)
tests_unit_dp_cq_LDADD = $(DP_LDADD)
tests_unit_dp_mmo_SOURCES = tests/unit/dp_mmo.c $(DP_RIG)
tests_unit_dp_mmo_CPPFLAGS = $(DP_CPPFLAGS)
tests_unit_dp_mmo_CFLAGS = $(DP_CFLAGS)
tests_unit_dp_mmo_LDADD = $(DP_LDADD)
tests_unit_dp_fuzz_SOURCES = tests/unit/dp_fuzz.c $(DP_RIG)
tests_unit_dp_fuzz_CPPFLAGS = $(DP_CPPFLAGS)
tests_unit_dp_fuzz_CFLAGS = $(DP_CFLAGS)
tests_unit_dp_fuzz_LDADD = $(DP_LDADD)
