/* SPDX-License-Identifier: BSD-2-Clause */
#include "session.h"

#include <stdlib.h>

#include <string.h>
#include "send.h"

static uint32_t session_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void session_unused(struct session *s, uint32_t slot)
{
	s->lent[slot] = false;
	s->free_slots[s->n_free++] = slot;
}

static int take_return(struct session *s, const struct copy_msg *m)
{
	if (m->type != MSG_RETURN)
		return copy_fail(s->f, COPY_PROTOCOL, "the client sent %s during a copy",
				 msg_name(m->type));
	if (m->slot >= s->pool.slots || !s->lent[m->slot])
		return copy_fail(s->f, COPY_PROTOCOL,
				 "the client returned slot %u, which it had not", m->slot);
	session_unused(s, m->slot);
	return 0;
}

int session_slot(struct session *s, uint32_t *slot)
{
	struct copy_msg m;
	int got;

	while ((got = link_take(s->link, &m, 0, s->f)) == 1)
		if (take_return(s, &m))
			return -1;
	if (got < 0)
		return -1;
	if (!s->n_free && (link_expect(s->link, MSG_TYPES, &m, s->f) || take_return(s, &m)))
		return -1;
	*slot = s->free_slots[--s->n_free];
	s->lent[*slot] = true;
	return 0;
}

static int answer_pull(struct session *s, const struct copy_msg *m)
{
	bool totals = m->flags & MSG_WANT_TOTALS;
	struct tree_entry e;
	int ret;

	if (tree_resolve(&e, s->server->root, m->name.p, m->name.n, s->f))
		return -1;
	ret = send_tree(s, &e, totals);
	tree_close(&e);
	return ret;
}

/* The pool is this client's alone: another's bytes must not be readable through its ticket. */
static int session_make_pool(struct session *s)
{
	struct copy_msg m = {.type = MSG_POOL};
	struct ticket ticket;
	struct copy_msg wish;
	int ret;

	if (link_expect(s->link, MSG_SETUP, &wish, s->f))
		return -1;
	m.slots = session_least(wish.slots, s->server->slots);
	m.slot_bytes = session_least(wish.slot_bytes, s->server->slot_bytes) & ~4095u;
	s->free_slots = calloc(m.slots, sizeof(*s->free_slots));
	s->lent = calloc(m.slots, sizeof(*s->lent));
	if (!s->free_slots || !s->lent)
		return copy_fail(s->f, COPY_IO, "out of memory");
	for (uint32_t i = 0; i < m.slots; i++)
		s->free_slots[s->n_free++] = i;
	if (pool_make(&s->pool, m.slots, m.slot_bytes, s->f) ||
	    export_make(&s->export, s->server->device, &s->pool, &ticket, s->f))
		return -1;
	m.name = (struct copy_bytes){ticket.bytes, (uint32_t)ticket.n};
	ret = link_send(s->link, &m, s->f);
	explicit_bzero(&ticket, sizeof(ticket));
	return ret;
}

static int converse(struct session *s)
{
	struct copy_msg m;

	for (;;) {
		if (link_expect(s->link, MSG_TYPES, &m, s->f))
			return -1;
		switch (m.type) {
		case MSG_RETURN:
			if (take_return(s, &m))
				return -1;
			break;
		case MSG_PULL:
			if (answer_pull(s, &m))
				return -1;
			break;
		case MSG_BYE:
			return 0;
		default:
			return copy_fail(s->f, COPY_PROTOCOL, "the client sent %s unasked",
					 msg_name(m.type));
		}
	}
}

int session_run(const struct copy_server *server, struct link *l, struct session_totals *t,
		struct copy_fault *f)
{
	struct session s = {.server = server, .link = l, .f = f, .totals = t};
	int ret;

	ret = session_make_pool(&s) || converse(&s);
	export_free(s.export);
	pool_free(&s.pool);
	free(s.free_slots);
	free(s.lent);
	return ret ? -1 : 0;
}
