# SPDX-License-Identifier: BSD-2-Clause
# Programs that we did not write, as Debian ships them.
EXTRA_DIST += tests/interop/pair.sh
dist_check_SCRIPTS += tests/interop/pingpong.sh tests/interop/perftest.sh
TESTS += tests/interop/pingpong.sh tests/interop/perftest.sh
dist_check_SCRIPTS += tests/interop/pyverbs.sh
TESTS += tests/interop/pyverbs.sh
EXTRA_DIST += tests/interop/suite.py
dist_check_SCRIPTS += tests/interop/steering.sh
TESTS += tests/interop/steering.sh
EXTRA_DIST += tests/interop/icrc.py
dist_check_SCRIPTS += tests/interop/capture.sh
TESTS += tests/interop/capture.sh
dist_check_SCRIPTS += tests/interop/raw_ethernet.sh
TESTS += tests/interop/raw_ethernet.sh
dist_check_SCRIPTS += tests/interop/first_rules.sh
TESTS += tests/interop/first_rules.sh
dist_check_SCRIPTS += tests/interop/counters.sh
TESTS += tests/interop/counters.sh
EXTRA_DIST += tests/interop/tunnels.py
dist_check_SCRIPTS += tests/interop/tunnels.sh tests/interop/tunnel_rules.sh
TESTS += tests/interop/tunnels.sh tests/interop/tunnel_rules.sh
check_PROGRAMS += tests/interop/parse_show
tests_interop_parse_show_CPPFLAGS = $(FW_CPPFLAGS)
tests_interop_parse_show_LDADD = libsim.la
