# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += \
	src/sim/transport/net.c \
	src/sim/transport/net.h \
	src/sim/transport/packet.c \
	src/sim/transport/packet.h \
	src/sim/transport/roce.c \
	src/sim/transport/roce.h \
	src/sim/transport/rc/rc.h \
	src/sim/transport/rc/rc_req.c \
	src/sim/transport/rc/rc_resp.c \
	src/sim/transport/rc/self.c
