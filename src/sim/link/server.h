/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LINK_SERVER_H
#define LINK_SERVER_H

#include <stddef.h>
#include <stdint.h>
#include "link.h"

struct chip;
struct link_server;

/* What a status answer says of the chip itself: rows to fill, how many there are (capped). */
struct link_census {
	unsigned int (*functions)(struct chip *, struct link_function_row *, unsigned int max);
	unsigned int (*objects)(struct chip *, struct link_object_row *, unsigned int max);
};

/*
 * Serves clients of a listening socket (owned from here on) on the chip's loop. A client can do
 * harm to itself only: its connection is closed with a line in the log when it sends nonsense or
 * does not read its answers. NULL and errno on failure.
 */
struct link_server *link_server_new(struct chip *, int listener, const char *name,
				    const struct link_census *);
/* Closes all connections: objects go as if every client had died. */
void link_server_free(struct link_server *);

#endif
