# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/net/net.h \
	src/sim/net/net.c \
	src/sim/net/packet.c \
	src/sim/net/packet.h \
	src/sim/net/rc.h \
	src/sim/net/roce.c \
	src/sim/net/roce.h \
	src/sim/net/rc_req.c \
	src/sim/net/rc_resp.c \
	src/sim/net/self.c
