# SPDX-License-Identifier: BSD-2-Clause
# Firmware's commands, and the capabilities that it reports.
SIM_TESTS += tests/fw/fw_cq tests/fw/exec tests/fw/fw_objects tests/fw/fw_keys tests/fw/fw_queues tests/fw/fw_alias \
	tests/fw/query tests/fw/fw_icm tests/fw/kernel tests/fw/fw_raw tests/fw/raw_way tests/fw/rmp \
	tests/fw/dct tests/fw/fw_xrc tests/fw/q_counter tests/fw/fw_flow tests/fw/fw_aso tests/fw/fw_geneve tests/fw/fw_parse_node
LIB_DEVICE_TESTS += tests/fw/caps
tests_fw_fw_queues_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc
tests_fw_caps_SOURCES = tests/fw/caps.c tests/fw/caps.h tests/fw/caps_cq.c tests/fw/caps_memory.c \
	tests/fw/caps_queues.c
tests_librigs_a_SOURCES += tests/fw/fw_fixture.c tests/fw/fw_fixture.h tests/fw/fw_raw_rig.c \
	tests/fw/fw_raw_rig.h
