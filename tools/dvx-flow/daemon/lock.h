/* SPDX-License-Identifier: BSD-2-Clause */
/* One daemon for each device, whatever its socket. */
#ifndef DVX_FLOW_LOCK_H
#define DVX_FLOW_LOCK_H

#include "fault.h"

/*
 * Returns a descriptor that locks the device until it is closed or the process ends, or -1 with the
 * fault.
 */
int device_lock(const char *device, struct flow_fault *f);

#endif
