# SPDX-License-Identifier: BSD-2-Clause
bin_PROGRAMS += tools/dvx-copy/dvx-copy
tools_dvx_copy_dvx_copy_SOURCES = \
	tools/dvx-copy/dvx-copy.h tools/dvx-copy/main.c tools/dvx-copy/refused.def tools/dvx-copy/cmd_copy.c \
	tools/dvx-copy/cmd_serve.c tools/dvx-copy/engine/device.c tools/dvx-copy/engine/device.h \
	tools/dvx-copy/engine/export.c tools/dvx-copy/engine/fetch.c
tools_dvx_copy_dvx_copy_LDADD = tools/dvx-copy/libcopy.la tools/cli/libcli.la src/lib/libdvx.la

# All but the device and main: the unit tests bring a device of their own.
noinst_LTLIBRARIES += tools/dvx-copy/libcopy.la
tools_dvx_copy_libcopy_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/tools/dvx-copy
tools_dvx_copy_dvx_copy_CPPFLAGS = $(tools_dvx_copy_libcopy_la_CPPFLAGS) $(JANSSON_CFLAGS)
tools_dvx_copy_libcopy_la_CFLAGS = $(AM_CFLAGS) $(NETTLE_CFLAGS) $(GNUTLS_CFLAGS) $(JANSSON_CFLAGS)
tools_dvx_copy_libcopy_la_LIBADD = tools/cli/libcli.la $(NETTLE_LIBS) $(GNUTLS_LIBS) $(JANSSON_LIBS) -lpthread
tools_dvx_copy_libcopy_la_SOURCES = \
	tools/dvx-copy/engine/engine.h tools/dvx-copy/engine/way.c tools/dvx-copy/engine/way.h \
	tools/dvx-copy/client.c tools/dvx-copy/client.h tools/dvx-copy/gate.c \
	tools/dvx-copy/gate.h tools/dvx-copy/serve.c tools/dvx-copy/serve.h \
	tools/dvx-copy/session.c

# Under all of them.
tools_dvx_copy_libcopy_la_SOURCES += \
	tools/dvx-copy/base/account.c tools/dvx-copy/base/account.h tools/dvx-copy/base/acl.c \
	tools/dvx-copy/base/acl.h tools/dvx-copy/base/alive.h tools/dvx-copy/base/bwlimit.c \
	tools/dvx-copy/base/bwlimit.h tools/dvx-copy/base/bytes.h tools/dvx-copy/base/confine.c \
	tools/dvx-copy/base/confine.h tools/dvx-copy/base/digest.c tools/dvx-copy/base/digest.h \
	tools/dvx-copy/base/fault.c tools/dvx-copy/base/fault.h tools/dvx-copy/base/filter.c \
	tools/dvx-copy/base/filter.h tools/dvx-copy/base/idmap.c tools/dvx-copy/base/idmap.h \
	tools/dvx-copy/base/only.c tools/dvx-copy/base/only.h tools/dvx-copy/base/options.h \
	tools/dvx-copy/base/path.c tools/dvx-copy/base/path.h tools/dvx-copy/base/pool.c tools/dvx-copy/base/pool.h \
	tools/dvx-copy/base/report.c tools/dvx-copy/base/report.h tools/dvx-copy/base/verdict.c \
	tools/dvx-copy/base/verdict.h tools/dvx-copy/base/wild.c tools/dvx-copy/base/wild.h \
	tools/dvx-copy/base/workers.c tools/dvx-copy/base/workers.h

# What travels: addresses, keys, frames, messages.
tools_dvx_copy_libcopy_la_SOURCES += \
	tools/dvx-copy/wire/access.c tools/dvx-copy/wire/access.h tools/dvx-copy/wire/handshake.c \
	tools/dvx-copy/wire/key.c tools/dvx-copy/wire/key.h tools/dvx-copy/wire/link.c tools/dvx-copy/wire/link.h \
	tools/dvx-copy/wire/msg.c tools/dvx-copy/wire/msg.h tools/dvx-copy/wire/net.c tools/dvx-copy/wire/net.h \
	tools/dvx-copy/wire/role.c tools/dvx-copy/wire/role.h tools/dvx-copy/wire/secure.c \
	tools/dvx-copy/wire/secure.h

# The role that reads.
tools_dvx_copy_libcopy_la_SOURCES += \
	tools/dvx-copy/source/list.c tools/dvx-copy/source/pack.c tools/dvx-copy/source/resolve.c \
	tools/dvx-copy/source/resolve.h tools/dvx-copy/source/sender.c tools/dvx-copy/source/sender.h \
	tools/dvx-copy/source/walk.c tools/dvx-copy/source/walk.h

# The role that writes.
tools_dvx_copy_libcopy_la_SOURCES += \
	tools/dvx-copy/dest/begin.c tools/dvx-copy/dest/commit.c tools/dvx-copy/dest/delete.c \
	tools/dvx-copy/dest/dest.c tools/dvx-copy/dest/dest.h tools/dvx-copy/dest/entry_fault.c \
	tools/dvx-copy/dest/file.c tools/dvx-copy/dest/handle.c tools/dvx-copy/dest/hard.c \
	tools/dvx-copy/dest/intake.c tools/dvx-copy/dest/intake.h tools/dvx-copy/dest/meta.c \
	tools/dvx-copy/dest/node.c tools/dvx-copy/dest/receiver.c tools/dvx-copy/dest/receiver.h \
	tools/dvx-copy/dest/seen.c tools/dvx-copy/dest/temp.c tools/dvx-copy/dest/write.c \
	tools/dvx-copy/dest/xattr.c

dist_man_MANS += doc/man/dvx-copy.1

nodist_systemdunit_DATA += tools/dvx-copy/systemd/dvx-copy@.service
tools/dvx-copy/systemd/dvx-copy@.service: tools/dvx-copy/systemd/dvx-copy@.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed 's|@bindir[@]|$(bindir)|' $(srcdir)/$@.in >$@
CLEANFILES += tools/dvx-copy/systemd/dvx-copy@.service
EXTRA_DIST += tools/dvx-copy/systemd/dvx-copy@.service.in
dist_sysusers_DATA = tools/dvx-copy/systemd/dvx-copy.conf
