/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_CHANNEL_H
#define KERNEL_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "file.h"

/* Event FDs: completion channels, asynchronous events, DevX. */

enum channel_kind { CHANNEL_COMP, CHANNEL_ASYNC, CHANNEL_DEVX_CMD, CHANNEL_DEVX_EVENT };

/* Makes a channel; *client_fd becomes the client's end. */
struct channel *channel_new(struct uverbs_file *, enum channel_kind, int *client_fd);
/* Finds a channel by the inode number of the program's FD. -EBADF if it has another kind. */
int channel_find(struct uverbs_file *, uint64_t inode, enum channel_kind, struct channel **);
void channel_get(struct channel *);
void channel_put(struct channel *);
bool channel_omits_data(const struct channel *);
void channel_set_omit_data(struct channel *);
/* Sends an event as one packet. Never blocks: packets that do not fit into the pipe are queued. */
void channel_post(struct channel *, const void *owner, const void *event, size_t len);
/* Returns whether the program has unread events of this owner. */
bool channel_pending(const struct channel *, const void *owner);
/* Removes the unread events of an owner of verbs; returns how many. */
unsigned int channel_purge(struct channel *, const void *owner);
/* Detaches an owner that is destroyed from its unread events: these stay readable, not pending. */
void channel_disown(struct channel *, const void *owner);
/* Returns whether the program has closed its end. */
bool channel_is_closed(const struct channel *);
/* Returns how many bytes are queued because the program does not read. */
size_t channel_backlog(const struct channel *);
/* Posts IBV_EVENT_DEVICE_FATAL to the file's asynchronous event FDs. */
void channel_post_fatal(struct uverbs_file *);
/* Posts IBV_EVENT_PORT_ACTIVE or PORT_ERR of port 1. */
void channel_post_port(struct uverbs_file *, unsigned int port, bool active);
/* Posts IBV_EVENT_GID_CHANGE of port 1. */
void channel_post_gid(struct uverbs_file *);
bool channel_write_fatal(int async_fd); /* kernel_write_fatal() */
void channel_free_all(struct uverbs_file *);

#endif
