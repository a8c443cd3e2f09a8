/* SPDX-License-Identifier: BSD-2-Clause */
/* The clients' side of the daemon's socket. */
#ifndef DVX_FLOW_CLIENT_H
#define DVX_FLOW_CLIENT_H

#include "dvx-flow.h"
#include "msg.h"

/* A descriptor, or -1 after a sentence and with the exit code in *code. Waits a->wait seconds for
 * it. */
int client_connect(const struct args *a, int *code);

/* Called for each answer that only tells how far it is. */
typedef void (*progress_fn)(void *arg, json_t *head);

/*
 * One request, with rules or NULL, and its last answer, which msg_free() frees. The exit code of
 * the answer; whatever isn't EXIT_DONE was told already. Steals head.
 */
int client_ask(int fd, json_t *head, const struct rules_text *rules, struct flow_msg *answer,
	       progress_fn progress, void *arg);

/* All of it, for who asks once. */
int client_once(const struct args *a, json_t *head, struct flow_msg *answer);

#endif
