/* SPDX-License-Identifier: BSD-2-Clause */
/* A server in a thread of the test, and a client that sends single messages. */
#ifndef COPY_CLIENTS_H
#define COPY_CLIENTS_H

#include "wire/link.h"

extern char clients_work[]; /* the served directory */

struct bad_client {
	struct link *l;
	const struct script *script; /* of those that only send; NULL: it is a function */
	struct copy_fault f;
};

void client_send(struct bad_client *a, struct copy_msg m);

/* Starts a copy with these options beside a plain pull's, and sends SETUP. */
void client_start(struct bad_client *a, uint32_t options);

/* Sends n verdicts, one or two. */
void client_judge(struct bad_client *a, uint32_t n, uint32_t verdict);

/* Serves one client and returns the server's fault. */
struct copy_fault serve_play(void (*play)(struct bad_client *a), const struct script *script);

/* Fails openat2(). */
extern struct openat2_fails {
	const char *path; /* only of this path; NULL: of every one */
	int err;	  /* 0: none fails */
} openat2_fails;

#endif
