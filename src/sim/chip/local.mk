# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += \
	src/sim/chip/census.c \
	src/sim/chip/census_drops.c \
	src/sim/chip/chip.c \
	src/sim/chip/chip.h \
	src/sim/chip/datapath.c \
	src/sim/chip/datapath.h \
	src/sim/chip/mads.c \
	src/sim/chip/mads.h \
	src/sim/chip/netdev.c \
	src/sim/chip/netdev.h \
	src/sim/chip/rtnetlink.c \
	src/sim/chip/rtnetlink.h \
	src/sim/chip/session.h \
	src/sim/chip/session_answer.c \
	src/sim/chip/session_check.c \
	src/sim/chip/session_device.c \
	src/sim/chip/session_inject.c \
	src/sim/chip/session_packets.c \
	src/sim/chip/session_stat.c src/sim/chip/session_why.c \
	src/sim/chip/session_wire.c \
	src/sim/chip/sessions.c \
	src/sim/chip/trace.c \
	src/sim/chip/trace.h \
	src/sim/chip/tree.c \
	src/sim/chip/tree.h \
	src/sim/chip/wire_wait.c \
	src/sim/chip/wire_wait.h

# dvx-sim starts it; one process is one chip.
pkglibexec_PROGRAMS = src/sim/dvx-sim-server
src_sim_dvx_sim_server_SOURCES = src/sim/chip/server.c \
	src/sim/chip/watchdog.c src/sim/chip/watchdog.h
src_sim_dvx_sim_server_CPPFLAGS = $(libsim_la_CPPFLAGS)
src_sim_dvx_sim_server_LDADD = libsim.la
