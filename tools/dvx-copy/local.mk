# SPDX-License-Identifier: BSD-2-Clause
bin_PROGRAMS += tools/dvx-copy/dvx-copy
tools_dvx_copy_dvx_copy_SOURCES = tools/dvx-copy/dvx-copy.h tools/dvx-copy/main.c \
	tools/dvx-copy/cmd_pull.c tools/dvx-copy/cmd_serve.c \
	tools/dvx-copy/engine_device.c tools/dvx-copy/engine_device.h \
	tools/dvx-copy/engine_dma.c tools/dvx-copy/engine_export.c
tools_dvx_copy_dvx_copy_LDADD = tools/dvx-copy/libcopy.la tools/cli/libcli.la src/lib/libdvx.la

# All but the device and main: the unit tests bring a device of their own.
noinst_LTLIBRARIES += tools/dvx-copy/libcopy.la
tools_dvx_copy_libcopy_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)
tools_dvx_copy_dvx_copy_CPPFLAGS = $(tools_dvx_copy_libcopy_la_CPPFLAGS) $(JANSSON_CFLAGS)
tools_dvx_copy_libcopy_la_CFLAGS = $(AM_CFLAGS) $(NETTLE_CFLAGS) $(JANSSON_CFLAGS)
tools_dvx_copy_libcopy_la_LIBADD = tools/cli/libcli.la $(NETTLE_LIBS) $(JANSSON_LIBS) -lpthread
tools_dvx_copy_libcopy_la_SOURCES = \
	tools/dvx-copy/auth.c tools/dvx-copy/auth.h tools/dvx-copy/key.c \
	tools/dvx-copy/dest.c tools/dvx-copy/dest.h \
	tools/dvx-copy/dest_file.c \
	tools/dvx-copy/engine.h \
	tools/dvx-copy/fault.c tools/dvx-copy/fault.h \
	tools/dvx-copy/gate.c tools/dvx-copy/gate.h \
	tools/dvx-copy/handshake.c tools/dvx-copy/link.c tools/dvx-copy/link.h \
	tools/dvx-copy/msg.c tools/dvx-copy/msg.h \
	tools/dvx-copy/net.c tools/dvx-copy/net.h \
	tools/dvx-copy/pool.c tools/dvx-copy/pool.h \
	tools/dvx-copy/pull.c tools/dvx-copy/pull.h \
	tools/dvx-copy/report.c tools/dvx-copy/report.h \
	tools/dvx-copy/resolve.c tools/dvx-copy/tree.c tools/dvx-copy/tree.h \
	tools/dvx-copy/send.c tools/dvx-copy/send.h \
	tools/dvx-copy/serve.c tools/dvx-copy/serve.h \
	tools/dvx-copy/session.c tools/dvx-copy/session.h \
	tools/dvx-copy/target.c tools/dvx-copy/target.h

dist_man_MANS += doc/man/dvx-copy.1
EXTRA_DIST += doc/design/0010-dvx-copy.md
