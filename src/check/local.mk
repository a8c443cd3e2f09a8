# SPDX-License-Identifier: BSD-2-Clause
# What dvx-check preloads: it stands between a program and libibverbs, on a NIC as on dvx-sim.
pkglib_LTLIBRARIES += src/check/libdvx-check.la
src_check_libdvx_check_la_SOURCES = src/check/kinds.def src/check/kinds.h src/check/watch.h src/check/ah.c \
	src/check/context.c src/check/count.c src/check/count.h src/check/cq.c src/check/devx.c src/check/event.c src/check/exact.c src/check/fork.c src/check/free.c src/check/guard.c \
	src/check/memory.c src/check/mr.c src/check/place.c src/check/poll.c src/check/poll_ex.c src/check/post.c \
	src/check/post_ex.c src/check/qp.c src/check/real.c src/check/receive.c src/check/record.c src/check/report.c src/check/ring.c \
	src/check/srq.c src/check/table.c src/check/use.c src/check/wait.c
# It calls none of rdma-core's functions by name.
src_check_libdvx_check_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src $(IBVERBS_CFLAGS)
src_check_libdvx_check_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
src_check_libdvx_check_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared
src_check_libdvx_check_la_LIBADD = src/record/librecord.la
