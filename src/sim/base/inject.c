/* SPDX-License-Identifier: BSD-2-Clause */
#include "inject.h"

#include <string.h>
#include "probe.h"

unsigned int inject_events;
static struct inject_fault inject_table[INJECT_MOST];
static size_t inject_n;

static bool inject_fits(const struct inject_fault *f)
{
	static const enum inject_event of_action[INJECT_ACTIONS] = {
		[INJECT_ANSWER] = INJECT_COMMAND, [INJECT_DROP] = INJECT_PACKET,
		[INJECT_DOUBLE] = INJECT_PACKET,  [INJECT_CORRUPT] = INJECT_PACKET,
		[INJECT_DELAY] = INJECT_PACKET,	  [INJECT_ERROR] = INJECT_COMPLETION,
		[INJECT_LOSE] = INJECT_INTERRUPT, [INJECT_SHORT] = INJECT_OBJECT,
		[INJECT_DOWN] = INJECT_PORT,	  [INJECT_UP] = INJECT_PORT,
		[INJECT_FATAL] = INJECT_DEVICE,
	};

	return f->action < INJECT_ACTIONS && f->event == of_action[f->action] && f->nth &&
	       f->ns <= INJECT_DELAY_MOST && (f->action != INJECT_ANSWER || f->status) &&
	       (f->action != INJECT_ERROR || (f->syndrome && f->syndrome <= UINT8_MAX));
}

int inject_set(const struct inject_fault *faults, size_t n)
{
	unsigned int events = 0;

	if (n > INJECT_MOST)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (!inject_fits(&faults[i]))
			return -1;
	for (size_t i = 0; i < n; i++) {
		inject_table[i] = faults[i];
		inject_table[i].seen = inject_table[i].met = 0;
		events |= 1u << faults[i].event;
	}
	inject_n = n;
	inject_events = events;
	probe_ask(PROBE_INJECT_CQE, inject_active(INJECT_COMPLETION));
	probe_ask(PROBE_INJECT_EQE, inject_active(INJECT_INTERRUPT));
	return 0;
}

size_t inject_get(struct inject_fault *to)
{
	memcpy(to, inject_table, inject_n * sizeof(*to));
	return inject_n;
}

void inject_happened(size_t i)
{
	inject_table[i].seen++;
}

/* A fault is due once, but memory that is short stays so. */
static bool inject_is_due(const struct inject_fault *f)
{
	return f->seen == f->nth || (f->action == INJECT_SHORT && f->seen > f->nth);
}

const struct inject_fault *inject_count(enum inject_event event, uint32_t number)
{
	struct inject_fault *due = NULL;

	for (size_t i = 0; i < inject_n; i++) {
		struct inject_fault *f = &inject_table[i];

		if (f->event != event || (f->number != INJECT_ANY && f->number != number))
			continue;
		f->seen += f->seen < UINT32_MAX;
		if (!inject_is_due(f))
			continue;
		f->met = number;
		due = due ? due : f;
	}
	return due;
}
