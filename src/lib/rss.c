/* SPDX-License-Identifier: BSD-2-Clause */
/* Several receive queues behind one TIR, chosen by hash. */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eth.h>
#include "priv.h"

#define ALL_FIELDS (DVX_RSS_SRC_IP | DVX_RSS_DST_IP | DVX_RSS_SRC_PORT | DVX_RSS_DST_PORT)

static int lib_rss_check(struct dvx_dev *dev, struct dvx_rss_attr *attr)
{
	const void *cap;
	uint32_t i, max;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err)
		return err;
	max = prm_cmd_hca_cap_get_log_max_rqt_size(cap);
	if (!dvx_is_pow2(attr->queue_count) || attr->queue_count > 1u << max)
		return dvx_fail(
			EINVAL,
			"dvx_rss_create: attr.queue_count is %u, not a power of two up to %u",
			attr->queue_count, 1u << max);
	for (i = 0; i < attr->queue_count; i++)
		if (!attr->queues || !attr->queues[i] || attr->queues[i]->dev != dev)
			return dvx_fail(EINVAL,
					"dvx_rss_create: attr.queues[%u] is not of this device", i);
	if (attr->fields & ~(uint32_t)ALL_FIELDS)
		return dvx_fail(EINVAL, "dvx_rss_create: attr.fields 0x%x: unknown bits",
				attr->fields);
	if (!attr->fields)
		attr->fields = ALL_FIELDS;
	return 0;
}

static int lib_rss_create_rqt(struct dvx_rss *rss, uint32_t *rqtn)
{
	size_t len = PRM_CREATE_RQT_IN_BYTES + (size_t)rss->count * PRM_RQ_NUM_BYTES;
	uint8_t reply[PRM_CREATE_RQT_OUT_BYTES], *in = calloc(1, len);
	void *rqtc;
	uint32_t i;
	int err;

	if (!in)
		return dvx_fail(ENOMEM, "no memory for a table of %u queues", rss->count);
	rqtc = prm_create_rqt_in_at_rqt_context(in);
	prm_create_rqt_in_set_opcode(in, PRM_OPCODE_CREATE_RQT);
	prm_rqtc_set_rqt_max_size(rqtc, rss->count);
	prm_rqtc_set_rqt_actual_size(rqtc, rss->count);
	for (i = 0; i < rss->count; i++)
		prm_rq_num_set_rq_num(in + PRM_CREATE_RQT_IN_BYTES + i * PRM_RQ_NUM_BYTES,
				      rss->queues[i]->rqn);
	err = dvx_obj_create(rss->dev, in, len, reply, sizeof(reply), &rss->rqt);
	free(in);
	if (!err)
		*rqtn = prm_create_rqt_out_get_rqtn(reply);
	return err;
}

static int lib_rss_build(struct dvx_rss *rss, const struct dvx_rss_attr *attr)
{
	struct dvx_tir tir = {.hash = attr};
	int err = lib_rss_create_rqt(rss, &tir.rqtn);

	return err ? err : dvx_tir_create(rss->dev, &tir, &rss->tir, &rss->tirn);
}

int dvx_rss_create(struct dvx_dev *dev, const struct dvx_rss_attr *user, struct dvx_rss **out)
{
	struct dvx_rss_attr attr;
	struct dvx_rss *rss;
	uint32_t i;
	int err = dvx_attr_copy(&attr, user, "dvx_rss_create");

	if (!err)
		err = dvx_check_not_null("dvx_rss_create", "dev", dev, "out", out, NULL);
	if (!err)
		err = lib_rss_check(dev, &attr);
	if (err)
		return err;
	rss = calloc(1, sizeof(*rss) + attr.queue_count * sizeof(rss->queues[0]));
	if (!rss)
		return dvx_fail(ENOMEM, "no memory for %u queues", attr.queue_count);
	rss->dev = dev;
	rss->count = attr.queue_count;
	memcpy(rss->queues, attr.queues, attr.queue_count * sizeof(rss->queues[0]));
	err = lib_rss_build(rss, &attr);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		dvx_obj_forget(rss->rqt);
		free(rss);
		return dvx_restore(&why);
	}
	for (i = 0; i < rss->count; i++)
		dvx_ref(&rss->queues[i]->refs);
	*out = rss;
	return 0;
}

int dvx_rss_destroy(struct dvx_rss *rss)
{
	uint32_t i;
	int err;

	if (!rss)
		return 0;
	if (dvx_in_use(&rss->refs))
		return dvx_fail(EBUSY, "RSS TIR 0x%x: %d actions lead to it", rss->tirn, rss->refs);
	err = dvx_tir_destroy(rss->dev, rss->tir);
	if (err)
		return err;
	rss->tir = NULL;
	err = dvx_obj_destroy(rss->rqt);
	if (err)
		return err;
	for (i = 0; i < rss->count; i++)
		dvx_unref(&rss->queues[i]->refs);
	free(rss);
	return 0;
}

uint32_t dvx_rss_tirn(const struct dvx_rss *rss)
{
	return rss->tirn;
}
