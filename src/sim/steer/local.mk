# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/steer/steer.h src/sim/steer/packet.h
