/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_FLOW_H
#define KERNEL_FLOW_H

#include "kernel/core/room.h"

/* Flows of verbs and DevX, and the tables that they live in. Other rooms use none of its objects. */
extern const struct kernel_room flow_room;

#endif
