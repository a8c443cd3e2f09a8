/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "device.h"

struct export
{
	struct dvx_mkey *mkey;
	struct copy_queue queue; /* for a connection */
	enum way way;
	enum way_why why;
};

/* Access for an alias: a copy out of it needs only local read, which every mkey grants. */
#define POOL_ACCESS 0 /* [I] that an alias used as a copy's source needs no remote right */

static int export_alias(struct export *e, struct copy_device *d, const struct pool *p,
			struct ticket *t, struct copy_fault *f)
{
	struct dvx_ticket plain;

	if (device_register(d, p, POOL_ACCESS, &e->mkey, f))
		return -1;
	if (dvx_mkey_export(e->mkey, &plain))
		return device_fault(f, "exporting the pool");
	dvx_ticket_encode(&plain, t->bytes + t->n);
	t->n += DVX_TICKET_BYTES;
	dvx_ticket_wipe(&plain);
	return 0;
}

/* Connects the source's queue before its number is sent: no other queue can use it. */
static int export_connection(struct export *e, struct copy_device *d, const struct pool *p,
			     const uint8_t *blob, struct ticket *t, struct copy_fault *f)
{
	struct queue_pool mine, ignored;

	if (device_register(d, p, DVX_REMOTE_READ, &e->mkey, f) ||
	    copy_queue_make(&e->queue, d, 0, 0, f) || queue_pick_gid(&e->queue, d, blob, f))
		return -1;
	mine = (struct queue_pool){.addr = dvx_mkey_addr(e->mkey),
				   .len = dvx_mkey_len(e->mkey),
				   .key = dvx_mkey_key(e->mkey)};
	if (queue_blob(&e->queue, &mine, t->bytes + t->n, f))
		return -1;
	t->n += DVX_QP_BLOB_BYTES;
	return queue_connect(&e->queue, blob, &ignored, f);
}

/* Chooses a way by the offer: a struct way_end and, if the receiver can connect, a blob. */
static int export_choose(struct export *e, const struct copy_device *d, const struct ticket *offer,
			 struct copy_fault *f)
{
	struct way_end receiver;

	if (offer->n < WAY_END_BYTES)
		return copy_fail(f, COPY_PROTOCOL, "the other end sent an offer that is too short");
	way_end_get(&receiver, offer->bytes);
	if (receiver.flags & WAY_CONNECTS && offer->n != WAY_END_BYTES + DVX_QP_BLOB_BYTES)
		return copy_fail(f, COPY_PROTOCOL, "the other end sent an offer of %zu bytes",
				 offer->n);
	e->way = way_choose(&d->end, &receiver, &e->why);
	if (e->way == WAY_NONE)
		return copy_fail(f, COPY_DEVICE, "%s, and %s", way_reason(e->why),
				 (d->end.flags | receiver.flags) & WAY_ONLY_DMA
					 ? "--via dma was given"
					 : "the two can't be connected");
	return 0;
}

int export_make(struct export **out, struct copy_device *d, const struct pool *p,
		const struct ticket *offer, struct ticket *t, struct copy_fault *f)
{
	struct export *e = calloc(1, sizeof(*e));
	int ret;

	if (!e)
		return copy_no_memory(f);
	ret = export_choose(e, d, offer, f);
	t->bytes[0] = (uint8_t)e->way;
	t->bytes[1] = (uint8_t)e->why;
	t->n = 2;
	if (!ret && e->way == WAY_ALIAS)
		ret = export_alias(e, d, p, t, f);
	else if (!ret)
		ret = export_connection(e, d, p, offer->bytes + WAY_END_BYTES, t, f);
	if (ret) {
		export_free(e);
		return -1;
	}
	*out = e;
	return 0;
}

const char *export_rc_reason(const struct export *e)
{
	return e->way == WAY_RC ? way_reason(e->why) : NULL;
}

/* Closes the pool: from now on the receiver's alias faults, and its READs are refused. */
void export_free(struct export *e)
{
	if (!e)
		return;
	queue_free(&e->queue);
	dvx_mkey_destroy(e->mkey);
	free(e);
}
