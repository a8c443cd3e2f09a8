/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cmd.h>
#include <dvx/prm/mkey.h>
#include "priv.h"

#define LOG_ENTITY 12u
#define KNOWN_ACCESS                                                                \
	(DVX_LOCAL_WRITE | DVX_REMOTE_WRITE | DVX_REMOTE_READ | DVX_REMOTE_ATOMIC | \
	 DVX_RELAXED_ORDERING)

/* Its virtual address. WQEs use it too, unless the caller sets another one. */
static uint64_t first_byte(const struct dvx_mkey_attr *attr)
{
	if (attr->umem)
		return (uintptr_t)attr->umem->addr + attr->umem_offset;
	return (uintptr_t)attr->addr;
}

static int lib_mkey_check(struct dvx_dev *dev, const struct dvx_mkey_attr *attr)
{
	if (!attr->pd || attr->pd->dev != dev)
		return dvx_fail(EINVAL, "dvx_mkey_create: attr.pd is not of this device");
	if (attr->access & ~(uint32_t)KNOWN_ACCESS)
		return dvx_fail(EINVAL, "dvx_mkey_create: attr.access 0x%x: unknown bits",
				attr->access);
	if (attr->access & (DVX_REMOTE_WRITE | DVX_REMOTE_ATOMIC) &&
	    !(attr->access & DVX_LOCAL_WRITE))
		return dvx_fail(EINVAL,
				"dvx_mkey_create: attr.access: remote write needs local write");
	if (!attr->len)
		return dvx_fail(EINVAL, "dvx_mkey_create: attr.len is 0");
	if (!attr->umem && !attr->addr)
		return dvx_fail(EINVAL, "dvx_mkey_create: neither attr.addr nor attr.umem is set");
	if (attr->umem && (attr->umem->dev != dev || attr->umem_offset > attr->umem->len ||
			   attr->len > attr->umem->len - attr->umem_offset))
		return dvx_fail(EINVAL,
				"dvx_mkey_create: attr.len %zu from attr.umem_offset is not "
				"inside attr.umem",
				attr->len);
	if (attr->iova && (attr->iova - first_byte(attr)) % (1u << LOG_ENTITY))
		return dvx_fail(EINVAL,
				"dvx_mkey_create: attr.iova 0x%llx lies elsewhere in its page than "
				"the memory does",
				(unsigned long long)attr->iova);
	return 0;
}

static void lib_mkey_fill_context(void *mkc, const struct dvx_mkey *mkey, uint8_t variant)
{
	uint32_t a = mkey->access;

	prm_mkc_set_access_mode_1_0(mkc, PRM_MKC_ACCESS_MODE_1_0_MTT);
	prm_mkc_set_lr(mkc, 1);
	prm_mkc_set_lw(mkc, !!(a & DVX_LOCAL_WRITE));
	prm_mkc_set_rr(mkc, !!(a & DVX_REMOTE_READ));
	prm_mkc_set_rw(mkc, !!(a & DVX_REMOTE_WRITE));
	prm_mkc_set_a(mkc, !!(a & DVX_REMOTE_ATOMIC));
	prm_mkc_set_relaxed_ordering_write(mkc, !!(a & DVX_RELAXED_ORDERING));
	prm_mkc_set_relaxed_ordering_read(mkc, !!(a & DVX_RELAXED_ORDERING));
	prm_mkc_set_qpn(mkc, 0xffffff); /* any QP of the PD */
	prm_mkc_set_mkey_7_0(mkc, variant);
	prm_mkc_set_pd(mkc, mkey->pd->pdn);
	prm_mkc_set_start_addr(mkc, mkey->addr);
	prm_mkc_set_len(mkc, mkey->len);
	prm_mkc_set_log_page_size(mkc, LOG_ENTITY);
}

static int lib_mkey_command(struct dvx_dev *dev, struct dvx_mkey *mkey, uint64_t offset)
{
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = {0}, reply[PRM_CREATE_MKEY_OUT_BYTES];
	void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);
	uint8_t variant = __atomic_add_fetch(&dev->mkey_variant, 1, __ATOMIC_RELAXED);
	uint64_t pages = ((offset & 0xfff) + mkey->len + 0xfff) >> LOG_ENTITY;
	uint32_t octwords = (uint32_t)((pages + 1) / 2); /* two 8-byte translations each */
	int err;

	prm_create_mkey_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	prm_create_mkey_in_set_mkey_umem_valid(in, 1);
	prm_create_mkey_in_set_mkey_umem_id(in, dvx_umem_id(mkey->umem));
	/* [I] in bytes, from the umem's first byte */
	prm_create_mkey_in_set_mkey_umem_offset(in, offset);
	prm_create_mkey_in_set_translations_octword_actual_size(in, octwords);
	lib_mkey_fill_context(mkc, mkey, variant);
	prm_mkc_set_translations_octword_size(mkc, octwords);
	err = dvx_obj_create(dev, in, sizeof(in), reply, sizeof(reply), &mkey->obj);
	if (!err)
		mkey->key = prm_create_mkey_out_get_mkey_index(reply) << 8 | variant;
	return err;
}

int dvx_mkey_create(struct dvx_dev *dev, const struct dvx_mkey_attr *user, struct dvx_mkey **out)
{
	struct dvx_mkey_attr attr;
	struct dvx_mkey *mkey;
	int err = dvx_attr_copy(&attr, sizeof(attr), user, "dvx_mkey_create");

	if (!err)
		err = lib_mkey_check(dev, &attr);
	if (err)
		return err;
	mkey = calloc(1, sizeof(*mkey));
	if (!mkey)
		return dvx_fail(ENOMEM, "no memory for an mkey");
	mkey->dev = dev;
	mkey->pd = attr.pd;
	mkey->access = attr.access;
	mkey->len = attr.len;
	mkey->umem = attr.umem;
	mkey->own_umem = !attr.umem;
	if (mkey->own_umem)
		err = dvx_umem_reg(dev, attr.addr, attr.len, attr.access, &mkey->umem);
	if (err)
		goto free;
	mkey->addr = attr.iova ? attr.iova : first_byte(&attr);
	err = lib_mkey_command(dev, mkey, attr.umem ? attr.umem_offset : 0);
	if (err)
		goto dereg;
	dvx_ref(&mkey->umem->refs);
	dvx_ref(&mkey->pd->refs);
	*out = mkey;
	return 0;

dereg:
	if (mkey->own_umem)
		dvx_umem_dereg(mkey->umem);
free:
	free(mkey);
	return err;
}

int dvx_mkey_destroy(struct dvx_mkey *mkey)
{
	int err;

	if (!mkey)
		return 0;
	err = dvx_obj_destroy(mkey->obj);
	if (err)
		return err;
	dvx_unref(&mkey->pd->refs);
	if (mkey->umem)
		dvx_unref(&mkey->umem->refs);
	if (mkey->own_umem)
		dvx_umem_dereg(mkey->umem);
	free(mkey);
	return 0;
}

uint32_t dvx_mkey_key(const struct dvx_mkey *mkey)
{
	return mkey->key;
}

uint64_t dvx_mkey_addr(const struct dvx_mkey *mkey)
{
	return mkey->addr;
}

uint64_t dvx_mkey_len(const struct dvx_mkey *mkey)
{
	return mkey->len;
}
