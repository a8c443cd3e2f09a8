/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_CMD_H
#define KERNEL_CMD_H

#include <stddef.h>
#include "obj/vhca.h"

/* Writes opcode and uid, which all commands have in the same place. */
void mbox_begin(void *in, uint16_t opcode, uint16_t uid);
/* Runs a command mailbox; returns its status as -errno (mlx5_core's table). */
int mbox_exec(struct vhca *, const void *in, size_t in_len, void *out, size_t out_len);
/* Runs a command whose reply is only its status. */
int mbox_run(struct vhca *, const void *in, size_t in_len);
/* Runs a command that makes an object. The replies of these have its number at byte 8. */
int mbox_create(struct vhca *, const void *in, size_t in_len, uint32_t *number);
/* Runs an ALLOC command without arguments. */
int mbox_alloc(struct vhca *, uint16_t opcode, uint16_t uid, uint32_t *number);
/* Runs a QUERY command that has nothing but the object's number, at byte 8. */
int mbox_query(struct vhca *, uint16_t opcode, uint32_t number, void *out, size_t out_len);
/* Runs a DESTROY or DEALLOC command: all of them have the object's number at byte 8. */
int mbox_destroy(struct vhca *, uint16_t opcode, uint16_t uid, uint32_t number);
int mbox_errno(const void *out);

#endif
