# SPDX-License-Identifier: BSD-2-Clause
# dvx-copy without a device: copy_fake.c moves the bytes.
COPY_TESTS = tests/unit/copy_crc tests/unit/copy_msg tests/unit/copy_link tests/unit/copy_paths \
	tests/unit/copy_hostile tests/unit/copy_guests
check_PROGRAMS += $(COPY_TESTS)
TESTS += $(COPY_TESTS)
TSAN_TESTS += tests/unit/copy_link tests/unit/copy_hostile tests/unit/copy_guests
COPY_TEST_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tools/dvx-copy
COPY_TEST_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(NETTLE_CFLAGS)
COPY_TEST_LDADD = tools/dvx-copy/libcopy.la $(CMOCKA_LIBS) -lpthread

tests_unit_copy_crc_SOURCES = tests/unit/copy_crc.c
tests_unit_copy_crc_CPPFLAGS = $(COPY_TEST_CPPFLAGS)
tests_unit_copy_crc_CFLAGS = $(COPY_TEST_CFLAGS)
tests_unit_copy_crc_LDADD = $(COPY_TEST_LDADD)
tests_unit_copy_msg_SOURCES = tests/unit/copy_msg.c
tests_unit_copy_msg_CPPFLAGS = $(COPY_TEST_CPPFLAGS)
tests_unit_copy_msg_CFLAGS = $(COPY_TEST_CFLAGS)
tests_unit_copy_msg_LDADD = $(COPY_TEST_LDADD)
tests_unit_copy_link_SOURCES = tests/unit/copy_link.c
tests_unit_copy_link_CPPFLAGS = $(COPY_TEST_CPPFLAGS)
tests_unit_copy_link_CFLAGS = $(COPY_TEST_CFLAGS)
tests_unit_copy_link_LDADD = $(COPY_TEST_LDADD)
tests_unit_copy_paths_SOURCES = tests/unit/copy_paths.c
tests_unit_copy_paths_CPPFLAGS = $(COPY_TEST_CPPFLAGS)
tests_unit_copy_paths_CFLAGS = $(COPY_TEST_CFLAGS)
tests_unit_copy_paths_LDADD = $(COPY_TEST_LDADD)
tests_unit_copy_hostile_SOURCES = tests/unit/copy_hostile.c tests/unit/copy_fake.c tests/unit/copy_fake.h
tests_unit_copy_hostile_CPPFLAGS = $(COPY_TEST_CPPFLAGS)
tests_unit_copy_hostile_CFLAGS = $(COPY_TEST_CFLAGS)
tests_unit_copy_hostile_LDADD = $(COPY_TEST_LDADD)
tests_unit_copy_guests_SOURCES = tests/unit/copy_guests.c tests/unit/copy_fake.c tests/unit/copy_fake.h
tests_unit_copy_guests_CPPFLAGS = $(COPY_TEST_CPPFLAGS)
tests_unit_copy_guests_CFLAGS = $(COPY_TEST_CFLAGS)
tests_unit_copy_guests_LDADD = $(COPY_TEST_LDADD)
