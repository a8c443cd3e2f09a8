/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_CMD_H
#define KERNEL_CMD_H

#include <stddef.h>
#include "obj/vhca.h"

/* Runs a command mailbox; returns its status as -errno (mlx5_core's table). */
int mbox_exec(struct vhca *, const void *in, size_t in_len, void *out, size_t out_len);
/* Runs a DESTROY or DEALLOC command: all of them have the object's number at byte 8. */
int mbox_destroy(struct vhca *, uint16_t opcode, uint16_t uid, uint32_t number);
/* Runs ALLOC_Q_COUNTER for the kernel itself, with FW_UID_SHARED. */
int mbox_alloc_q_counter(struct vhca *, uint32_t *set);
int mbox_errno(const void *out);

#endif
