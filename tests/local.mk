# SPDX-License-Identifier: BSD-2-Clause
# TAP everywhere: automake's tap-driver reads it, tests/tap-run mends cmocka's skips and adds the time that a test took,
# tests/tap-fold makes one line of a test's results.
# Each folder lists its programs by the libraries that they are linked with, and its scripts
# (dist_check_SCRIPTS): all of these are tests, except what is only in check_PROGRAMS.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/tests/tap-fold $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
# A test that hangs ends after a quarter of an hour; none needs a tenth of that. Soaks of check long take minutes.
TEST_LIMIT = timeout -k 10 $(if $(DVX_TEST_LONG),3600,900)
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
ALONE_TESTS = tests/chip/onecpu.sh
# What takes longest begins first: else a run waits for it at its end, with a processor idle.
FIRST_TESTS = tests/interop/rdma_core.sh tests/perf/steer.sh tests/lib/aarch64.sh tests/interop/perftest.sh tests/host/share.sh \
	tests/perf/goals.sh tests/interop/capture.sh tests/perf/crowd.sh tests/flow/flow_icm.sh tests/flow/explain_walks.sh
SHARED_TESTS = $(FIRST_TESTS) $(filter-out $(ALONE_TESTS) $(FIRST_TESTS),$(PROGRAM_TESTS) $(dist_check_SCRIPTS) $(TUTORIAL_PAGES))
# ./quickstart check runs a test once, check long in each build. Sanitized, a program starts in the time of ten: check has
# compiled tests so, and of the scripts those of edits, of dvx-flow's daemon, of a network that tampers and of faults.
SCRIPTS_SANITIZED = tests/flow/edit.sh tests/flow/batch.sh tests/copy/network.sh tests/lab/fault.sh
ASAN_TESTS = $(SCRIPTS_SANITIZED) $(filter-out tests/flow/rules_compile tests/flow/rules_acl tests/prm/accessors,$(PROGRAM_TESTS))
# A sanitized build has nothing to find where sources are read, and compilers and other tools are run. flow_icm.sh
# waits a minute for memory to be filled by libmlx5, whose code has no sanitizer.
ASAN_LONG_TESTS = $(filter-out $(ASAN_TESTS) \
	tests/tree/packages.pl tests/tree/attr_list.pl tests/tree/quickstart.sh tests/tree/layers.pl tests/tree/names.pl tests/tree/docs.pl tests/prm/gen.pl \
	tests/prm/witness.pl tests/prm/asm.sh tests/prm/export.py tests/prm/pages.py tests/lib/barriers.sh \
	tests/tree/headers.sh tests/tree/symbols.sh tests/tree/manpages.sh tests/lib/aarch64.sh tests/tree/platforms.sh \
	tests/interop/capture.sh tests/flow/flow_icm.sh tests/tree/ci_recipe.sh tests/abi/% tests/perf/% tests/tutorial/% doc/tutorial/%,$(SHARED_TESTS))
ASAN_BUILDS = $(addsuffix $(EXEEXT),tools/dvx-sim/dvx-sim tools/dvx-flow/dvx-flow tools/dvx-copy/dvx-copy)
# Both: libdvx's rings and calls as users have them. Moving pages is for TSan.
TWICE_TESTS = $(filter-out tests/lib/lib_rules tests/lib/lib_flow tests/lib/flow_tags,$(filter tests/lib/% tests/golden/%,$(ASAN_TESTS)))
PLAIN_TESTS = $(filter-out tests/host/share.sh $(filter-out $(TWICE_TESTS),$(ASAN_TESTS)),$(SHARED_TESTS))
# For ./quickstart check fast, the loop while writing: all programs that need no device but those that take seconds, a test
# on the device of each tool, of libdvx and of the preload, and a program of others.
FAST_COMPILED = $(filter-out tests/fuzz/% $(SLOW_TESTS) $(DEVICE_TESTS),$(PROGRAM_TESTS)) \
	tests/lib/lib_queues tests/lib/lib_objects tests/chip/link_hostile
FAST_TESTS = tests/tools/perf.sh tests/copy/refuse.sh tests/flow/flow_rules.sh tests/interop/pingpong.sh \
	tests/tools/info.sh tests/prm/dvx_prm.sh tests/chip/cli.sh tests/preload/hooks.sh tests/prm/gen.pl \
	tests/tree/layers.pl tests/tree/names.pl tests/tree/docs.pl tests/tree/symbols.sh $(FAST_COMPILED)
SLOW_TESTS = tests/copy/filter tests/host/share_moves
TSAN_TESTS = tests/host/share.sh tests/chip/loop tests/host/wake tests/host/lockstep tests/copy/copy_link tests/copy/workers \
	tests/chip/front.sh tests/verbs/raw_verbs tests/verbs/raw_rss tests/interop/pingpong.sh
TSAN_LONG_TESTS = tests/port/wire.sh tests/flow/flow_rules.sh tests/copy/hostile tests/copy/clients tests/lib/lib_queues tests/steer/dr_limits
TSAN_BUILDS = tools/dvx-sim/dvx-sim$(EXEEXT) $(if $(filter $(TSAN_LONG_TESTS),$(TESTS)),tools/dvx-copy/dvx-copy$(EXEEXT) tools/dvx-flow/dvx-flow$(EXEEXT))
EXTRA_DIST += tests/in-place tests/together.mk tests/tap-run tests/tap-fold tests/tap.sh tests/until.sh tests/patience.h tests/README.md tests/mutation/README.md tests/mutation/mutate.py tests/mutation/judged.tsv

# Programs on the chip's own code, on libdvx, on rdma-core alone, on dvx-copy, on dvx-flow, on dvx-prm and dvx-info.
# A *_TESTS is a test, which `dvx-sim run` starts if it is one of DEVICE_TESTS; a *_HELPERS is what a script runs.
SIM_TESTS = $(SIM_DEVICE_TESTS)
SIM_DEVICE_TESTS =
SIM_HELPERS =
LIB_TESTS = $(LIB_DEVICE_TESTS)
LIB_DEVICE_TESTS =
LIB_HELPERS =
VERBS_TESTS =
VERBS_HELPERS =
COPY_TESTS =
FLOW_TESTS =
FLOW_HELPERS =
PRM_TESTS =
DEVICE_TESTS = $(SIM_DEVICE_TESTS) $(LIB_DEVICE_TESTS) $(VERBS_TESTS)
DEVICE_LOGS = $(DEVICE_TESTS:=.log)
PROGRAM_TESTS = $(SIM_TESTS) $(LIB_TESTS) $(VERBS_TESTS) $(COPY_TESTS) $(FLOW_TESTS) $(PRM_TESTS)
CHECK_BUILDS = $(PROGRAM_TESTS) $(SIM_HELPERS) $(LIB_HELPERS) $(VERBS_HELPERS) $(FLOW_HELPERS)
check_PROGRAMS += $(CHECK_BUILDS)
TESTS += $(PROGRAM_TESTS) $(dist_check_SCRIPTS)

# The rigs of several tests and their main(); the kernel's, whose fixture has the names of the firmware's;
# the fuzz targets' main(). A program takes what it calls.
check_LIBRARIES = tests/librigs.a tests/libkernel.a tests/libreplay.a
tests_librigs_a_SOURCES = tests/main.c tests/logged.c tests/test.h tests/wrapped.h

include tests/base/local.mk
include tests/chip/local.mk
include tests/copy/local.mk
include tests/flow/local.mk
include tests/fw/local.mk
include tests/host/local.mk
include tests/kernel/local.mk
include tests/lab/local.mk
include tests/lib/local.mk
include tests/port/local.mk
include tests/preload/local.mk
include tests/prm/local.mk
include tests/queue/local.mk
include tests/steer/local.mk
include tests/tools/local.mk
include tests/tree/local.mk
include tests/verbs/local.mk
include tests/fuzz/local.mk
include tests/golden/local.mk
include tests/abi/local.mk
include tests/interop/local.mk
include tests/perf/local.mk

TOOL = -I$(top_srcdir)/tools/dvx-flow -I$(top_srcdir)/tools/dvx-prm
tests/%.$(OBJEXT): private AM_CPPFLAGS += -I$(top_srcdir)/src -I$(top_srcdir)/src/sim $(TOOL) \
	-I$(top_srcdir) -I$(top_builddir) \
	$(CMOCKA_CFLAGS) $(IBVERBS_CFLAGS) $(MLX5_CFLAGS) $(JANSSON_CFLAGS) $(NETTLE_CFLAGS) $(PCAP_CFLAGS)
# ./quickstart check compiles tests without optimisation, but for those whose rings, inline, are what they test.
tests/%.$(OBJEXT): private CFLAGS += $(TEST_CFLAGS)
tests/lib/%.$(OBJEXT) tests/golden/%.$(OBJEXT) tests/perf/%.$(OBJEXT): private TEST_CFLAGS =
$(DEVICE_LOGS): private LOG_COMPILER = $(RUN_TEST) ./tools/dvx-sim/dvx-sim run $(CHIP) --
SIM_LIBS = tests/librigs.a libsim.la
tests/kernel/%: private FIRST = tests/libkernel.a
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

# make check TESTS=... builds the programs among these tests, and those whose paths their scripts have.
TESTS_NAMED = $(if $(filter command%,$(origin TESTS)),$(TESTS))
SCRIPTS_RUN = $(shell grep -ohE 'tests/[a-z]+/[a-z_0-9]+' /dev/null $(addprefix $(srcdir)/,$(filter %.sh %.pl,$(TESTS))))
NARROWED := $(eval check_PROGRAMS = $$(if $$(TESTS_NAMED),$$(filter $$(TESTS) $$(SCRIPTS_RUN),$$(CHECK_BUILDS)),$$(CHECK_BUILDS)))
# The same programs, to be run later.
.PHONY: test-programs
test-programs: all
	@$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS) $(check_LIBRARIES)
# A failed test's log is printed once, at the end.
check-T%: export VERBOSE = 1
.PHONY: need-cmocka

# All tests or none: half of them would pass for a check.
if !HAVE_CMOCKA
$(check_PROGRAMS) $(check_LIBRARIES): need-cmocka
need-cmocka:
	@echo "make check needs cmocka: install libcmocka-dev and run configure again" >&2; exit 1
endif
