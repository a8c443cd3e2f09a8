# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/net/net.h
