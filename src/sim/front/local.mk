# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/front/kernel.h src/sim/front/methods.h src/sim/front/methods.c
