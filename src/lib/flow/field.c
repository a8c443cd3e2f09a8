/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of fte_match_param by bit: what errors and texts call them. */
#include <arpa/inet.h>
#include <stdio.h>
#include "priv.h"

/* Unions that a user thinks of as one field. */
static bool is_whole(const struct prm_field *f)
{
	return !f->type || !strcmp(f->type->name, "ipv6_layout_ipv4_layout_auto") ||
	       !strcmp(f->type->name, "gre_key");
}

static const struct prm_field *field_over(const struct prm_struct *s, uint32_t bit)
{
	size_t i;

	for (i = 0; i < s->field_count; i++)
		if (bit - s->fields[i].offset < s->fields[i].width * s->fields[i].count)
			return &s->fields[i];
	return NULL;
}

bool dvx_flow_field_at(uint32_t bit, struct dvx_flow_field *out)
{
	const struct prm_struct *s = prm_find_struct("fte_match_param");
	size_t used = 0;

	out->bit = 0;
	while (s) {
		const struct prm_field *f = field_over(s, bit - out->bit);

		if (!f)
			return false;
		used += (size_t)snprintf(out->path + used, sizeof(out->path) - used, "%s%s",
					 used ? "." : "", f->name);
		out->bit += f->offset;
		out->width = f->width;
		s = is_whole(f) ? NULL : f->type;
	}
	return true;
}

bool dvx_flow_field_next(const uint8_t *buf, uint32_t from, struct dvx_flow_field *out)
{
	uint32_t bit;

	for (bit = from; bit < MATCH_BYTES * 8; bit++) {
		if (!(bit % 8) && !buf[bit / 8]) {
			bit += 7;
			continue;
		}
		if (!(buf[bit / 8] & 0x80u >> bit % 8))
			continue;
		if (!dvx_flow_field_at(bit, out)) {
			out->path[0] = '\0';
			out->bit = bit;
			out->width = 1;
		}
		return true;
	}
	return false;
}

static void address_text(const uint8_t *addr, char *out, size_t size)
{
	static const uint8_t none[12];

	if (!memcmp(addr, none, sizeof(none)))
		inet_ntop(AF_INET, addr + sizeof(none), out, (socklen_t)size);
	else
		inet_ntop(AF_INET6, addr, out, (socklen_t)size);
}

void dvx_flow_field_text(const struct dvx_flow_field *f, const uint8_t *buf, char *out, size_t size)
{
	if (f->width == 128)
		address_text(buf + f->bit / 8, out, size);
	else
		snprintf(out, size, "0x%llx",
			 (unsigned long long)prm_bits_get(buf, f->bit, f->width));
}

void dvx_flow_field_copy(const struct dvx_flow_field *f, const uint8_t *from, uint8_t *to)
{
	uint32_t done, n;

	for (done = 0; done < f->width; done += n) {
		n = f->width - done < 64 ? f->width - done : 64;
		prm_bits_set(to, f->bit + done, n, prm_bits_get(from, f->bit + done, n));
	}
}
