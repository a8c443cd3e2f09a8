# SPDX-License-Identifier: BSD-2-Clause
check_PROGRAMS += tests/unit/info_words
TESTS += tests/unit/info_words
tests_unit_info_words_CPPFLAGS = $(tools_dvx_info_libinfo_la_CPPFLAGS)
tests_unit_info_words_LDADD = tools/dvx-info/libinfo.la tools/dvx-prm/libtool.la src/lib/libdvx.la \
	$(JANSSON_LIBS) $(CMOCKA_LIBS)
