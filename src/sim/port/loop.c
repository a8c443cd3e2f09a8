/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "wire.h"

/*
 * Data waits at the first mark; acknowledgements, of which each queue pair has at most one or two
 * under way, may go on to the second.
 */
#define FRAMES_DATA 1024u
#define FRAMES_ALL 65536u
#define BYTES_DATA (4u << 20)

struct wire {
	struct frame *head, **tail;
	unsigned int n;
	size_t bytes;
	void (*rx)(void *ctx, struct frame *);
	void *rx_ctx;
	wire_hook hook;
	void *hook_ctx;
	const struct wire_tap *tap;
};

struct wire *wire_new(void)
{
	struct wire *w = calloc(1, sizeof(*w));

	if (w)
		w->tail = &w->head;
	return w;
}

static struct frame *loop_take(struct wire *w)
{
	struct frame *f = w->head;

	if (!f)
		return NULL;
	w->head = f->next;
	if (!w->head)
		w->tail = &w->head;
	w->n--;
	w->bytes -= f->len;
	return f;
}

void wire_free(struct wire *w)
{
	struct frame *f;

	if (!w)
		return;
	while ((f = loop_take(w)))
		frame_free(f);
	free(w);
}

void wire_on_frame(struct wire *w, void (*rx)(void *ctx, struct frame *), void *ctx)
{
	w->rx = rx;
	w->rx_ctx = ctx;
}

void wire_queue(struct wire *w, struct frame *f)
{
	if (w->n >= FRAMES_ALL) {
		frame_free(f);
		return;
	}
	if (w->tap)
		w->tap->frame(w->tap->ctx, f);
	f->next = NULL;
	*w->tail = f;
	w->tail = &f->next;
	w->n++;
	w->bytes += f->len;
}

void wire_send(struct wire *w, struct frame *f)
{
	if (w->hook)
		w->hook(w->hook_ctx, w, f);
	else
		wire_queue(w, f);
}

bool wire_room(const struct wire *w)
{
	return w->n < FRAMES_DATA && w->bytes < BYTES_DATA &&
	       (!w->tap || w->tap->room(w->tap->ctx));
}

bool wire_idle(const struct wire *w)
{
	return !w->head;
}

unsigned int wire_run(struct wire *w, unsigned int n)
{
	unsigned int done = 0;
	struct frame *f;

	while (done < n && (f = loop_take(w))) {
		w->rx(w->rx_ctx, f);
		done++;
	}
	return done;
}

void wire_purge(struct wire *w, bool (*match)(const struct frame *, void *arg), void *arg)
{
	struct frame **at = &w->head, *f;

	while ((f = *at)) {
		if (!match(f, arg)) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		w->n--;
		w->bytes -= f->len;
		frame_free(f);
	}
	w->tail = at;
}

void wire_set_hook(struct wire *w, wire_hook hook, void *ctx)
{
	w->hook = hook;
	w->hook_ctx = ctx;
}

void wire_set_tap(struct wire *w, const struct wire_tap *tap)
{
	w->tap = tap;
}

bool wire_observed(const struct wire *w)
{
	return w->hook || w->tap;
}
