# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += \
	src/sim/transport/atomic.c \
	src/sim/transport/atomic.h \
	src/sim/transport/av.c \
	src/sim/transport/av.h \
	src/sim/transport/bth.c \
	src/sim/transport/bth.h \
	src/sim/transport/gsi.c \
	src/sim/transport/gsi.h \
	src/sim/transport/message.c \
	src/sim/transport/message.h \
	src/sim/transport/roce_port.c \
	src/sim/transport/roce_port.h \
	src/sim/transport/sched.c \
	src/sim/transport/sched.h \
	src/sim/transport/sender.c \
	src/sim/transport/sender.h \
	src/sim/transport/shape.c \
	src/sim/transport/shape.h \
	src/sim/transport/transport.c \
	src/sim/transport/transport.h \
	src/sim/transport/dc/dc.h \
	src/sim/transport/dc/dci.c \
	src/sim/transport/dc/dct.c \
	src/sim/transport/raw/csum.c \
	src/sim/transport/raw/raw.h \
	src/sim/transport/raw/raw_recv.c \
	src/sim/transport/raw/raw_send.c \
	src/sim/transport/raw/rss.c \
	src/sim/transport/rc/rc.c \
	src/sim/transport/rc/rc.h \
	src/sim/transport/rc/rc_req.c \
	src/sim/transport/rc/rc_resp.c \
	src/sim/transport/rc/direct.c \
	src/sim/transport/rc/direct_copy.c \
	src/sim/transport/uc/uc.c \
	src/sim/transport/ud/ud.c
