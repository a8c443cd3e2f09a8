/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages between two programs over a reliable connection of an RDMA device. */
#ifndef RCMSG_H
#define RCMSG_H

#include <stddef.h>
#include <sys/types.h>

enum { RCMSG_MAX = 4088 }; /* bytes of a message */

struct rcmsg;

/* Opens the device (NULL: the first). 0, or -ENODEV, -ENOMEM, or what the device says. */
int rcmsg_open(const char *device, struct rcmsg **out);
/*
 * Connects with the peer at the other end of the stream socket, which makes the same call. The
 * socket stays the caller's, open until rcmsg_close(): its end says that the peer is gone.
 */
int rcmsg_connect(struct rcmsg *m, int fd);
/* Waits for a free slot. -EMSGSIZE, or -EPIPE: the peer is gone. */
int rcmsg_send(struct rcmsg *m, const void *data, size_t len);
/* Waits for a message; its bytes. -EMSGSIZE: it needs more room; -ENODATA: the peer has closed; -EPIPE. */
ssize_t rcmsg_recv(struct rcmsg *m, void *data, size_t room);
/*
 * Says that no more comes, waits until the peer has all, and frees all. One end closes first, the
 * other when rcmsg_recv() returns -ENODATA. -EPIPE: the peer may lack messages.
 */
int rcmsg_close(struct rcmsg *m);
/* How many messages can be under way; a device with short queues allows few. */
unsigned int rcmsg_window(const struct rcmsg *m);

#endif
