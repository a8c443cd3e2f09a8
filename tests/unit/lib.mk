# SPDX-License-Identifier: BSD-2-Clause
# libdvx without a device: rings on plain memory, tickets, headers, symbols.
dist_check_SCRIPTS += tests/unit/barriers.sh tests/unit/headers.sh tests/unit/symbols.sh tests/unit/manpages.sh \
	tests/unit/aarch64.sh
TESTS += tests/unit/barriers.sh tests/unit/headers.sh tests/unit/symbols.sh tests/unit/manpages.sh \
	tests/unit/aarch64.sh
EXTRA_DIST += tests/unit/ring.h tests/unit/cross/cmocka.h
lib_unit_tests = tests/unit/ring_sq tests/unit/ring_cq tests/unit/ring_rq tests/unit/ticket \
	tests/unit/lib_cmd tests/unit/flow_match tests/unit/flow_fake
check_PROGRAMS += $(lib_unit_tests)
TESTS += $(lib_unit_tests)
tests_unit_ring_sq_LDADD = src/lib/libdvx.la $(CMOCKA_LIBS)
tests_unit_ring_cq_LDADD = src/lib/libdvx.la $(CMOCKA_LIBS)
tests_unit_ring_rq_LDADD = src/lib/libdvx.la $(CMOCKA_LIBS)
tests_unit_ticket_LDADD = src/lib/libdvx.la $(CMOCKA_LIBS)
tests_unit_flow_match_LDADD = src/lib/libdvx.la $(CMOCKA_LIBS)
tests_unit_flow_fake_SOURCES = tests/unit/flow_fake.c tests/unit/flow_fake_rig.c \
	tests/unit/flow_fake_rig.h
tests_unit_flow_fake_LDADD = src/lib/libdvx.la $(MLX5_LIBS) $(IBVERBS_LIBS) $(CMOCKA_LIBS)
tests_unit_lib_cmd_LDADD = src/lib/libdvx.la $(MLX5_LIBS) $(IBVERBS_LIBS) $(CMOCKA_LIBS)
