# SPDX-License-Identifier: BSD-2-Clause
# Programs on rdma-core alone, as anybody writes them.
VERBS_TESTS += tests/verbs/verbs_cq tests/verbs/ud_verbs tests/verbs/raw_verbs tests/verbs/raw_rss \
	tests/verbs/verbs_tunnels tests/verbs/verbs_srq tests/verbs/dm_op tests/verbs/imports \
	tests/verbs/dmabuf tests/verbs/odp
VERBS_HELPERS += tests/verbs/raw_stream tests/verbs/verbs_flow
dist_check_SCRIPTS += tests/verbs/raw_death.sh tests/verbs/verbs_flow.sh
tests_librigs_a_SOURCES += tests/verbs/verbs_qp.c tests/verbs/verbs_qp.h tests/verbs/raw_end.c \
	tests/verbs/raw_end.h tests/verbs/verbs_self.c tests/verbs/verbs_self.h
