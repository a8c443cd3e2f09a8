/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_FLOW_ANSWERS_H
#define DVX_FLOW_ANSWERS_H

#include "holder.h"
#include "server.h"

/*
 * An answer_fn of a holder. Requests, by their "do":
 *	apply	the body is a rule file
 *	list	{"rules": [{"id", "line", "direction", "action", "text"}]}
 *	stats	{"rules": [the same with "packets", "bytes" if it has a counter], "queues": [...]}
 *	del	"rule": an id, or a rule's text
 *	dump	{"rules": as list, "entries": [[entry id of the dump, rule id]]}; the body is the
 *dump
 */
void answer(void *holder, struct server_conn *c, const struct flow_msg *request);

#endif
