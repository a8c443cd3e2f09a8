# SPDX-License-Identifier: BSD-2-Clause
# The chip as one convenience library; the preload and the server are two ways to start it.
noinst_LTLIBRARIES += libsim.la
libsim_la_SOURCES = src/sim/chip.c src/sim/chip.h src/sim/datapath.h src/sim/datapath.c \
	src/sim/replay.h src/sim/replay.c src/sim/capture.h src/sim/capture.c
libsim_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)/src/sim
libsim_la_LIBADD = src/prm/libprm.la
libsim_la_CFLAGS = $(AM_CFLAGS)

include src/sim/base/local.mk
include src/sim/host/local.mk
include src/sim/obj/local.mk
include src/sim/fw/local.mk
include src/sim/dp/local.mk
include src/sim/net/local.mk
include src/sim/steer/local.mk
include src/sim/wire/local.mk
include src/sim/front/local.mk

# What LD_PRELOAD loads: the client half, and a whole chip for programs without a server.
pkglib_LTLIBRARIES += src/sim/libdvx-sim.la
src_sim_libdvx_sim_la_SOURCES = src/sim/preload.c src/sim/embedded.h src/sim/embedded.c
src_sim_libdvx_sim_la_CPPFLAGS = $(libsim_la_CPPFLAGS)
src_sim_libdvx_sim_la_LIBADD = libsim.la
src_sim_libdvx_sim_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-Wl,--version-script=$(top_srcdir)/src/sim/libdvx-sim.map
src_sim_libdvx_sim_la_DEPENDENCIES = libsim.la src/sim/libdvx-sim.map
EXTRA_DIST += src/sim/libdvx-sim.map

# dvx-sim starts it; one process is one chip.
pkglibexec_PROGRAMS = src/sim/dvx-sim-server
src_sim_dvx_sim_server_SOURCES = src/sim/server.c src/sim/census.h src/sim/census.c
src_sim_dvx_sim_server_CPPFLAGS = $(libsim_la_CPPFLAGS)
src_sim_dvx_sim_server_LDADD = libsim.la

include src/sim/front/program/local.mk
