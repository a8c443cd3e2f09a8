/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include "queue_rig.h"
#include "transport/transport.h"

uint8_t *rig_bth(struct frame *f, uint32_t *len)
{
	struct roce_bytes r;

	assert_true(roce_decode(f->data, f->len, &r));
	if (len)
		*len = r.len;
	return f->data + (r.bth - f->data);
}

void rig_count_frame(void *count, struct port *w, struct frame *f)
{
	(*(unsigned int *)count)++;
	port_queue(w, f);
}

void rig_first_frame(void *count, struct port *w, struct frame *f)
{
	if ((*(unsigned int *)count)++)
		frame_free(f);
	else
		port_queue(w, f);
}

void rig_hold_frame(void *held, struct port *w, struct frame *f)
{
	struct frame **newest = held;

	(void)w;
	frame_free(*newest);
	*newest = f;
}

static void frame_put16(uint8_t *p, size_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

void rig_reseal(struct frame *f, uint32_t len)
{
	struct roce_bytes r;
	uint32_t icrc, sum = 0;
	uint8_t *net, *bth;

	assert_true(roce_decode(f->data, f->len, &r));
	net = f->data + (r.net - f->data);
	bth = f->data + (r.bth - f->data);
	f->len = (uint32_t)(bth - f->data) + len + (uint32_t)sizeof(icrc);
	if (!roce_is_v1(&r))
		frame_put16(bth - 4, 8 + len + sizeof(icrc));
	if (net[0] >> 4 == 6) {
		frame_put16(net + 4, (size_t)(bth - net) - 40 + len + sizeof(icrc));
	} else {
		frame_put16(net + 2, (size_t)(bth - net) + len + sizeof(icrc));
		frame_put16(net + 10, 0);
		for (unsigned int i = 0; i < 20; i += 2)
			sum += (uint32_t)net[i] << 8 | net[i + 1];
		frame_put16(net + 10, ~((sum & 0xffff) + (sum >> 16)));
	}
	r.len = len;
	icrc = htole32(roce_icrc(&r));
	memcpy(bth + len, &icrc, sizeof(icrc));
}
