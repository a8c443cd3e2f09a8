# SPDX-License-Identifier: BSD-2-Clause
# What libdvx writes, byte for byte beside what libmlx5 writes for the same request.
# The kept vectors come from `dvx-sim run -- tests/golden/verbs tests/golden/wqe`.
EXTRA_DIST += tests/golden/cases.h tests/golden/wqe
dist_check_SCRIPTS += tests/golden/verbs.sh tests/golden/verbs_l2.sh
check_PROGRAMS += tests/golden/vectors tests/golden/verbs
TESTS += tests/golden/vectors tests/golden/verbs.sh tests/golden/verbs_l2.sh
GOLDEN_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)
tests_golden_vectors_SOURCES = tests/golden/vectors.c tests/golden/cases.c
tests_golden_vectors_CPPFLAGS = $(GOLDEN_CPPFLAGS)
tests_golden_vectors_LDADD = src/lib/libdvx.la src/prm/libprm.la $(CMOCKA_LIBS)
tests_golden_verbs_SOURCES = tests/golden/verbs.c tests/golden/cases.c
tests_golden_verbs_CPPFLAGS = $(GOLDEN_CPPFLAGS)
tests_golden_verbs_LDADD = src/lib/libdvx.la src/prm/libprm.la $(MLX5_LIBS) $(IBVERBS_LIBS) $(CMOCKA_LIBS)
