/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the guilty fields of a mask by trial creation: a device that refuses one names no field. */
#include <stdio.h>
#include "priv.h"

/* Makes a mask of a field and those that it depends on. */
static void flow_blame_alone(const uint8_t *mask, const struct dvx_flow_field *f, uint8_t *out)
{
	static const uint8_t layers[] = {0, 2 * GROUP_BYTES};

	memset(out, 0, MATCH_BYTES);
	for (size_t i = 0; i < sizeof(layers); i++) {
		const uint8_t *from = mask + layers[i];

		prm_fte_match_set_lyr_2_4_set_ip_version(
			out + layers[i], prm_fte_match_set_lyr_2_4_get_ip_version(from));
		prm_fte_match_set_lyr_2_4_set_ip_protocol(
			out + layers[i], prm_fte_match_set_lyr_2_4_get_ip_protocol(from));
	}
	dvx_flow_field_copy(f, mask, out);
}

bool dvx_flow_blame_one(const struct dvx_flow_trial *trial, struct dvx_flow_field *out)
{
	const uint8_t *mask = trial->matcher->mask;
	uint8_t alone[MATCH_BYTES];

	for (uint32_t bit = 0; dvx_flow_field_next(mask, bit, out); bit = out->bit + out->width) {
		flow_blame_alone(mask, out, alone);
		if (!trial->accepts(trial, alone))
			return true;
	}
	return false;
}

/* Removes each field without which the others are refused, too. */
void dvx_flow_blame_several(const struct dvx_flow_trial *trial, char *names, size_t size)
{
	static const uint8_t nothing[MATCH_BYTES];
	const uint8_t *mask = trial->matcher->mask;
	uint8_t left[MATCH_BYTES], fewer[MATCH_BYTES];
	struct dvx_flow_field f = {.bit = 0};
	size_t used = 0;

	memcpy(left, mask, sizeof(left));
	for (uint32_t bit = 0; dvx_flow_field_next(mask, bit, &f); bit = f.bit + f.width) {
		memcpy(fewer, left, sizeof(fewer));
		dvx_flow_field_copy(&f, nothing, fewer);
		if (!trial->accepts(trial, fewer))
			memcpy(left, fewer, sizeof(left));
	}
	names[0] = '\0';
	for (uint32_t bit = 0; used < size && dvx_flow_field_next(left, bit, &f);
	     bit = f.bit + f.width)
		used += (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "",
					 f.path);
}
