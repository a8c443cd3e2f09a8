# SPDX-License-Identifier: BSD-2-Clause
# TAP everywhere: automake's tap-driver reads it, tests/tap-run mends cmocka's skips.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
# A test that hangs ends after a quarter of an hour; none needs a tenth of that.
TEST_LIMIT = timeout -k 10 900
LOG_COMPILER = $(TEST_LIMIT) $(SHELL) $(top_srcdir)/tests/tap-run
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(TEST_LIMIT) $(SHELL)
PL_LOG_DRIVER = $(LOG_DRIVER)
PL_LOG_COMPILER = $(TEST_LIMIT) $(PERL)
TEST_EXTENSIONS = .sh .pl
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	PERL='$(PERL)'; export PERL; CC='$(CC)'; export CC; CXX='$(CXX)'; export CXX; \
	DVX_SAN='$(DVX_SAN)'; export DVX_SAN;
# What runs in the thread-sanitizer build too (./quickstart check).
TSAN_TESTS = tests/unit/chip_loop tests/unit/host_wake tests/unit/host_lockstep tests/sim/front.sh \
	tests/sim/lib_queues.sh tests/sim/raw_verbs.sh tests/sim/raw_rss.sh tests/sim/wire.sh tests/sim/dr_limits.sh tests/sim/flow_rules.sh \
	tests/sim/share.sh tests/interop/pingpong.sh
EXTRA_DIST += tests/tap-run tests/README.md

include tests/unit/local.mk
include tests/sim/local.mk
include tests/golden/local.mk
include tests/interop/local.mk
include tests/perf/local.mk

# All tests or none: half of them would pass for a check.
if !HAVE_CMOCKA
$(check_PROGRAMS) $(check_LTLIBRARIES): need-cmocka
.PHONY: need-cmocka
need-cmocka:
	@echo "make check needs cmocka: install libcmocka-dev and run configure again" >&2; exit 1
endif
