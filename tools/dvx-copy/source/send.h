/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_SEND_H
#define DVX_COPY_SEND_H

#include "session.h"
#include "tree.h"

/* Between session.c, which leads the conversation, and send.c, which sends a tree. */
struct session {
	const struct copy_server *server;
	struct link *link;
	struct copy_fault *f;
	struct session_totals *totals;
	struct pool pool;
	struct export *export;
	uint32_t *free_slots, n_free;
	bool *lent; /* slots that the client has */
};

/* Takes the slots that came back; with none free it waits for one. */
int session_slot(struct session *s, uint32_t *slot);

/* Takes back a slot that holds nothing for the client. */
void session_unused(struct session *s, uint32_t slot);

/* Everything between PULL and DONE. */
int send_tree(struct session *s, const struct tree_entry *e, bool totals);

#endif
