# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += \
	src/sim/steer/hash.c \
	src/sim/steer/modify.c \
	src/sim/steer/modify.h \
	src/sim/steer/packet.c \
	src/sim/steer/packet.h \
	src/sim/steer/params.c \
	src/sim/steer/params.h \
	src/sim/steer/parse.h \
	src/sim/steer/priv.h \
	src/sim/steer/rewrite.c \
	src/sim/steer/ste1.h \
	src/sim/steer/ste_action.c \
	src/sim/steer/steer.c \
	src/sim/steer/steer.h \
	src/sim/steer/tag1.c \
	src/sim/steer/tunnel.c \
	src/sim/steer/walk.c
