# SPDX-License-Identifier: BSD-2-Clause
# TAP everywhere: automake's tap-driver reads it, tests/tap-run mends cmocka's skips and tells what a test took.
# Each folder lists its programs by the libraries that they are linked with, and its scripts
# (dist_check_SCRIPTS): all of these are tests, except what is only in check_PROGRAMS.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
# A test that hangs ends after a quarter of an hour; none needs a tenth of that.
TEST_LIMIT = timeout -k 10 900
RUN_TEST = $(SHELL) $(top_srcdir)/tests/tap-run $(TEST_LIMIT)
LOG_COMPILER = $(RUN_TEST)
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(RUN_TEST) $(SHELL)
PL_LOG_DRIVER = $(LOG_DRIVER)
PL_LOG_COMPILER = $(RUN_TEST) $(PERL)
TEST_EXTENSIONS = .sh .pl .md
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	PERL='$(PERL)'; export PERL; CC='$(CC)'; export CC; CXX='$(CXX)'; export CXX; \
	DVX_SAN='$(DVX_SAN)'; export DVX_SAN;
# For ./quickstart check. What measures time has the machine to itself; the rest runs beside each other.
ALONE_TESTS = tests/sim/onecpu.sh tests/perf/steer.sh
# What takes longest begins first: else a run waits for it at its end, with a processor idle.
FIRST_TESTS = tests/unit/aarch64.sh tests/interop/rdma_core.sh tests/interop/perftest.sh tests/sim/share.sh \
	tests/perf/goals.sh tests/interop/capture.sh tests/perf/crowd.sh tests/sim/flow_icm.sh tests/sim/flow_explain.sh
SHARED_TESTS = $(FIRST_TESTS) $(filter-out $(ALONE_TESTS) $(FIRST_TESTS),$(PROGRAM_TESTS) $(dist_check_SCRIPTS) $(TUTORIAL_PAGES))
# What runs once in ./quickstart check, and in each build in check long: replays and deaths at any moment sanitized,
# moving pages by threads; foreign suites, dvx-perf and two long tests of dvx-copy plain, as they take three times as long
# sanitized and others walk the same code.
PLAIN_TESTS = $(filter-out tests/fuzz/% tests/sim/deaths.sh tests/sim/flow_death.sh tests/sim/share.sh \
	tests/sim/copy_death.sh tests/sim/copy_disk.sh tests/sim/copy_faults.sh,$(SHARED_TESTS))
ASAN_LONG_TESTS = tests/interop/rdma_core.sh tests/interop/perftest.sh tests/interop/programs.sh \
	tests/interop/srq.sh tests/interop/tunnels.sh tests/interop/tunnel_rules.sh tests/interop/ucx.sh \
	tests/sim/perf.sh tests/sim/share.sh tests/sim/copy_resume.sh tests/sim/copy_entries.sh
# A sanitized build has nothing to find where sources are read, and compilers and other tools are run. flow_icm.sh
# waits a minute for memory to be filled by libmlx5, whose code has no sanitizer.
ASAN_TESTS = $(filter-out $(ASAN_LONG_TESTS) \
	tests/unit/packages.pl tests/unit/attr_list.pl tests/unit/quickstart.sh tests/unit/layers.pl tests/unit/names.pl tests/unit/docs.pl tests/unit/prm_gen.pl \
	tests/unit/prm_witness.pl tests/unit/prm_asm.sh tests/unit/prm_export.py tests/unit/prm_pages.py tests/unit/barriers.sh \
	tests/unit/headers.sh tests/unit/symbols.sh tests/unit/manpages.sh tests/unit/aarch64.sh tests/unit/platforms.sh \
	tests/interop/capture.sh tests/sim/flow_icm.sh tests/sim/ci_recipe.sh tests/perf/% tests/tutorial/% doc/tutorial/%,$(SHARED_TESTS))
# For ./quickstart check fast, the loop while writing: the unit tests of all rooms but those that take seconds, a test on the
# device of each tool, of libdvx and of the preload, the bytes beside libmlx5's, and a program of others.
FAST_COMPILED = $(filter-out $(SLOW_UNIT),$(filter tests/unit/%,$(PROGRAM_TESTS))) \
	tests/golden/vectors tests/sim/lib_queues tests/sim/lib_objects tests/sim/link_hostile
FAST_TESTS = tests/sim/perf.sh tests/sim/copy_refuse.sh tests/sim/flow_rules.sh tests/interop/pingpong.sh \
	tests/sim/info.sh tests/unit/dvx_prm.sh tests/sim/cli.sh tests/sim/hooks.sh tests/unit/prm_gen.pl \
	tests/unit/layers.pl tests/unit/names.pl tests/unit/docs.pl tests/unit/symbols.sh $(FAST_COMPILED)
FAST_BUILDS = $(FAST_COMPILED) tests/sim/hooks
SLOW_UNIT = tests/unit/copy_filter tests/unit/host_share_moves
TSAN_TESTS = tests/unit/chip_loop tests/unit/host_wake tests/unit/host_lockstep tests/unit/copy_link tests/unit/copy_workers \
	tests/unit/copy_hostile tests/unit/copy_clients tests/sim/front.sh tests/sim/lib_queues \
	tests/sim/raw_verbs tests/sim/raw_rss tests/sim/wire.sh tests/sim/dr_limits \
	tests/sim/flow_rules.sh tests/sim/share.sh tests/interop/pingpong.sh
# The programs among these, and those that the scripts run: no other is built with the thread sanitizer.
TSAN_BUILDS = $(filter-out %.sh,$(TSAN_TESTS)) tests/sim/front_client tests/sim/share
EXTRA_DIST += tests/tap-run tests/README.md tests/mutation/README.md tests/mutation/mutate.py tests/mutation/judged.tsv

# Programs on the chip's own code, on libdvx, on rdma-core alone, on dvx-copy, on dvx-flow, on dvx-prm and dvx-info.
# A *_TESTS is a test; a *_HELPERS is what a script runs.
SIM_TESTS =
SIM_HELPERS =
LIB_TESTS =
LIB_HELPERS =
VERBS_TESTS =
VERBS_HELPERS =
COPY_TESTS =
FLOW_TESTS =
FLOW_HELPERS =
PRM_TESTS =
PROGRAM_TESTS = $(SIM_TESTS) $(LIB_TESTS) $(VERBS_TESTS) $(COPY_TESTS) $(FLOW_TESTS) $(PRM_TESTS)
check_PROGRAMS += $(PROGRAM_TESTS) $(SIM_HELPERS) $(LIB_HELPERS) $(VERBS_HELPERS) $(FLOW_HELPERS)
TESTS += $(PROGRAM_TESTS) $(dist_check_SCRIPTS)

# The rigs of several tests and their main(); the kernel's, whose fixture has the names of the firmware's;
# the fuzz targets' main(). A program takes what it calls.
check_LIBRARIES = tests/librigs.a tests/libkernel.a tests/libreplay.a
tests_librigs_a_SOURCES = tests/main.c tests/test.h tests/wrapped.h

include tests/unit/local.mk
include tests/fuzz/local.mk
include tests/sim/local.mk
include tests/golden/local.mk
include tests/abi/local.mk
include tests/interop/local.mk
include tests/perf/local.mk

TOOL = -I$(top_srcdir)/tools/dvx-flow -I$(top_srcdir)/tools/dvx-prm
tests/unit/copy_%.$(OBJEXT): private TOOL = -I$(top_srcdir)/tools/dvx-copy
tests/%.$(OBJEXT): private AM_CPPFLAGS += -I$(top_srcdir)/src -I$(top_srcdir)/src/sim $(TOOL) \
	-I$(top_srcdir) -I$(top_builddir) \
	$(CMOCKA_CFLAGS) $(IBVERBS_CFLAGS) $(MLX5_CFLAGS) $(JANSSON_CFLAGS) $(NETTLE_CFLAGS) $(PCAP_CFLAGS)
SIM_LIBS = tests/librigs.a libsim.la
tests/unit/kernel_%: private FIRST = tests/libkernel.a
tests/fuzz/%: private FIRST = tests/libreplay.a
LIB_LIBS = tests/librigs.a src/lib/libdvx.la src/prm/libprm.la
COPY_LIBS = tests/librigs.a tools/dvx-copy/libcopy.la
FLOW_LIBS = tests/librigs.a tools/dvx-flow/libimport.la tools/dvx-flow/libexplain.la tools/dvx-flow/librules.la src/lib/libdvx.la
PRM_LIBS = tests/librigs.a tools/dvx-info/libinfo.la tools/dvx-prm/libtool.la src/lib/libdvx.la
SYSTEM_LIBS = -Wl,--as-needed $(MLX5_LIBS) $(IBVERBS_LIBS) $(JANSSON_LIBS) $(CMOCKA_LIBS) -lpthread
$(PROGRAM_TESTS) $(SIM_HELPERS) $(LIB_HELPERS) $(VERBS_HELPERS) $(FLOW_HELPERS): $(check_LIBRARIES)
$(SIM_TESTS) $(SIM_HELPERS): $(SIM_LIBS)
$(SIM_TESTS) $(SIM_HELPERS): private LDADD = $(FIRST) $(SIM_LIBS) $(CMOCKA_LIBS)
$(LIB_TESTS) $(LIB_HELPERS): $(LIB_LIBS)
$(LIB_TESTS) $(LIB_HELPERS): private LDADD = -Wl,--as-needed $(FIRST) $(LIB_LIBS) $(SYSTEM_LIBS)
$(VERBS_TESTS) $(VERBS_HELPERS): private LDADD = tests/librigs.a $(SYSTEM_LIBS)
$(COPY_TESTS): $(COPY_LIBS)
$(COPY_TESTS): private LDADD = $(FIRST) $(COPY_LIBS) $(SYSTEM_LIBS)
$(FLOW_TESTS) $(FLOW_HELPERS): $(FLOW_LIBS)
$(FLOW_TESTS) $(FLOW_HELPERS): private LDADD = -Wl,--as-needed $(FIRST) $(FLOW_LIBS) $(SYSTEM_LIBS)
$(PRM_TESTS): $(PRM_LIBS)
$(PRM_TESTS): private LDADD = -Wl,--as-needed $(FIRST) $(PRM_LIBS) $(SYSTEM_LIBS)

# Builds the tests that TESTS names, without the other programs, and runs them. A script's programs are those whose
# paths it has.
SCRIPTS_RUN = $(shell grep -ohE 'tests/[a-z]+/[a-z_0-9]+' /dev/null $(addprefix $(srcdir)/,$(filter %.sh %.pl,$(TESTS))))
check-one:
	$(if $(filter command%,$(origin TESTS)),,$(error name the test: make check-one TESTS=tests/unit/ring_sq))
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) check check_PROGRAMS='$(filter $(TESTS) $(SCRIPTS_RUN),$(check_PROGRAMS))'
.PHONY: check-one need-cmocka

# All tests or none: half of them would pass for a check.
if !HAVE_CMOCKA
$(check_PROGRAMS) $(check_LIBRARIES): need-cmocka
need-cmocka:
	@echo "make check needs cmocka: install libcmocka-dev and run configure again" >&2; exit 1
endif
