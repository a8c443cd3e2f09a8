/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes keys into a match. 100,000 rules have a million fields: each key is looked up once. */
#include <dvx/prm/match.h>

#include "generation.h"
#include "src/prm/reflect.h"

/* The place of each key. Every field lies within the 64 bits that begin at its first word. */
static struct fill_place {
	uint16_t byte;
	uint8_t shift;
} places[MATCH_KEYS];

static void find_places(void)
{
	const struct prm_struct *s = prm_find_struct("fte_match_param");
	uint64_t bit;

	for (unsigned int key = 0; key < MATCH_KEYS; key++) {
		prm_find_field(s, match_keys[key].path, &bit);
		places[key].byte = (uint16_t)(bit / 32 * 4);
		places[key].shift = (uint8_t)(64 - bit % 32 - match_keys[key].bits);
	}
}

void fill_match(void *fte_match_param, const struct shape *shape, const uint64_t *value)
{
	static bool found;

	if (!found)
		find_places();
	found = true;
	for (unsigned int i = 0; i < shape->n; i++) {
		unsigned int key = shape->key[i];
		const struct fill_place *at = &places[key];

		prm_set64(fte_match_param, at->byte, at->shift, match_key_max(key), value[i]);
	}
}
