/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe.h"

#include <stddef.h>

unsigned int probe_kinds;
static unsigned int probe_asked;
static struct probe *probe_first;
static struct probe *probe_only; /* the first, if there is no other */

static void probe_sum_kinds(void)
{
	unsigned int kinds = probe_asked;

	for (const struct probe *p = probe_first; p; p = p->next)
		kinds |= p->kinds;
	probe_only = probe_first && !probe_first->next ? probe_first : NULL;
	__atomic_store_n(&probe_kinds, kinds, __ATOMIC_RELAXED);
}

void probe_ask(enum probe_kind kind, bool on)
{
	probe_asked = on ? probe_asked | kind : probe_asked & ~(unsigned int)kind;
	probe_sum_kinds();
}

void probe_subscribe(struct probe *p)
{
	p->next = probe_first;
	probe_first = p;
	probe_sum_kinds();
}

void probe_unsubscribe(struct probe *p)
{
	struct probe **at = &probe_first;

	while (*at && *at != p)
		at = &(*at)->next;
	if (*at)
		*at = p->next;
	probe_sum_kinds();
}

static __attribute__((noinline)) void probe_emit_to_all(const struct probe_event *e)
{
	for (struct probe *p = probe_first, *next; p; p = next) {
		next = p->next;
		if (p->kinds & e->kind)
			p->event(e);
	}
}

void probe_emit(const struct probe_event *e)
{
	if (probe_only)
		probe_only->event(e);
	else
		probe_emit_to_all(e);
}
