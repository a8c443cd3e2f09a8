# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/host/mm.h src/sim/host/uar.h 
