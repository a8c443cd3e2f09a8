/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events. librdmacm waits in rdma_destroy_id() until it has acknowledged as many events of the id
 * as DESTROY_ID says were read, so none may be lost or counted twice.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include "priv.h"

#define BYTES_MOST 1024u /* in the socket, which never gets full this way */

static void event_signal(struct cm_file *f)
{
	if (f->nbytes < BYTES_MOST && send(f->sock, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1)
		f->nbytes++;
}

static void event_add(struct cm_file *f, struct cm_event *e)
{
	TAILQ_INSERT_TAIL(&f->events, e, link);
	f->nevents++;
	event_signal(f);
}

static void event_remove(struct cm_file *f, struct cm_event *e)
{
	char byte;

	TAILQ_REMOVE(&f->events, e, link);
	f->nevents--;
	if (f->nevents < f->nbytes && recv(f->peer, &byte, 1, MSG_DONTWAIT) == 1)
		f->nbytes--;
	else if (f->nevents > f->nbytes)
		event_signal(f);
}

static struct cm_event *event_new(struct cm_id *owner, const struct rdma_ucm_event_resp *resp)
{
	struct cm_event *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->owner = owner;
	e->resp = *resp;
	e->resp.uid = owner->uid;
	e->resp.id = owner->number;
	return e;
}

void event_post(struct cm_id *id, const struct rdma_ucm_event_resp *resp)
{
	struct cm_event *e = id->uid ? event_new(id, resp) : NULL;

	if (e)
		event_add(id->file, e);
}

int event_post_request(struct cm_id *listener, struct cm_id *child,
		       const struct rdma_ucm_event_resp *resp)
{
	struct cm_event *e = listener->backlog ? event_new(listener, resp) : NULL;

	if (!e)
		return -ENOMEM;
	listener->backlog--;
	child->unread = true;
	e->child = child;
	e->resp.id = child->number;
	event_add(listener->file, e);
	return 0;
}

int event_post_group(struct cm_group *g, const struct rdma_ucm_event_resp *resp)
{
	struct cm_event *e = event_new(g->id, resp);

	if (!e)
		return -ENOMEM;
	e->group = g;
	e->resp.uid = g->uid;
	e->resp.id = g->number;
	event_add(g->id->file, e);
	return 0;
}

int event_read(struct cm_file *f, struct ucma_request *r)
{
	struct cm_event *e = TAILQ_FIRST(&f->events);

	if (!e)
		return -EAGAIN; /* the usual way to wait: not logged */
	cm_answer(r, &e->resp, sizeof(e->resp));
	e->owner->reported++;
	if (e->group)
		e->group->reported++;
	if (e->resp.event == EVENT_CONNECT_REQUEST)
		e->owner->backlog++;
	if (e->child)
		e->child->unread = false;
	event_remove(f, e);
	free(e);
	return 0;
}

void event_drop_group(struct cm_group *g)
{
	struct cm_file *f = g->id->file;

	for (struct cm_event *e = TAILQ_FIRST(&f->events), *next; e; e = next) {
		next = TAILQ_NEXT(e, link);
		if (e->group == g) {
			event_remove(f, e);
			free(e);
		}
	}
}

/* Clears e->child: a program can guess the id's number and destroy it before it reads the event. */
static void event_forget_child(const struct cm_id *child)
{
	struct cm_file *f;
	struct cm_event *e;

	LIST_FOREACH(f, &child->cm->files, link)
	TAILQ_FOREACH(e, &f->events, link)
	if (e->child == child)
		e->child = NULL;
}

/* Drops the id's events and destroys their children. That changes the list: the loop restarts. */
void event_drop_id(struct cm_id *id)
{
	struct cm_file *f = id->file;
	struct cm_event *e = TAILQ_FIRST(&f->events);

	if (id->unread)
		event_forget_child(id);
	while (e) {
		struct cm_event *next = TAILQ_NEXT(e, link);

		if (e->owner == id) {
			struct cm_id *child = e->child;

			event_remove(f, e);
			free(e);
			if (child)
				id_destroy(child);
			next = child ? TAILQ_FIRST(&f->events) : next;
		}
		e = next;
	}
}

void event_migrate(struct cm_id *id, struct cm_file *to)
{
	struct cm_file *f = id->file;

	for (struct cm_event *e = TAILQ_FIRST(&f->events), *next; e; e = next) {
		next = TAILQ_NEXT(e, link);
		if (e->owner == id) {
			event_remove(f, e);
			event_add(to, e);
		}
	}
}
