/* SPDX-License-Identifier: BSD-2-Clause */
/* The paths of a device's daemon: its socket and its file of committed rules. */
#ifndef DVX_FLOW_WHERE_H
#define DVX_FLOW_WHERE_H

#include <stdatomic.h>

#include "dvx-flow.h"

struct where {
	char device[64];   /* its name; empty if the client was given a socket */
	char socket[108];  /* the size of a Unix socket's address */
	char service[108]; /* of the machine's daemon, if it is a service; empty as device is */
	atomic_bool bound; /* the socket at the path is this process's and may be removed */
	char state[4096];  /* the rules that were committed last */
	bool outlived;	   /* these rules are another chip's, which is gone */
};

/*
 * Find the paths, and create the directory if it is missing. Both return EXIT_DONE, or an exit code
 * after a message.
 */
int where_to_hold(const struct args *a, struct where *w);
int where_to_ask(const struct args *a, struct where *w);

#endif
