/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of verbs. A flow counter of the firmware counts packets and bytes; the program's points
 * are the indexes in its array where each is stored. The first flow on the counters sets the
 * points.
 */
#include <errno.h>
#include <stdlib.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5-abi.h>
#include "kernel/core/cmd.h"
#include "kernel/core/pins.h"
#include "objects.h"
#include "obj/device.h"

#define MAX_POINTS 16u	 /* mlx5_ib's MAX_COUNTERS_NUM */
#define MAX_INDEX  4096u /* bound of a program's array */
#define PACKETS	   0	 /* IB_COUNTER_PACKETS, IB_COUNTER_BYTES */
#define BYTES	   1

static void counters_free_points(struct uverbs_counters *c)
{
	free(c->points);
	c->points = NULL;
	c->npoints = 0;
	c->max_index = 0;
}

static int flow_counters_destroy(struct uobj *u)
{
	if (u->number && mbox_destroy(u->file->vhca, PRM_OPCODE_DEALLOC_FLOW_COUNTER, 0, u->number))
		sim_bug("flow counter 0x%x of the kernel can't be given back", u->number);
	counters_free_points((struct uverbs_counters *)u);
	return 0;
}

const struct uobj_class counters_class = {"counters", UVERBS_OBJECT_COUNTERS, 0,
					  flow_counters_destroy, NULL};

int uverbs_counters_create(struct uverbs_file *f, struct uverbs_request *req)
{
	struct uverbs_counters *c = uobj_new(f, &counters_class, sizeof(*c));

	if (!c)
		return -ENOMEM;
	attr_new_handle(req, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, &c->u);
	return 0;
}

/* --- binding -------------------------------------------------------------------------------- */

static int counters_read_points(struct uverbs_counters *c,
				const struct mlx5_ib_flow_counters_data *d)
{
	struct mlx5_ib_flow_counters_desc desc[MAX_POINTS];
	struct uverbs_file *f = c->u.file;
	uint64_t at = d->counters_data;

	if (!d->ncounters || d->ncounters > MAX_POINTS)
		return refuse(-EINVAL, "CREATE_FLOW: ncounters %u: 1 to %u points are needed",
			      d->ncounters, MAX_POINTS);
	/* An address beyond user space would be in another client's slot of the bus. */
	if (at >> BUS_SLOT_SHIFT ||
	    dma_read(f->k->dev->host, file_bus(f, at), desc, d->ncounters * sizeof(desc[0])))
		return refuse(-EFAULT, "CREATE_FLOW: counters_data can't be read");
	c->points = calloc(d->ncounters, sizeof(*c->points));
	if (!c->points)
		return -ENOMEM;
	c->max_index = 0;
	for (uint32_t i = 0; i < d->ncounters; i++) {
		if (desc[i].description > BYTES || desc[i].index >= MAX_INDEX)
			return refuse(-EINVAL, "CREATE_FLOW: counter description %u at index %u",
				      desc[i].description, desc[i].index);
		c->points[i] = (struct counter_point){desc[i].description == BYTES, desc[i].index};
		if (desc[i].index >= c->max_index)
			c->max_index = desc[i].index + 1;
	}
	c->npoints = d->ncounters;
	return 0;
}

/* Adds a flow. As in mlx5_ib, the first flow must set points, the others must not. */
int counters_bind(struct uverbs_counters *c, const struct mlx5_ib_flow_counters_data *d)
{
	int err;

	if (!d == !c->flows)
		return refuse(-EINVAL, "CREATE_FLOW: the counters %s",
			      d ? "have their points already" : "have no points attached");
	if (!c->flows) {
		err = counters_read_points(c, d);
		if (!err && !c->u.number)
			err = mbox_alloc(c->u.file->vhca, PRM_OPCODE_ALLOC_FLOW_COUNTER, 0,
					 &c->u.number);
		if (err) {
			counters_free_points(c);
			return err;
		}
	}
	c->flows++;
	return 0;
}

void counters_unbind(struct uverbs_counters *c)
{
	/* The next first flow sets points again; mlx5_ib does not reset the count either. */
	if (--c->flows == 0)
		counters_free_points(c);
}

/* --- reading -------------------------------------------------------------------------------- */

static int flow_counters_query(const struct uverbs_counters *c, uint64_t *packets, uint64_t *bytes)
{
	uint8_t in[PRM_QUERY_FLOW_COUNTER_IN_BYTES] = {0};
	uint8_t out[PRM_QUERY_FLOW_COUNTER_OUT_BYTES + PRM_TRAFFIC_COUNTER_BYTES];
	const void *stats;
	int err;

	mbox_begin(in, PRM_OPCODE_QUERY_FLOW_COUNTER, 0);
	prm_query_flow_counter_in_set_flow_counter_id(in, c->u.number);
	err = mbox_exec(c->u.file->vhca, in, sizeof(in), out, sizeof(out));
	if (err)
		return err;
	stats = prm_query_flow_counter_out_cat_flow_statistics(out, 0);
	*packets = prm_traffic_counter_get_packets(stats);
	*bytes = prm_traffic_counter_get_octets(stats);
	return 0;
}

int uverbs_counters_read(struct uverbs_file *f, struct uverbs_request *req)
{
	struct uverbs_attr *buff = attr_find(req, UVERBS_ATTR_READ_COUNTERS_BUFF);
	uint64_t packets, bytes, flags, values[MAX_INDEX] = {0};
	const struct uverbs_counters *c;
	int err = attr_uobj(f, req, UVERBS_ATTR_READ_COUNTERS_HANDLE, &counters_class, &c);

	if (!err)
		err = attr_flags(req, UVERBS_ATTR_READ_COUNTERS_FLAGS,
				 "UVERBS_ATTR_READ_COUNTERS_FLAGS",
				 IB_UVERBS_READ_COUNTERS_PREFER_CACHED, &flags);
	if (err)
		return err;
	if (!c->flows || c->max_index > buff->len / sizeof(values[0]))
		return refuse(-EINVAL, "COUNTERS_READ: %s",
			      c->flows ? "the array ends before the highest point"
				       : "no flow counts here");
	err = flow_counters_query(c, &packets, &bytes);
	if (err)
		return err;
	for (uint32_t i = 0; i < c->npoints; i++)
		values[c->points[i].index] += c->points[i].bytes ? bytes : packets;
	attr_out(req, UVERBS_ATTR_READ_COUNTERS_BUFF, values, c->max_index * sizeof(values[0]));
	/* ib_uverbs sets the array's other counters to 0, and does not write to bytes after it. */
	buff->written = buff->len - buff->len % (uint32_t)sizeof(values[0]);
	return 0;
}
