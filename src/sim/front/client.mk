# SPDX-License-Identifier: BSD-2-Clause
# The link's server end is part of the chip's library; the link itself is a library of its own, as
# tools/dvx-sim needs nothing else; the client half is in the preload only.
libsim_la_SOURCES += src/sim/front/sysfs.h src/sim/front/sysfs.c \
	src/sim/front/request.h src/sim/front/request.c src/sim/front/msg.h src/sim/front/msg.c \
	src/sim/front/link_server.h src/sim/front/link_server.c
libsim_la_LIBADD += src/sim/front/liblink.la

noinst_LTLIBRARIES += src/sim/front/liblink.la
src_sim_front_liblink_la_SOURCES = src/sim/front/link.h src/sim/front/link.c \
	src/sim/front/link_client.c
src_sim_front_liblink_la_CPPFLAGS = $(libsim_la_CPPFLAGS)

src_sim_libdvx_sim_la_SOURCES += src/sim/front/real.h src/sim/front/real.c \
	src/sim/front/fair.h src/sim/front/fair.c src/sim/front/client.h src/sim/front/client.c \
	src/sim/front/hooks_open.c src/sim/front/hooks_stat.c src/sim/front/hooks_fd.c \
	src/sim/front/flatten.c src/sim/front/transport_link.c
