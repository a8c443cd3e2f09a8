/* SPDX-License-Identifier: BSD-2-Clause */
/* The clients' side of the daemon's socket. */
#ifndef DVX_FLOW_CLIENT_H
#define DVX_FLOW_CLIENT_H

#include "dvx-flow.h"
#include "msg.h"

/*
 * Waits a->wait seconds for the daemon. Returns a descriptor, or -1 after a message, with the exit
 * code in *code.
 */
int client_connect(const struct args *a, int *code);

/* Called for each answer that only reports progress. */
typedef void (*progress_fn)(void *arg, json_t *head);

/* Called before a request that changes rules: an interrupt then prints that the daemon goes on. */
void client_begin_change(void);
/*
 * Sends one request (rules may be NULL) and reads its last answer, which msg_free() frees. Returns
 * the answer's exit code; the message of a failure is printed already. Steals head.
 */
int client_ask(int fd, json_t *head, const struct rules_text *rules, struct flow_msg *answer,
	       progress_fn progress, void *arg);

/* Prints what changed and how many rules are in effect, or the answer as JSON. */
int client_print_result(const struct args *a, const struct flow_msg *answer, const char *verb);

/* Connects, sends one request and closes. */
int client_once(const struct args *a, json_t *head, struct flow_msg *answer);

#endif
