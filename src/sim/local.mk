# SPDX-License-Identifier: BSD-2-Clause
# The chip as one convenience library, and what the program's half (preload) has, too.
noinst_LTLIBRARIES += libsim.la libcommon.la
libcommon_la_SOURCES =
libcommon_la_CPPFLAGS = $(libsim_la_CPPFLAGS)
libcommon_la_CFLAGS = $(libsim_la_CFLAGS)
libsim_la_SOURCES =
libsim_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)/src/sim
libsim_la_LIBADD = libcommon.la src/prm/libprm.la src/record/librecord.la src/uverbs/libuverbs.la $(NETTLE_LIBS)
# Nothing of it is for other objects: calls within a file can be inlined, and none goes through a table.
libsim_la_CFLAGS = $(AM_CFLAGS) $(NETTLE_CFLAGS) -fvisibility=hidden

include src/sim/base/local.mk
include src/sim/host/local.mk
include src/sim/obj/local.mk
include src/sim/port/local.mk
include src/sim/steer/local.mk
include src/sim/eswitch/local.mk
include src/sim/transport/local.mk
include src/sim/queue/local.mk
include src/sim/lab/local.mk
include src/sim/fw/local.mk
include src/sim/kernel/local.mk
include src/sim/link/local.mk
include src/sim/sysfs/local.mk
include src/sim/chip/local.mk
include src/sim/preload/local.mk
