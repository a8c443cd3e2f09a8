# SPDX-License-Identifier: BSD-2-Clause
check_PROGRAMS += tests/unit/setting
TESTS += tests/unit/setting
tests_unit_setting_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)/src/sim
tests_unit_setting_LDADD = libsim.la $(CMOCKA_LIBS)
