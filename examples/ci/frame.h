/* SPDX-License-Identifier: BSD-2-Clause */
/* A message on the wire: a header in network order, and the bytes. */
#ifndef RCMSG_FRAME_H
#define RCMSG_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FRAME_HEADER = 8, FRAME_ROOM = 4096 };
enum { FRAME_LAST = 1 }; /* flag: the sender sends no more */

/* The frame's bytes, or -EMSGSIZE. */
ssize_t frame_put(void *frame, const void *data, size_t len, unsigned int flags);
/* The message's bytes, or -EBADMSG. */
ssize_t frame_get(const void *frame, size_t bytes, const void **data, unsigned int *flags);

#endif
