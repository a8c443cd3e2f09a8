# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += \
	src/sim/port/capture.c \
	src/sim/port/capture.h \
	src/sim/port/fault.c \
	src/sim/port/fault.h \
	src/sim/port/fault_rates.c \
	src/sim/port/fault_rates.h \
	src/sim/port/frame.c \
	src/sim/port/frame.h \
	src/sim/port/loop.c \
	src/sim/port/loop.h \
	src/sim/port/neighbour.c \
	src/sim/port/neighbour.h \
	src/sim/port/neighbour_msg.c \
	src/sim/port/neighbour_msg.h \
	src/sim/port/packets.h \
	src/sim/port/peer.c \
	src/sim/port/peer.h \
	src/sim/port/port.c \
	src/sim/port/port.h \
	src/sim/port/replay.c \
	src/sim/port/replay.h \
	src/sim/port/roce.c \
	src/sim/port/roce.h \
	src/sim/port/tap.c \
	src/sim/port/tap.h \
	src/sim/port/tap_wire.c \
	src/sim/port/tap_wire.h \
	src/sim/port/udp.c \
	src/sim/port/udp.h \
	src/sim/port/udp_frame.c \
	src/sim/port/udp_frame.h \
	src/sim/port/udp_out.c \
	src/sim/port/udp_out.h \
	src/sim/port/udp_socket.c \
	src/sim/port/udp_socket.h \
	src/sim/port/wire.h
