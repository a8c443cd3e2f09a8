# SPDX-License-Identifier: BSD-2-Clause
EXTRA_DIST += examples/first-light
noinst_PROGRAMS += examples/post_poll
examples_post_poll_LDADD = src/lib/libdvx.la
