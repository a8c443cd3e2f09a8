# SPDX-License-Identifier: BSD-2-Clause
# The uverbs ABI: the program's side flattens by it, the kernel's side answers by it.
noinst_LTLIBRARIES += src/uverbs/libuverbs.la
src_uverbs_libuverbs_la_SOURCES = src/uverbs/schema.h src/uverbs/schema.c src/uverbs/dm_op.h \
	src/uverbs/ib_qp.h src/uverbs/resource.h src/uverbs/request.h src/uverbs/request.c src/uverbs/ucma.h src/uverbs/ucma.c
src_uverbs_libuverbs_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src
