# SPDX-License-Identifier: BSD-2-Clause
# Messages between programs and the server: a library of its own, as tools/dvx-sim needs nothing else.
noinst_LTLIBRARIES += src/sim/link/liblink.la
src_sim_link_liblink_la_SOURCES = src/sim/link/link.h src/sim/link/link.c \
	src/sim/link/client.c src/sim/link/msg.h src/sim/link/msg.c \
	src/sim/link/cm_msg.h src/sim/link/cm_msg.c
src_sim_link_liblink_la_CPPFLAGS = $(libsim_la_CPPFLAGS)
libsim_la_LIBADD += src/sim/link/liblink.la
