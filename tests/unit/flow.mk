# SPDX-License-Identifier: BSD-2-Clause
# Packets through firmware's flow tables, and the commands that make them.
FLOW_TESTS = tests/unit/fw_flow tests/unit/steer_agree tests/unit/flow_fuzz tests/unit/steer_packet tests/unit/steer_tables
check_PROGRAMS += $(FLOW_TESTS)
TESTS += $(FLOW_TESTS)
FLOW_RIG = tests/unit/flow_rig.c tests/unit/flow_rig.h
tests_unit_fw_flow_SOURCES = tests/unit/fw_flow.c $(FLOW_RIG)
tests_unit_fw_flow_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_fw_flow_LDADD = $(FW_LIBS)
tests_unit_flow_fuzz_SOURCES = tests/unit/flow_fuzz.c $(FLOW_RIG)
tests_unit_flow_fuzz_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_flow_fuzz_LDADD = $(FW_LIBS)
tests_unit_steer_packet_SOURCES = tests/unit/steer_packet.c
tests_unit_steer_packet_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_steer_packet_LDADD = libsim.la $(CMOCKA_LIBS)
tests_unit_steer_tables_SOURCES = tests/unit/steer_tables.c $(FLOW_RIG)
tests_unit_steer_tables_CPPFLAGS = $(FW_CPPFLAGS)
tests_unit_steer_tables_LDADD = $(FW_LIBS)
tests_unit_steer_agree_SOURCES = tests/unit/steer_agree.c tests/sim/flow_random.c
tests_unit_steer_agree_CPPFLAGS = $(FW_CPPFLAGS) -I$(top_srcdir)
tests_unit_steer_agree_LDADD = tools/dvx-flow/libexplain.la libsim.la $(CMOCKA_LIBS)
