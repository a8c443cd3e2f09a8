# SPDX-License-Identifier: BSD-2-Clause
# dvx-flow's rules, without a device.
RULES_TESTS = tests/unit/rules_parse tests/unit/rules_compile tests/unit/rules_fuzz tests/unit/rules_fill
check_PROGRAMS += $(RULES_TESTS)
TESTS += $(RULES_TESTS)
RULES_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/tools/dvx-flow
RULES_LIBS = tools/dvx-flow/librules.la $(CMOCKA_LIBS)
tests_unit_rules_parse_CPPFLAGS = $(RULES_CPPFLAGS)
tests_unit_rules_parse_LDADD = $(RULES_LIBS)
tests_unit_rules_compile_CPPFLAGS = $(RULES_CPPFLAGS)
tests_unit_rules_compile_LDADD = $(RULES_LIBS)
tests_unit_rules_fuzz_CPPFLAGS = $(RULES_CPPFLAGS)
tests_unit_rules_fuzz_LDADD = $(RULES_LIBS)
tests_unit_rules_fill_SOURCES = tests/unit/rules_fill.c tools/dvx-flow/daemon/fill.c
tests_unit_rules_fill_CPPFLAGS = $(RULES_CPPFLAGS) -I$(top_srcdir)/src
tests_unit_rules_fill_LDADD = src/prm/libprm.la $(RULES_LIBS)
