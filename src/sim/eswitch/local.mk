# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += \
	src/sim/eswitch/eswitch.c \
	src/sim/eswitch/eswitch.h \
	src/sim/eswitch/fdb.c \
	src/sim/eswitch/legacy.c \
	src/sim/eswitch/priv.h
