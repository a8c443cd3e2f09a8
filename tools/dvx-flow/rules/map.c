/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "map.h"

/* room is a power of two. */
static struct map_slot *map_slot_of(const struct map *m, uint64_t hash)
{
	size_t i = hash & (m->room - 1);

	while (m->slot[i].used && m->slot[i].hash != hash)
		i = (i + 1) & (m->room - 1);
	return &m->slot[i];
}

static bool map_grow(struct map *m)
{
	struct map old = *m;

	m->room = old.room ? old.room * 2 : 4;
	m->slot = calloc(m->room, sizeof(*m->slot));
	if (!m->slot) {
		*m = old;
		return false;
	}
	for (size_t i = 0; i < old.room; i++)
		if (old.slot[i].used)
			*map_slot_of(m, old.slot[i].hash) = old.slot[i];
	free(old.slot);
	return true;
}

struct map_slot *map_put(struct map *m, uint64_t hash, uint32_t what)
{
	struct map_slot *s;

	if (m->n * 4 >= m->room * 3 && !map_grow(m))
		return NULL;
	s = map_slot_of(m, hash);
	if (!s->used) {
		*s = (struct map_slot){hash, what, true, false};
		m->n++;
	}
	return s;
}

const struct map_slot *map_get(const struct map *m, uint64_t hash)
{
	const struct map_slot *s = m->room ? map_slot_of(m, hash) : NULL;

	return s && s->used ? s : NULL;
}

void map_free(struct map *m)
{
	free(m->slot);
	*m = (struct map){0};
}

uint64_t map_mix_text(uint64_t h, const char *text)
{
	uint64_t word;
	size_t n = strlen(text);

	for (; n >= sizeof(word); n -= sizeof(word), text += sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		h = map_mix(h, word);
	}
	word = 0;
	memcpy(&word, text, n);
	return map_mix(h, word);
}
