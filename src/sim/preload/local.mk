# SPDX-License-Identifier: BSD-2-Clause
# What LD_PRELOAD loads: the half that lives in the program.
pkglib_LTLIBRARIES += src/sim/libdvx-sim.la
src_sim_libdvx_sim_la_SOURCES = \
	src/sim/preload/client.h src/sim/preload/client.c \
	src/sim/preload/client_priv.h src/sim/preload/client_map.c \
	src/sim/preload/byte_access.h src/sim/preload/byte_access.c \
	src/sim/preload/cm_client.c \
	src/sim/preload/dm_op.h src/sim/preload/dm_op.c \
	src/sim/preload/madvise.h src/sim/preload/madvise.c \
	src/sim/preload/ticket_lock.h src/sim/preload/ticket_lock.c \
	src/sim/preload/flatten.c \
	src/sim/preload/hooks.h src/sim/preload/hooks_dir.c \
	src/sim/preload/hooks_fd.c \
	src/sim/preload/hooks_netlink.c \
	src/sim/preload/hooks_open.c \
	src/sim/preload/hooks_path.c \
	src/sim/preload/hooks_signal.c \
	src/sim/preload/hooks_stat.c \
	src/sim/preload/move_budget.h src/sim/preload/page_move.h src/sim/preload/page_move.c \
	src/sim/preload/pieces.h src/sim/preload/pieces.c \
	src/sim/preload/paths.h src/sim/preload/paths.c \
	src/sim/preload/preload.c \
	src/sim/preload/real.h src/sim/preload/real.c \
	src/sim/preload/share.h src/sim/preload/share.c \
	src/sim/preload/share_fork.h src/sim/preload/share_fork.c \
	src/sim/preload/cfile.h src/sim/preload/cfile.c
src_sim_libdvx_sim_la_CPPFLAGS = $(libsim_la_CPPFLAGS)
src_sim_libdvx_sim_la_LIBADD = libcommon.la src/sim/link/liblink.la src/uverbs/libuverbs.la
src_sim_libdvx_sim_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-Wl,--version-script=$(top_srcdir)/src/sim/preload/libdvx-sim.map
src_sim_libdvx_sim_la_DEPENDENCIES = $(src_sim_libdvx_sim_la_LIBADD) src/sim/preload/libdvx-sim.map
EXTRA_DIST += src/sim/preload/libdvx-sim.map
# The fuzzer and a unit test feed netlink.c.
libcommon_la_SOURCES += src/sim/preload/netlink.c src/sim/preload/netlink.h \
	src/sim/preload/netlink_priv.h src/sim/preload/netlink_reply.c src/sim/preload/netlink_resources.c \
	src/sim/preload/netlink_devlink.c src/sim/preload/netlink_route.c
