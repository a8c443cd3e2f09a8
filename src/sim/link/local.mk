# SPDX-License-Identifier: BSD-2-Clause
# The link itself is a library of its own: tools/dvx-sim needs nothing else. Its server end is part of
# the chip's library.
noinst_LTLIBRARIES += src/sim/link/liblink.la
src_sim_link_liblink_la_SOURCES = src/sim/link/link.h src/sim/link/link.c \
	src/sim/link/client.c
src_sim_link_liblink_la_CPPFLAGS = $(libsim_la_CPPFLAGS)

libsim_la_SOURCES += src/sim/link/conn.h src/sim/link/port.c \
	src/sim/link/msg.h src/sim/link/msg.c \
	src/sim/link/server.h src/sim/link/server.c
libsim_la_LIBADD += src/sim/link/liblink.la
