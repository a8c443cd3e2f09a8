/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_CHANNEL_H
#define KERNEL_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "file.h"

/* Event FDs. */

enum channel_kind { CHANNEL_COMP, CHANNEL_ASYNC, CHANNEL_DEVX_CMD, CHANNEL_DEVX_EVENT };

/* The client's end goes to *client_fd. */
struct channel *channel_new(struct uverbs_file *, enum channel_kind, int *client_fd);
/*
 * By the inode number of a FD that a program passed in. -EBADF if it is not a channel of this kind.
 */
int channel_find(struct uverbs_file *, uint64_t inode, enum channel_kind, struct channel **);
void channel_get(struct channel *);
void channel_put(struct channel *);
bool channel_omits_data(const struct channel *);
void channel_set_omit_data(struct channel *);
/* One event, one packet. Never blocks: what the pipe can't take waits here. */
void channel_post(struct channel *, const void *owner, const void *event, size_t len);
/* Whether the program has unread events of this owner. */
bool channel_pending(const struct channel *, const void *owner);
/* Removes the unread events of an owner of verbs; returns how many. */
unsigned int channel_purge(struct channel *, const void *owner);
/* The owner ends, and its unread events stay readable: they are no longer pending. */
void channel_disown(struct channel *, const void *owner);
/* The program has closed its end. */
bool channel_is_closed(const struct channel *);
/* Bytes that wait because the program does not read. */
size_t channel_backlog(const struct channel *);
/* IBV_EVENT_DEVICE_FATAL to the file's asynchronous event FDs. */
void channel_post_fatal(struct uverbs_file *);
/* IBV_EVENT_PORT_ACTIVE or PORT_ERR of port 1 to the same. */
void channel_post_port(struct uverbs_file *, bool active);
/* IBV_EVENT_GID_CHANGE of it. */
void channel_post_gid(struct uverbs_file *);
bool channel_write_fatal(int async_fd); /* kernel_write_fatal() */
void channel_free_all(struct uverbs_file *);

#endif
