/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_CMD_H
#define KERNEL_CMD_H

#include <stddef.h>
#include "obj/vhca.h"

/* Runs a mailbox; status as errno (mlx5_core's table). */
int mbox_exec(struct vhca *, const void *in, size_t in_len, void *out, size_t out_len);
int mbox_errno(const void *out);

#endif
