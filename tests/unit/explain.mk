# SPDX-License-Identifier: BSD-2-Clause
# What dvx-prm explain makes of dumps.
dist_check_SCRIPTS += tests/unit/dvx_prm_explain.sh
TESTS += tests/unit/dvx_prm_explain.sh
dist_check_SCRIPTS += tests/unit/dvx_prm_public.sh tests/unit/dvx_prm_said.sh
TESTS += tests/unit/dvx_prm_public.sh tests/unit/dvx_prm_said.sh
EXTRA_DIST += tests/golden/dumps
check_PROGRAMS += tests/unit/explain_fuzz tests/unit/explain_fit
TESTS += tests/unit/explain_fuzz tests/unit/explain_fit
tests_unit_explain_fuzz_CPPFLAGS = $(tools_dvx_prm_libtool_la_CPPFLAGS) -I$(top_srcdir)/tools/dvx-prm
tests_unit_explain_fuzz_LDADD = tools/dvx-prm/libtool.la $(JANSSON_LIBS) $(CMOCKA_LIBS)
tests_unit_explain_fit_CPPFLAGS = $(tests_unit_explain_fuzz_CPPFLAGS)
tests_unit_explain_fit_LDADD = $(tests_unit_explain_fuzz_LDADD)
# dvx-flow explain, on dumps of files.
dist_check_SCRIPTS += tests/unit/flow_explain.sh
TESTS += tests/unit/flow_explain.sh
check_PROGRAMS += tests/unit/flow_dump_fuzz
TESTS += tests/unit/flow_dump_fuzz
tests_unit_flow_dump_fuzz_CPPFLAGS = $(tools_dvx_flow_libexplain_la_CPPFLAGS)
tests_unit_flow_dump_fuzz_LDADD = tools/dvx-flow/libexplain.la $(JANSSON_LIBS) $(CMOCKA_LIBS)
