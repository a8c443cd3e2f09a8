# SPDX-License-Identifier: BSD-2-Clause
# The tables, their generator and their decoder.
check_PROGRAMS += tests/unit/prm_accessors tests/unit/prm_reflect
tests_unit_prm_accessors_SOURCES = tests/unit/prm_accessors.c
tests_unit_prm_accessors_CPPFLAGS = $(AM_CPPFLAGS) -DPRM_DEBUG
tests_unit_prm_accessors_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_prm_accessors_LDADD = src/prm/libprm.la $(CMOCKA_LIBS)
tests_unit_prm_reflect_SOURCES = tests/unit/prm_reflect.c
tests_unit_prm_reflect_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_prm_reflect_LDADD = src/prm/libprm.la $(CMOCKA_LIBS)
EXTRA_DIST += tests/unit/WitnessNames.pm
dist_check_SCRIPTS += tests/unit/prm_gen.pl tests/unit/prm_witness.pl tests/unit/prm_asm.sh tests/unit/prm_export.py tests/unit/prm_pages.py
TESTS += tests/unit/prm_accessors tests/unit/prm_reflect \
	tests/unit/prm_gen.pl tests/unit/prm_witness.pl tests/unit/prm_asm.sh tests/unit/prm_export.py tests/unit/prm_pages.py
dist_check_SCRIPTS += tests/unit/dvx_prm.sh tests/unit/completion.sh
TESTS += tests/unit/dvx_prm.sh tests/unit/completion.sh
check_PROGRAMS += tests/unit/dvx_prm_fuzz
TESTS += tests/unit/dvx_prm_fuzz
tests_unit_dvx_prm_fuzz_CPPFLAGS = $(tools_dvx_prm_libtool_la_CPPFLAGS) -I$(top_srcdir)/tools/dvx-prm
tests_unit_dvx_prm_fuzz_LDADD = tools/dvx-prm/libtool.la $(JANSSON_LIBS) $(CMOCKA_LIBS)
