# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += \
	src/sim/port/frame.c \
	src/sim/port/frame.h \
	src/sim/port/loop.c \
	src/sim/port/wire.h
