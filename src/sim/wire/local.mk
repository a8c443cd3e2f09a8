# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/wire/wire.h src/sim/base/frame.h \
	src/sim/wire/loop.c \
	src/sim/base/frame.c
