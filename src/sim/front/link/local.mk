# SPDX-License-Identifier: BSD-2-Clause
# The link itself is a library of its own: tools/dvx-sim needs nothing else. Its server end is part of
# the chip's library.
noinst_LTLIBRARIES += src/sim/front/link/liblink.la
src_sim_front_link_liblink_la_SOURCES = src/sim/front/link/link.h src/sim/front/link/link.c \
	src/sim/front/link/client.c
src_sim_front_link_liblink_la_CPPFLAGS = $(libsim_la_CPPFLAGS)

libsim_la_SOURCES += src/sim/front/link/request.h src/sim/front/link/request.c \
	src/sim/front/link/conn.h src/sim/front/link/port.c \
	src/sim/front/link/msg.h src/sim/front/link/msg.c \
	src/sim/front/link/server.h src/sim/front/link/server.c
libsim_la_LIBADD += src/sim/front/link/liblink.la
