# SPDX-License-Identifier: BSD-2-Clause
if HAVE_CMOCKA
FW_TESTS = tests/unit/fw_exec tests/unit/fw_objects tests/unit/fw_queues tests/unit/fw_alias \
	tests/unit/fw_query tests/unit/fw_fuzz tests/unit/fw_icm tests/unit/steer_walk
check_PROGRAMS += $(FW_TESTS)
TESTS += $(FW_TESTS)
check_LTLIBRARIES += tests/unit/libfw_fixture.la
endif
FW_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)/src/sim
FW_LIBS = tests/unit/libfw_fixture.la libsim.la $(CMOCKA_LIBS)
tests_unit_libfw_fixture_la_SOURCES = tests/unit/fw_fixture.c tests/unit/fw_fixture.h
tests_unit_libfw_fixture_la_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_fw_exec_SOURCES = tests/unit/fw_exec.c
tests_unit_fw_exec_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_fw_exec_LDADD = $(FW_LIBS)
tests_unit_fw_objects_SOURCES = tests/unit/fw_objects.c
tests_unit_fw_objects_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_fw_objects_LDADD = $(FW_LIBS)
tests_unit_fw_queues_SOURCES = tests/unit/fw_queues.c
tests_unit_fw_queues_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_fw_queues_LDADD = $(FW_LIBS)
tests_unit_fw_alias_SOURCES = tests/unit/fw_alias.c
tests_unit_fw_alias_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_fw_alias_LDADD = $(FW_LIBS)
tests_unit_fw_query_SOURCES = tests/unit/fw_query.c
tests_unit_fw_query_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_fw_query_LDADD = $(FW_LIBS)
tests_unit_fw_fuzz_SOURCES = tests/unit/fw_fuzz.c
tests_unit_fw_fuzz_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_fw_fuzz_LDADD = $(FW_LIBS)
tests_unit_fw_icm_SOURCES = tests/unit/fw_icm.c
tests_unit_fw_icm_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_fw_icm_LDADD = $(FW_LIBS)
tests_unit_steer_walk_SOURCES = tests/unit/steer_walk.c
tests_unit_steer_walk_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_steer_walk_LDADD = $(FW_LIBS)
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/fw_raw
TESTS += tests/unit/fw_raw
endif
tests_unit_fw_raw_SOURCES = tests/unit/fw_raw.c
tests_unit_fw_raw_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_fw_raw_LDADD = $(FW_LIBS)
