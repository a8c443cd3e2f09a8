# SPDX-License-Identifier: BSD-2-Clause
# The chip as one convenience library; the preload and the server are two ways to start it.
noinst_LTLIBRARIES += libsim.la
libsim_la_SOURCES = src/sim/chip.c src/sim/chip.h src/sim/datapath.h
libsim_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)/src/sim
libsim_la_LIBADD = src/prm/libprm.la
libsim_la_CFLAGS = $(AM_CFLAGS)

include src/sim/base/local.mk
include src/sim/host/local.mk
include src/sim/obj/local.mk
include src/sim/fw/local.mk
include src/sim/dp/local.mk
include src/sim/net/local.mk
include src/sim/wire/local.mk
include src/sim/front/local.mk
