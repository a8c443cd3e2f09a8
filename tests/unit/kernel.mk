# SPDX-License-Identifier: BSD-2-Clause
# The kernel half of the front, fed with flattened requests on a whole chip in the process.
KERNEL_TESTS = tests/unit/kernel_abi tests/unit/kernel_verbs tests/unit/kernel_qp \
	tests/unit/kernel_devx tests/unit/kernel_events tests/unit/kernel_flow \
	tests/unit/kernel_share tests/unit/kernel_errno \
	tests/unit/kernel_flow_verbs tests/unit/kernel_flow_counters
check_PROGRAMS += $(KERNEL_TESTS)
TESTS += $(KERNEL_TESTS)
check_LTLIBRARIES += tests/unit/libkernel_fixture.la
KERNEL_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)/src/sim
KERNEL_LIBS = tests/unit/libkernel_fixture.la libsim.la $(CMOCKA_LIBS)
tests_unit_libkernel_fixture_la_SOURCES = tests/unit/kernel_fixture.c tests/unit/kernel_fixture.h
tests_unit_libkernel_fixture_la_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_abi_SOURCES = tests/unit/kernel_abi.c
tests_unit_kernel_abi_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_abi_LDADD = $(KERNEL_LIBS)
tests_unit_kernel_verbs_SOURCES = tests/unit/kernel_verbs.c
tests_unit_kernel_verbs_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_verbs_LDADD = $(KERNEL_LIBS)
tests_unit_kernel_qp_SOURCES = tests/unit/kernel_qp.c
tests_unit_kernel_qp_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_qp_LDADD = $(KERNEL_LIBS)
tests_unit_kernel_devx_SOURCES = tests/unit/kernel_devx.c
tests_unit_kernel_devx_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_devx_LDADD = $(KERNEL_LIBS)
tests_unit_kernel_events_SOURCES = tests/unit/kernel_events.c
tests_unit_kernel_events_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_events_LDADD = $(KERNEL_LIBS)
KERNEL_FLOW_RIG = tests/unit/kernel_flow_rig.c tests/unit/kernel_flow_rig.h
tests_unit_kernel_flow_SOURCES = tests/unit/kernel_flow.c $(KERNEL_FLOW_RIG)
tests_unit_kernel_flow_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_flow_LDADD = $(KERNEL_LIBS)
tests_unit_kernel_flow_verbs_SOURCES = tests/unit/kernel_flow_verbs.c $(KERNEL_FLOW_RIG)
tests_unit_kernel_flow_verbs_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_flow_verbs_LDADD = $(KERNEL_LIBS)
tests_unit_kernel_flow_counters_SOURCES = tests/unit/kernel_flow_counters.c $(KERNEL_FLOW_RIG)
tests_unit_kernel_flow_counters_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_flow_counters_LDADD = $(KERNEL_LIBS)
tests_unit_kernel_errno_SOURCES = tests/unit/kernel_errno.c
tests_unit_kernel_errno_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_errno_LDADD = $(KERNEL_LIBS)
check_PROGRAMS += tests/unit/kernel_fuzz tests/unit/kernel_raw
TESTS += tests/unit/kernel_fuzz tests/unit/kernel_raw
tests_unit_kernel_raw_SOURCES = tests/unit/kernel_raw.c
tests_unit_kernel_raw_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_raw_LDADD = $(KERNEL_LIBS)
tests_unit_kernel_fuzz_SOURCES = tests/unit/kernel_fuzz.c tests/unit/kernel_fuzz.h \
	tests/unit/kernel_fuzz_queues.c tests/unit/kernel_fuzz_flows.c \
	tests/unit/kernel_fuzz_devx.c tests/unit/kernel_fuzz_any.c
tests_unit_kernel_fuzz_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_fuzz_LDADD = $(KERNEL_LIBS)
tests_unit_kernel_share_SOURCES = tests/unit/kernel_share.c
tests_unit_kernel_share_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_share_LDADD = $(KERNEL_LIBS)
check_PROGRAMS += tests/unit/kernel_scarce
TESTS += tests/unit/kernel_scarce
tests_unit_kernel_scarce_SOURCES = tests/unit/kernel_scarce.c $(tests_unit_kernel_fuzz_SOURCES)
tests_unit_kernel_scarce_CPPFLAGS = $(KERNEL_CPPFLAGS)
tests_unit_kernel_scarce_LDADD = $(KERNEL_LIBS)
tests_unit_kernel_scarce_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray \
	-Wl,--wrap=rq_run,--wrap=datapath_run,--wrap=datapath_inject,--wrap=dp_doorbell
