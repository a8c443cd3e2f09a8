# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/obj/cq.h src/sim/obj/mkey.h src/sim/obj/obj.h src/sim/obj/qp.h src/sim/obj/ring.h src/sim/obj/vhca.h 
