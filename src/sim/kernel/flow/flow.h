/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_FLOW_H
#define KERNEL_FLOW_H

#include "kernel/core/room.h"

/* Flows of verbs and mlx5dv, and the flow tables that hold them. */
extern const struct kernel_room flow_room;

#endif
