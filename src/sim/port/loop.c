/* SPDX-License-Identifier: BSD-2-Clause */
#include "loop.h"

/*
 * Limits in frames. Data waits at the first; acknowledgements, of which each queue pair has one or
 * two under way, may go on to the second.
 */
#define FRAMES_DATA 1024u
#define FRAMES_ALL 65536u
#define BYTES_DATA (4u << 20)

void loop_init(struct loop *l)
{
	*l = (struct loop){.tail = &l->head};
}

struct frame *loop_take(struct loop *l)
{
	struct frame *f = l->head;

	if (!f)
		return NULL;
	l->head = f->next;
	if (!l->head)
		l->tail = &l->head;
	l->n--;
	l->bytes -= f->len;
	return f;
}

void loop_fini(struct loop *l)
{
	struct frame *f;

	while ((f = loop_take(l)))
		frame_free(f);
}

unsigned int loop_put(struct loop *l, struct frame *f)
{
	return loop_put_at(l, l->tail, f);
}

unsigned int loop_put_at(struct loop *l, struct frame **at, struct frame *f)
{
	const unsigned int npkts = frame_packets(f);

	if (l->n >= FRAMES_ALL) {
		frame_free(f);
		return npkts;
	}
	f->next = *at;
	*at = f;
	if (!f->next)
		l->tail = &f->next;
	l->n++;
	l->bytes += f->len;
	return 0;
}

bool loop_room(const struct loop *l)
{
	return l->n < FRAMES_DATA && l->bytes < BYTES_DATA;
}

void loop_purge(struct loop *l, bool (*match)(const struct frame *, const void *), const void *arg)
{
	struct frame **at = &l->head, *f;

	while ((f = *at)) {
		if (!match(f, arg)) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		l->n--;
		l->bytes -= f->len;
		frame_free(f);
	}
	l->tail = at;
}
