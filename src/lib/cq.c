/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cq.h>
#include "priv.h"

_Static_assert(sizeof(struct dvx_cq) == 128, "ABI");
_Static_assert(offsetof(struct dvx_cq, dbrec) == 40, "ABI");
_Static_assert(offsetof(struct dvx_cq, stride) == 56, "ABI");
_Static_assert(offsetof(struct dvx_cq, arm_reg) == 64, "the first line is what a poll reads");
_Static_assert(sizeof(struct dvx_cq_queue) == 32, "ABI");

#define CQ_ARM_OFFSET	0x20u
#define MAX_LOG_ENTRIES 22u

/* Sets up a ring with consumer index `index`. In a large entry, the CQE is the last 64 bytes. */
void dvx_cq_place(struct dvx_cq *cq, const uint8_t *buf, uint32_t entries, uint32_t index)
{
	cq->entries = entries;
	cq->first = buf + cq->stride - DVX_CQE_BYTES;
	cq->end = cq->first + entries * cq->stride;
	cq->next = cq->first + (index & (entries - 1)) * cq->stride;
	cq->phase = index & entries ? DVX_CQ_OLD : 0;
	cq->stop = cq->next;
	cq->stop_index = index;
}

static bool lib_cq_mini_known(uint32_t mini)
{
	return mini == DVX_CQ_MINI_HASH || mini == DVX_CQ_MINI_CSUM ||
	       mini == DVX_CQ_MINI_CSUM_STRIDE;
}

static int lib_cq_check_init(struct dvx_cq_memory *init)
{
	if (!dvx_is_pow2(init->entries) || init->entries > 1u << MAX_LOG_ENTRIES)
		return dvx_fail(EINVAL, "dvx_cq_init: entries is %u, not a power of two up to 2^%u",
				init->entries, MAX_LOG_ENTRIES);
	if (!init->buf || !init->dbrec)
		return dvx_fail(EINVAL, "dvx_cq_init: buf and dbrec must be set");
	if (!init->cqe_bytes)
		init->cqe_bytes = DVX_CQE_BYTES;
	if (init->cqe_bytes != DVX_CQE_BYTES && init->cqe_bytes != 2 * DVX_CQE_BYTES)
		return dvx_fail(EINVAL, "dvx_cq_init: cqe_bytes is %u, not 64 or 128",
				init->cqe_bytes);
	return lib_cq_mini_known(init->mini)
		       ? 0
		       : dvx_fail(EINVAL, "dvx_cq_init: mini %u is none of enum dvx_cq_mini",
				  init->mini);
}

int dvx_cq_init(struct dvx_cq *cq, const struct dvx_cq_memory *user)
{
	struct dvx_cq_memory init;
	int err = dvx_struct_copy(&init, user, "dvx_cq_init", "init");
	uint32_t i;

	if (!err)
		err = dvx_check_not_null("dvx_cq_init", "cq", cq, NULL);
	if (!err)
		err = lib_cq_check_init(&init);
	if (err)
		return err;
	memset(cq, 0, sizeof(*cq));
	cq->stride = init.cqe_bytes;
	cq->mini = init.mini;
	dvx_cq_place(cq, init.buf, init.entries, 0);
	dvx_cq_set_slack(cq, init.slack);
	cq->dbrec = init.dbrec;
	cq->cqn = init.cqn;
	cq->arm_reg = init.uar ? (uintptr_t)init.uar + CQ_ARM_OFFSET : 0;
	cq->queues = &dvx_cq_no_queue;
	for (i = 0; i < init.entries; i++)
		dvx_cq_entry(cq, i)[DVX_CQE_BYTES - 1] = PRM_CQE_OPCODE_INVALID << 4 | 1;
	memcpy(&cq->newest, cq->first + DVX_CQE_BYTES - 4, sizeof(cq->newest));
	return 0;
}

uint32_t dvx_cq_log_max(const struct dvx_dev *dev)
{
	uint32_t max = dev->caps.log_max_cq_entries;

	return !max || max > MAX_LOG_ENTRIES ? MAX_LOG_ENTRIES : max;
}

static int lib_cq_lacks(struct dvx_dev *dev, const char *flag, const char *cap)
{
	return dvx_fail(EOPNOTSUPP, "dvx_cq_create: attr has %s, but %s has no %s", flag,
			dvx_dev_name(dev), cap);
}

/* Checks the flags that need a capability. No capability announces collapsed CQs. */
static int lib_cq_check_caps(struct dvx_dev *dev, const struct dvx_cq_attr *attr)
{
	bool compressed = attr->flags & DVX_CQ_COMPRESSED, large = attr->flags & DVX_CQ_128;
	const void *cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err)
		return err;
	if (attr->flags & DVX_CQ_OVERRUN_IGNORE && !prm_cmd_hca_cap_get_cq_oi(cap))
		return lib_cq_lacks(dev, "DVX_CQ_OVERRUN_IGNORE or _COLLAPSED", "cq_oi");
	if (compressed && !prm_cmd_hca_cap_get_cqe_compression(cap))
		return lib_cq_lacks(dev, "DVX_CQ_COMPRESSED", "cqe_compression");
	if (compressed && large && !prm_cmd_hca_cap_get_cqe_compression_128(cap))
		return lib_cq_lacks(dev, "DVX_CQ_COMPRESSED and _128", "cqe_compression_128");
	if (attr->mini == DVX_CQ_MINI_CSUM_STRIDE &&
	    !prm_cmd_hca_cap_get_mini_cqe_resp_stride_index(cap))
		return lib_cq_lacks(dev, "DVX_CQ_MINI_CSUM_STRIDE", "mini_cqe_resp_stride_index");
	return 0;
}

static int lib_cq_check_flags(struct dvx_dev *dev, struct dvx_cq_attr *attr)
{
	const uint32_t known = DVX_CQ_OVERCOMMIT | DVX_CQ_128 | DVX_CQ_OVERRUN_IGNORE |
			       DVX_CQ_COLLAPSED | DVX_CQ_COMPRESSED;

	if (attr->flags & ~known)
		return dvx_fail(EINVAL, "dvx_cq_create: attr.flags 0x%x: unknown bits",
				attr->flags);
	if (attr->flags & DVX_CQ_COLLAPSED && attr->flags & DVX_CQ_COMPRESSED)
		return dvx_fail(EINVAL, "dvx_cq_create: attr.flags has DVX_CQ_COLLAPSED and "
					"DVX_CQ_COMPRESSED: one entry can't hold a session");
	if (attr->mini && !(attr->flags & DVX_CQ_COMPRESSED))
		return dvx_fail(EINVAL, "dvx_cq_create: attr.mini is %u without DVX_CQ_COMPRESSED",
				attr->mini);
	if (!lib_cq_mini_known(attr->mini))
		return dvx_fail(EINVAL, "dvx_cq_create: attr.mini %u is none of enum dvx_cq_mini",
				attr->mini);
	if (attr->flags & DVX_CQ_COLLAPSED)
		attr->flags |= DVX_CQ_OVERRUN_IGNORE;
	return lib_cq_check_caps(dev, attr);
}

static int lib_cq_check(struct dvx_dev *dev, const struct dvx_cq_attr *attr)
{
	uint32_t max = dvx_cq_log_max(dev);

	if (!attr->entries || attr->entries > 1u << max)
		return dvx_fail(EINVAL, "dvx_cq_create: attr.entries is %u, not 1 to 2^%u",
				attr->entries, max);
	if (!attr->uar || attr->uar->dev != dev)
		return dvx_fail(EINVAL, "dvx_cq_create: attr.uar is not of this device");
	return 0;
}

static void lib_cq_set_kind(const struct dvx_cq_priv *cq, void *cqc)
{
	uint32_t flags = cq->flags;

	prm_cqc_set_cqe_sz(cqc, flags & DVX_CQ_128 ? PRM_CQC_CQE_SZ_128 : PRM_CQC_CQE_SZ_64);
	prm_cqc_set_oi(cqc, !!(flags & DVX_CQ_OVERRUN_IGNORE));
	prm_cqc_set_cc(cqc, !!(flags & DVX_CQ_COLLAPSED));
	prm_cqc_set_cqe_comp_en(cqc, !!(flags & DVX_CQ_COMPRESSED));
	prm_cqc_set_mini_cqe_res_format(cqc, cq->ring.mini);
}

static int lib_cq_command(struct dvx_cq_priv *cq, uint32_t eqn)
{
	uint8_t in[PRM_CREATE_CQ_IN_BYTES] = {0}, reply[PRM_CREATE_CQ_OUT_BYTES];
	void *cqc = prm_create_cq_in_at_cq_context(in);
	int err;

	prm_create_cq_in_set_opcode(in, PRM_OPCODE_CREATE_CQ);
	prm_create_cq_in_set_cq_umem_id(in, dvx_umem_id(cq->at.umem));
	prm_create_cq_in_set_cq_umem_valid(in, 1);
	lib_cq_set_kind(cq, cqc);
	prm_cqc_set_log_cq_size(cqc, dvx_log2_up(cq->ring.entries));
	prm_cqc_set_uar_page(cqc, dvx_uar_index(cq->uar));
	prm_cqc_set_c_eqn_or_apu_element(cqc, eqn);
	prm_cqc_set_dbr_umem_id(cqc, dvx_dbr_umem_id(cq->at.dbr));
	prm_cqc_set_dbr_umem_valid(cqc, 1);
	prm_cqc_set_dbr_addr(cqc, dvx_dbr_offset(cq->at.dbr));
	err = dvx_obj_create(cq->dev, in, sizeof(in), reply, sizeof(reply), &cq->obj);
	if (!err)
		cq->ring.cqn = prm_create_cq_out_get_cqn(reply);
	return err;
}

static void lib_cq_release(struct dvx_cq_priv *cq)
{
	dvx_queue_memory_free(&cq->at);
	free(cq->places);
	free(cq->pools);
	free(cq);
}

/* Adds a quarter to `wanted`, so that at least a fifth of the ring is slack. */
uint32_t dvx_cq_entries(const struct dvx_dev *dev, uint32_t wanted)
{
	uint32_t roomy = 1u << dvx_log2_up(wanted + wanted / 4), max = 1u << dvx_cq_log_max(dev);

	return roomy > max ? max : roomy;
}

static int lib_cq_build(struct dvx_cq_priv *cq, const struct dvx_cq_attr *attr)
{
	uint32_t entries = dvx_cq_entries(cq->dev, attr->entries), eqn;
	struct dvx_cq_memory init = {.size = sizeof(init),
				     .entries = entries,
				     .uar = dvx_uar_base(attr->uar),
				     .mini = attr->mini,
				     .cqe_bytes = attr->flags & DVX_CQ_128 ? 2 * DVX_CQE_BYTES
									   : DVX_CQE_BYTES};
	size_t bytes = (size_t)entries * init.cqe_bytes;
	int err;

	if (mlx5dv_devx_query_eqn(cq->dev->ctx, attr->vector, &eqn))
		return dvx_fail(EINVAL, "dvx_cq_create: the device has no attr.vector %u",
				attr->vector);
	err = dvx_queue_memory_alloc(cq->dev, bytes, &attr->place, &cq->at);
	if (err)
		return err;
	init.buf = dvx_mem_addr(cq->at.mem);
	init.dbrec = dvx_dbr_words(cq->at.dbr);
	err = dvx_cq_init(&cq->ring, &init);
	return err ? err : lib_cq_command(cq, eqn);
}

int dvx_cq_create(struct dvx_dev *dev, const struct dvx_cq_attr *user, struct dvx_cq **out)
{
	struct dvx_cq_attr attr;
	struct dvx_cq_priv *cq;
	int err = dvx_attr_copy(&attr, user, "dvx_cq_create");

	if (!err)
		err = dvx_check_not_null("dvx_cq_create", "dev", dev, "out", out, NULL);
	if (!err)
		err = lib_cq_check(dev, &attr);
	if (!err)
		err = lib_cq_check_flags(dev, &attr);
	if (err)
		return err;
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return dvx_fail(ENOMEM, "no memory for a CQ");
	cq->dev = dev;
	cq->uar = attr.uar;
	cq->flags = attr.flags;
	err = lib_cq_build(cq, &attr);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		lib_cq_release(cq);
		return dvx_restore(&why);
	}
	cq->ring.priv = cq;
	if (cq->flags & DVX_CQ_COLLAPSED)
		dvx_cq_collapse(&cq->ring);
	dvx_ref(&cq->uar->refs);
	*out = &cq->ring;
	return 0;
}

/*
 * Sets the owner bit of an entry that was never written, as libdvx expects it: libmlx5 recognises
 * such an entry by its opcode. If the device writes the entry at this moment, it stays as it is.
 */
static void lib_cq_disown(struct dvx_cq *cq)
{
	uint32_t index = dvx_cq_index(cq);

	for (uint32_t i = index; i != index + cq->entries; i++) {
		uint8_t *cqe = dvx_cq_entry(cq, i);
		uint8_t unused = (uint8_t)(PRM_CQE_OPCODE_INVALID << 4 | !!(i & cq->entries));

		__atomic_compare_exchange_n(cqe + DVX_CQE_BYTES - 1, &unused, unused ^ 1, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

/* Sets up a ring that continues libmlx5's at its consumer index. */
static void cq_take_over(struct dvx_cq *cq, const struct mlx5dv_cq *dv)
{
	cq->dbrec = (uint32_t *)dv->dbrec;
	cq->stride = dv->cqe_size;
	dvx_cq_place(cq, dv->buf, dv->cqe_cnt, prm_swap32(cq->dbrec[0]) & 0xffffff);
	lib_cq_disown(cq);
	cq->cqn = dv->cqn;
	cq->arm_reg = dv->cq_uar ? (uintptr_t)dv->cq_uar + CQ_ARM_OFFSET : 0;
}

/*
 * Asks the device whether a verbs CQ compresses CQEs, and in which format: libmlx5 does not report
 * it, and with a wrong format a checksum would be returned as the hash.
 */
static int lib_cq_read_mini(struct dvx_cq *cq, struct ibv_cq *ibcq)
{
	uint8_t in[PRM_QUERY_CQ_IN_BYTES] = {0}, reply[PRM_QUERY_CQ_OUT_BYTES] = {0};
	int err;

	prm_query_cq_in_set_opcode(in, PRM_OPCODE_QUERY_CQ);
	prm_query_cq_in_set_cqn(in, cq->cqn);
	err = mlx5dv_devx_cq_query(ibcq, in, sizeof(in), reply, sizeof(reply));
	if (err)
		return dvx_fail_cmd(in, reply, err);
	cq->mini =
		(uint32_t)prm_cqc_get_mini_cqe_res_format(prm_query_cq_out_cat_cq_context(reply));
	return 0;
}

int dvx_cq_adopt(struct dvx_dev *dev, struct ibv_cq *ibcq, struct dvx_cq **out)
{
	struct mlx5dv_cq dv = {0};
	struct mlx5dv_obj obj = {.cq = {ibcq, &dv}};
	struct dvx_cq_priv *cq;
	int err = dvx_check_not_null("dvx_cq_adopt", "dev", dev, "ibcq", ibcq, "out", out, NULL);

	if (err)
		return err;
	if (ibcq->context != dev->ctx)
		return dvx_fail(EINVAL, "dvx_cq_adopt: the ibv_cq is of another context");
	if (dvx_adopted(dev, ibcq))
		return dvx_fail(EBUSY, "dvx_cq_adopt: the ibv_cq is adopted already");
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ))
		return dvx_fail(EINVAL, "dvx_cq_adopt: libmlx5 does not know this ibv_cq");
	if (dv.cqe_size != DVX_CQE_BYTES && dv.cqe_size != 2 * DVX_CQE_BYTES)
		return dvx_fail(EOPNOTSUPP,
				"dvx_cq_adopt: the ibv_cq has CQEs of %u bytes, not 64 or 128",
				dv.cqe_size);
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return dvx_fail(ENOMEM, "no memory for a CQ");
	cq->dev = dev;
	cq->ibcq = ibcq;
	cq->ring.priv = cq;
	cq_take_over(&cq->ring, &dv);
	err = lib_cq_read_mini(&cq->ring, ibcq);
	if (err) {
		free(cq);
		return err;
	}
	dvx_cq_set_slack(&cq->ring, 0);
	dvx_adopted_add(dev, &cq->adopted, ibcq, cq);
	*out = &cq->ring;
	return 0;
}

int dvx_cq_destroy(struct dvx_cq *ring)
{
	struct dvx_cq_priv *cq;
	int err;

	if (!ring)
		return 0;
	cq = ring->priv;
	if (cq->queue_count)
		return dvx_fail(EBUSY, "CQ %u: %u queues still use it", ring->cqn, cq->queue_count);
	err = dvx_obj_destroy(cq->obj);
	if (err)
		return err;
	dvx_channel_forget(cq);
	if (cq->ibcq)
		dvx_adopted_remove(cq->dev, &cq->adopted);
	else
		dvx_unref(&cq->uar->refs);
	lib_cq_release(cq);
	return 0;
}
