/* SPDX-License-Identifier: BSD-2-Clause */
/* One daemon for each device, wherever each keeps its socket. */
#ifndef DVX_FLOW_LOCK_H
#define DVX_FLOW_LOCK_H

#include "fault.h"

/* A descriptor that holds the device until it is closed, however we end; else -1 and the fault. */
int device_lock(const char *device, struct flow_fault *f);

#endif
