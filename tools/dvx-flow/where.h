/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a device's daemon is found, and where it keeps what it holds. */
#ifndef DVX_FLOW_WHERE_H
#define DVX_FLOW_WHERE_H

#include <stdatomic.h>

#include "dvx-flow.h"

struct where {
	char device[64];  /* its name; empty if a client was told a socket */
	char socket[108]; /* what a Unix socket's address can hold */
	atomic_bool bound; /* what is at the socket's path is ours to take away */
	char state[4096]; /* the rules that were committed last */
	bool outlived;	  /* ... to another chip, which is gone */
};

/* Each makes the directory if need be. EXIT_DONE, or a code after a sentence. */
int where_to_hold(const struct args *a, struct where *w);
int where_to_ask(const struct args *a, struct where *w);

#endif
