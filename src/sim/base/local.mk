# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/base/clock.h src/sim/base/log.h 
