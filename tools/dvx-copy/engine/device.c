/* SPDX-License-Identifier: BSD-2-Clause */
#include "device.h"
#include "tools/cli/library.h"
#include "base/bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int device_fault(struct copy_fault *f, const char *what)
{
	return copy_fail(f, COPY_DEVICE, "%s: %s", what, library_error());
}

/* Reads sys_image_guid from sysfs, as verbs programs do: 248a:0703:00b8:f4d2 or the like. */
static uint64_t device_chip(const struct copy_device *d)
{
	char path[160];
	uint64_t part[4] = {0};
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/sys_image_guid", device_name(d));
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%" SCNx64 ":%" SCNx64 ":%" SCNx64 ":%" SCNx64, &part[0], &part[1],
		   &part[2], &part[3]) != 4)
		memset(part, 0, sizeof(part));
	fclose(file);
	return part[0] << 48 | part[1] << 32 | part[2] << 16 | part[3];
}

static void device_look(struct copy_device *d)
{
	const struct dvx_caps *c = dvx_dev_caps(d->dev);
	struct dvx_qp_local side;

	d->end.vhca = c->vhca_id;
	d->end.chip = device_chip(d);
	d->end.flags = (c->mkey_export ? WAY_EXPORTS : 0) | (c->mkey_import ? WAY_IMPORTS : 0) |
		       (c->dma_mmo ? WAY_MMO : 0);
	if (!dvx_qp_local_init(d->dev, DEVICE_PORT, &side))
		d->end.flags |= WAY_CONNECTS;
}

int device_via(struct copy_device *d, const char *via, struct copy_fault *f)
{
	static const struct {
		const char *name;
		uint8_t flag;
	} vias[] = {{"auto", 0}, {"dma", WAY_ONLY_DMA}, {"rc", WAY_ONLY_RC}};

	for (size_t i = 0; i < sizeof(vias) / sizeof(vias[0]); i++)
		if (!via || !strcmp(via, vias[i].name)) {
			d->end.flags |= vias[i].flag;
			return 0;
		}
	return copy_fail(f, COPY_USAGE, "--via is auto, dma or rc, not %s", via);
}

int device_open(struct copy_device **out, const char *name, struct copy_fault *f)
{
	struct copy_device *d = calloc(1, sizeof(*d));

	if (!d)
		return copy_no_memory(f);
	if (dvx_dev_open(name, &d->dev)) {
		free(d);
		return copy_fail(f, COPY_IO, "%s", library_error());
	}
	if (dvx_pd_alloc(d->dev, &d->pd)) {
		device_fault(f, "making a protection domain");
		device_close(d);
		return -1;
	}
	device_look(d);
	*out = d;
	return 0;
}

void device_close(struct copy_device *d)
{
	if (!d)
		return;
	if (d->watch)
		dvx_channel_close(d->watch);
	if (d->pd)
		dvx_pd_free(d->pd);
	dvx_dev_close(d->dev);
	free(d);
}

const char *device_name(const struct copy_device *d)
{
	return dvx_dev_name(d->dev);
}

int device_watch(struct copy_device *d, struct copy_fault *f)
{
	if (dvx_channel_open(d->dev, &d->watch))
		return device_fault(f, "watching the device");
	return dvx_channel_fd(d->watch);
}

int device_check(const struct copy_device *d, struct copy_fault *f)
{
	int err = dvx_channel_wait(d->watch, 0, NULL, NULL);

	if (err == -EIO)
		return copy_fail(f, COPY_DEVICE, "%s is gone", device_name(d));
	return err == -ETIMEDOUT || err == -EINTR ? 0 : device_fault(f, "watching the device");
}

int device_register(struct copy_device *d, const struct pool *p, uint32_t access,
		    struct dvx_mkey **out, struct copy_fault *f)
{
	struct dvx_mkey_attr a = {
		.size = sizeof(a), .access = access, .pd = d->pd, .addr = p->mem, .len = p->bytes};
	int err = dvx_mkey_create(d->dev, &a, out);
	struct rlimit lim;

	/* If the device refused a command, the limit of locked memory is not the reason. */
	if (err == -ENOMEM && !dvx_last_error()->opcode && !getrlimit(RLIMIT_MEMLOCK, &lim) &&
	    lim.rlim_cur < p->bytes)
		return copy_fail(f, COPY_DEVICE,
				 "registering %zu MiB: only %llu KiB may be locked (ulimit -l)",
				 p->bytes >> 20, (unsigned long long)lim.rlim_cur >> 10);
	return err ? device_fault(f, "registering the pool") : 0;
}

/* --- queues --- */

#define PAGE 4096u /* a pool's length travels in pages, so that 4 bytes suffice */

static int queue_events(struct copy_queue *q, struct copy_device *d, struct copy_fault *f)
{
	if (dvx_channel_open(d->dev, &q->channel) || dvx_channel_subscribe(q->channel, q->cq, NULL))
		return device_fault(f, "subscribing to completions");
	return 0;
}

int copy_queue_make(struct copy_queue *q, struct copy_device *d, uint32_t flags, uint32_t blocks,
		    struct copy_fault *f)
{
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = blocks ? blocks : 1};
	struct dvx_qp_attr qa = {
		.size = sizeof(qa), .flags = flags, .pd = d->pd, .sq_blocks = blocks ? blocks : 1};

	if (dvx_uar_alloc(d->dev, DVX_UAR_ANY, &q->uar))
		return device_fault(f, "getting a doorbell page");
	ca.uar = qa.uar = q->uar;
	if (dvx_cq_create(d->dev, &ca, &q->cq))
		return device_fault(f, "making the completion queue");
	if (blocks && queue_events(q, d, f))
		return -1;
	qa.send_cq = q->cq;
	if (dvx_qp_create(d->dev, &qa, &q->qp))
		return device_fault(f, "making the queue for copies");
	if (d->end.flags & WAY_CONNECTS && dvx_qp_local_init(d->dev, DEVICE_PORT, &q->side))
		return device_fault(f, "choosing an address");
	return 0;
}

void queue_free(struct copy_queue *q)
{
	dvx_qp_destroy(q->qp);
	dvx_cq_destroy(q->cq);
	if (q->channel)
		dvx_channel_close(q->channel);
	if (q->uar)
		dvx_uar_free(q->uar);
}

static int queue_blob_fault(struct copy_fault *f)
{
	return copy_fail(f, COPY_PROTOCOL, "the other end sent a connection that can't be read");
}

int queue_pick_gid(struct copy_queue *q, struct copy_device *d, const uint8_t *blob,
		   struct copy_fault *f)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer)};
	struct dvx_gid_choice choice;

	if (dvx_qp_blob_read(q->qp, blob, DVX_QP_BLOB_BYTES, &peer))
		return queue_blob_fault(f);
	if (dvx_gid_choose(d->dev, q->side.port, &peer, &choice))
		return device_fault(f, "choosing an address");
	q->side.gid_index = (uint8_t)choice.gid.index;
	q->side.access = DVX_REMOTE_READ;
	return 0;
}

int queue_blob(struct copy_queue *q, const struct queue_pool *mine, uint8_t *blob,
	       struct copy_fault *f)
{
	bytes_put(q->side.user, mine->addr, 8);
	bytes_put(q->side.user + 8, mine->key, 4);
	bytes_put(q->side.user + 12, mine->len / PAGE, 4);
	if (dvx_qp_blob_write(q->qp, &q->side, blob))
		return device_fault(f, "describing the connection");
	return 0;
}

int queue_connect(struct copy_queue *q, const uint8_t *blob, struct queue_pool *pool,
		  struct copy_fault *f)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer)};

	if (dvx_qp_blob_read(q->qp, blob, DVX_QP_BLOB_BYTES, &peer))
		return queue_blob_fault(f);
	pool->addr = bytes_get(peer.user, 8);
	pool->key = (uint32_t)bytes_get(peer.user + 8, 4);
	pool->len = bytes_get(peer.user + 12, 4) * PAGE;
	if (dvx_qp_connect(q->qp, &q->side, &peer))
		return device_fault(f, "connecting the queues");
	return 0;
}
