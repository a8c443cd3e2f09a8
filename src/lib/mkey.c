/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cmd.h>
#include <dvx/prm/mkey.h>
#include "priv.h"

/* Returns the virtual address of the first byte. WQEs use it, too, unless iova is set. */
static uint64_t mkey_first_byte(const struct dvx_mkey_attr *attr)
{
	if (attr->umem)
		return (uintptr_t)attr->umem->addr + attr->umem_offset;
	return (uintptr_t)attr->addr;
}

static int lib_mkey_check_range(struct dvx_dev *dev, const struct dvx_mkey_attr *attr)
{
	if (!attr->len)
		return dvx_fail(EINVAL, "dvx_mkey_create: attr.len is 0");
	if (!attr->umem && !attr->addr && !(attr->flags & DVX_MKEY_ON_DEMAND))
		return dvx_fail(EINVAL, "dvx_mkey_create: neither attr.addr nor attr.umem is set");
	if (attr->umem && (attr->umem->dev != dev || attr->umem_offset > attr->umem->len ||
			   attr->len > attr->umem->len - attr->umem_offset))
		return dvx_fail(EINVAL,
				"dvx_mkey_create: attr.len %zu from attr.umem_offset is not "
				"inside attr.umem",
				attr->len);
	if (attr->iova && (attr->iova - mkey_first_byte(attr)) % (1u << DVX_LOG_PAGE_MIN))
		return dvx_fail(EINVAL,
				"dvx_mkey_create: attr.iova 0x%llx lies elsewhere in its page than "
				"the memory does",
				(unsigned long long)attr->iova);
	return 0;
}

static int lib_mkey_check(struct dvx_dev *dev, const struct dvx_mkey_attr *attr)
{
	int err;

	if (!attr->pd || attr->pd->dev != dev)
		return dvx_fail(EINVAL, "dvx_mkey_create: attr.pd is not of this device");
	if (attr->flags & ~(uint32_t)DVX_MKEY_ON_DEMAND)
		return dvx_fail(EINVAL, "dvx_mkey_create: attr.flags 0x%x: unknown bits",
				attr->flags);
	err = dvx_access_check("dvx_mkey_create", "attr.access", attr->access);
	return err ? err : lib_mkey_check_range(dev, attr);
}

struct dvx_mkey *dvx_mkey_new(struct dvx_dev *dev, struct dvx_pd *pd, uint32_t access)
{
	struct dvx_mkey *mkey = calloc(1, sizeof(*mkey));

	if (!mkey) {
		dvx_fail(ENOMEM, "no memory for an mkey");
		return NULL;
	}
	mkey->dev = dev;
	mkey->pd = pd;
	mkey->access = access;
	dvx_ref(&pd->refs);
	return mkey;
}

/* Called after the mkey's destruction: the mkey refers to its PSVs. */
static void mkey_sig_free(struct dvx_mkey *mkey)
{
	int i;

	if (!mkey->sig)
		return;
	for (i = 0; i < 2; i++)
		if (mkey->sig->psv[i])
			dvx_obj_forget(mkey->sig->psv[i]);
	free(mkey->sig);
}

/* Keeps the thread's last error, which is the reason for the call. */
void dvx_mkey_drop(struct dvx_mkey *mkey)
{
	struct dvx_error why = *dvx_last_error();

	if (mkey->umem)
		dvx_unref(&mkey->umem->refs);
	if (mkey->own_umem)
		dvx_umem_dereg(mkey->umem);
	mkey_sig_free(mkey);
	dvx_unref(&mkey->pd->refs);
	free(mkey);
	dvx_restore(&why);
}

/* Relaxed ordering is optional: a device without it keeps the order. */
void dvx_mkey_context(const struct dvx_mkey *mkey, void *mkc)
{
	uint32_t a = mkey->access;
	bool relaxed = a & DVX_RELAXED_ORDERING;

	prm_mkc_set_lr(mkc, 1);
	prm_mkc_set_lw(mkc, !!(a & DVX_LOCAL_WRITE));
	prm_mkc_set_rr(mkc, !!(a & DVX_REMOTE_READ));
	prm_mkc_set_rw(mkc, !!(a & DVX_REMOTE_WRITE));
	prm_mkc_set_a(mkc, !!(a & DVX_REMOTE_ATOMIC));
	prm_mkc_set_relaxed_ordering_write(mkc, relaxed && mkey->dev->caps.relaxed_write);
	prm_mkc_set_relaxed_ordering_read(mkc, relaxed && mkey->dev->caps.relaxed_read);
	prm_mkc_set_qpn(mkc, 0xffffff); /* any QP of the PD */
	prm_mkc_set_mkey_7_0(mkc,
			     __atomic_add_fetch(&mkey->dev->mkey_variant, 1, __ATOMIC_RELAXED));
	prm_mkc_set_pd(mkc, mkey->pd->pdn);
	prm_mkc_set_start_addr(mkc, mkey->addr);
	prm_mkc_set_len(mkc, mkey->len);
}

int dvx_mkey_submit(struct dvx_mkey *mkey, const void *in, size_t len)
{
	const void *mkc = prm_create_mkey_in_cat_memory_key_mkey_entry(in);
	uint8_t reply[PRM_CREATE_MKEY_OUT_BYTES];
	int err = dvx_obj_create(mkey->dev, in, len, reply, sizeof(reply), &mkey->obj);

	if (!err)
		mkey->key =
			prm_create_mkey_out_get_mkey_index(reply) << 8 | prm_mkc_get_mkey_7_0(mkc);
	return err;
}

/* Returns log2 of the page size: the umem's, or less if iova has another offset in such pages. */
static uint32_t lib_mkey_page(const struct dvx_mkey *mkey, uint64_t first)
{
	uint64_t moved = (mkey->addr - first) | 1ull << mkey->umem->log_page;

	return (uint32_t)__builtin_ctzll(moved);
}

static int lib_mkey_command(struct dvx_mkey *mkey, uint64_t offset, uint32_t log_page)
{
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = {0};
	void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);
	uint64_t mask = (1ull << log_page) - 1;
	uint64_t pages = ((mkey->addr & mask) + mkey->len + mask) >> log_page;
	uint32_t octwords = (uint32_t)((pages + 1) / 2); /* two 8-byte translations each */

	prm_create_mkey_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	prm_create_mkey_in_set_mkey_umem_valid(in, 1);
	prm_create_mkey_in_set_mkey_umem_id(in, dvx_umem_id(mkey->umem));
	/* [I] in bytes, from the umem's first byte */
	prm_create_mkey_in_set_mkey_umem_offset(in, offset);
	prm_create_mkey_in_set_translations_octword_actual_size(in, octwords);
	dvx_mkey_context(mkey, mkc);
	prm_mkc_set_access_mode_1_0(mkc, PRM_MKC_ACCESS_MODE_1_0_MTT);
	prm_mkc_set_log_page_size(mkc, log_page);
	prm_mkc_set_translations_octword_size(mkc, octwords);
	mkey->log_page = (uint8_t)log_page;
	return dvx_mkey_submit(mkey, in, sizeof(in));
}

static int lib_mkey_pinned(struct dvx_mkey *mkey, const struct dvx_mkey_attr *attr)
{
	uint64_t offset = attr->umem ? attr->umem_offset : 0;
	uint32_t log_page;
	int err;

	if (!attr->umem) {
		err = dvx_umem_reg(mkey->dev, attr->addr, attr->len, attr->access, &mkey->umem);
		if (err)
			return err;
		mkey->own_umem = true;
	} else {
		mkey->umem = attr->umem;
	}
	dvx_ref(&mkey->umem->refs);
	log_page = lib_mkey_page(mkey, mkey_first_byte(attr));
	err = lib_mkey_command(mkey, offset, log_page);
	/* [I] Firmware takes large pages here; all public programs write 12. */
	if (err && log_page > DVX_LOG_PAGE_MIN)
		err = lib_mkey_command(mkey, offset, DVX_LOG_PAGE_MIN);
	return err;
}

int dvx_mkey_create(struct dvx_dev *dev, const struct dvx_mkey_attr *user, struct dvx_mkey **out)
{
	struct dvx_mkey_attr attr;
	struct dvx_mkey *mkey;
	int err = dvx_attr_copy(&attr, user, "dvx_mkey_create");

	if (!err)
		err = dvx_check_not_null("dvx_mkey_create", "dev", dev, "out", out, NULL);
	if (!err)
		err = lib_mkey_check(dev, &attr);
	if (err)
		return err;
	mkey = dvx_mkey_new(dev, attr.pd, attr.access);
	if (!mkey)
		return -ENOMEM;
	mkey->len = attr.len;
	mkey->addr = attr.iova ? attr.iova : mkey_first_byte(&attr);
	err = attr.flags & DVX_MKEY_ON_DEMAND ? dvx_mkey_on_demand(mkey, &attr)
					      : lib_mkey_pinned(mkey, &attr);
	if (err) {
		dvx_mkey_drop(mkey);
		return err;
	}
	*out = mkey;
	return 0;
}

int dvx_mkey_destroy(struct dvx_mkey *mkey)
{
	int err;

	if (!mkey)
		return 0;
	err = mkey->mr ? dvx_mkey_dereg(mkey) : dvx_obj_destroy(mkey->obj);
	if (err)
		return err;
	mkey_sig_free(mkey);
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

uint32_t dvx_mkey_log_page(const struct dvx_mkey *mkey)
{
	return mkey->log_page;
}
