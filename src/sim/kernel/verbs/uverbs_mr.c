/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory regions: mkeys with a page list. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/mkey.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include "fw/fw.h"
#include "kernel/core/cmd.h"
#include "kernel/core/pages.h"
#include "kernel/core/pins.h"
#include "mr.h"
#include "priv.h"
#include "uverbs/resource.h"

#define PAGE		4096ull
#define PAGE_PRESENT	3ull /* bits of a translation: readable, writable, no fault */
#define LOG_SPACE	48u  /* bits of a user space address */
#define LOG_PAGES_MOST	32u  /* pages of a region: the kernel counts them in 32 bits */
#define LOG_DEMAND_MOST 28u  /* on demand: 8 bytes each, kvcalloc() ends at 2 GiB */
/* Flags that ib_core knows; it ignores those of the optional range. */
#define KNOWN_ACCESS                                                                           \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |                        \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC |                       \
	 IB_UVERBS_ACCESS_MW_BIND | IB_UVERBS_ACCESS_ZERO_BASED | IB_UVERBS_ACCESS_ON_DEMAND | \
	 IB_UVERBS_ACCESS_HUGETLB | IB_UVERBS_ACCESS_OPTIONAL_RANGE)
#define NEEDS_LOCAL_WRITE (IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC)
#define WRITES		  (NEEDS_LOCAL_WRITE | IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_MW_BIND)

static int uverbs_mr_release(struct uobj *u)
{
	dmabuf_close(((struct mr *)u)->dmabuf);
	return 0;
}

static void uverbs_mr_describe(struct uobj *u, struct uverbs_resource *r)
{
	const struct mr *mr = (const struct mr *)u;

	r->kind = RESOURCE_MR;
	r->id = u->number;
	r->pd = mr->pd->number;
	r->len = mr->len;
}

const struct uobj_class mr_class = {"MR", UVERBS_OBJECT_MR, PRM_OPCODE_DESTROY_MKEY,
				    uverbs_mr_release, uverbs_mr_describe};

bool mr_is_implicit(const struct ib_uverbs_reg_mr *r)
{
	return r->access_flags & IB_UVERBS_ACCESS_ON_DEMAND && !r->start && r->length == UINT64_MAX;
}

bool mr_offsets_agree(uint64_t start, uint64_t iova)
{
	return !((start ^ iova) & (PAGE - 1));
}

int mr_check_offsets(uint64_t start, uint64_t hca_va)
{
	if (mr_offsets_agree(start, hca_va))
		return 0;
	return refuse(-EINVAL, "REG_MR: start 0x%llx and hca_va 0x%llx differ within a page",
		      (unsigned long long)start, (unsigned long long)hca_va);
}

int mr_check_writes(const char *what, uint32_t access)
{
	if (!(access & NEEDS_LOCAL_WRITE) || access & IB_UVERBS_ACCESS_LOCAL_WRITE)
		return 0;
	return refuse(-EINVAL, "%s 0x%x: remote writes and atomics need LOCAL_WRITE", what, access);
}

int mr_check_access(const struct uverbs_file *f, uint32_t a)
{
	if (a & ~(uint32_t)KNOWN_ACCESS)
		return refuse(-EINVAL, "REG_MR: access_flags 0x%x has unknown bits", a);
	if (a & IB_UVERBS_ACCESS_ON_DEMAND && !prm_cmd_hca_cap_get_pg(file_caps(f)))
		return refuse(-EINVAL, "REG_MR: access_flags: this device does not page on demand");
	return mr_check_writes("REG_MR: access_flags", a);
}

static bool mr_pages_ok(const struct ib_uverbs_reg_mr *r)
{
	const uint64_t end = r->start + r->length;

	return r->length && end >= r->start && end <= UINT64_MAX - PAGE &&
	       ((end + PAGE - 1) / PAGE - r->start / PAGE) >> LOG_PAGES_MOST == 0;
}

/* Checks a region on demand. It pins nothing: unmapped pages may be mapped later. */
static int mr_check_demand(const struct ib_uverbs_reg_mr *r)
{
	const uint64_t end = r->start + r->length;

	if (mr_is_implicit(r)) {
		if (!r->hca_va && !(r->access_flags & IB_UVERBS_ACCESS_HUGETLB))
			return 0;
		return refuse(-EINVAL,
			      "REG_MR: hca_va 0x%llx of an implicit region is not 0, or HUGETLB",
			      (unsigned long long)r->hca_va);
	}
	/* Pages beyond would be on another client's part of the bus. */
	if (end < r->start || end > 1ull << LOG_SPACE)
		return refuse(-EOVERFLOW, "REG_MR: length %llu at 0x%llx leaves the address space",
			      (unsigned long long)r->length, (unsigned long long)r->start);
	if (!r->length && !(r->start & (PAGE - 1)))
		return refuse(-EINVAL, "REG_MR: length 0 on demand");
	if (((end + PAGE - 1) / PAGE - r->start / PAGE) >> LOG_DEMAND_MOST)
		return refuse(-ENOMEM,
			      "REG_MR: length %llu: the kernel has a list of the pages on demand, "
			      "and no room for 2^%u; an implicit region has no such list",
			      (unsigned long long)r->length, LOG_DEMAND_MOST);
	return 0;
}

int mr_check_memory(struct uverbs_file *f, const struct ib_uverbs_reg_mr *r)
{
	const uint32_t a = r->access_flags;
	const struct pin_range range = {.method = "REG_MR",
					.va = r->start,
					.len = r->length,
					.write = a & WRITES,
					.use = PIN_DATA};

	if (a & IB_UVERBS_ACCESS_ON_DEMAND)
		return mr_check_demand(r);
	if (!mr_pages_ok(r))
		return refuse(-EINVAL,
			      "REG_MR: length %llu at 0x%llx is empty, leaves the address space, "
			      "or has more pages than 32 bits count",
			      (unsigned long long)r->length, (unsigned long long)r->start);
	return pin_memory(f, &range);
}

int mkey_create(struct uobj *u, void *in, size_t len, uint32_t *key)
{
	const uint8_t low = u->file->k->next_key++;
	int err;

	u->uid = 0; /* as in mlx5_ib */
	mbox_begin(in, PRM_OPCODE_CREATE_MKEY, u->uid);
	prm_mkc_set_mkey_7_0(prm_create_mkey_in_at_memory_key_mkey_entry(in), low);
	err = mbox_create(u->file->vhca, in, len, &u->number);
	if (!err)
		*key = u->number << 8 | low;
	return err;
}

void mr_set_mkc(void *mkc, const struct ib_uverbs_reg_mr *r, const struct pages *p, uint32_t pdn)
{
	const uint32_t a = r->access_flags;

	prm_mkc_set_a(mkc, !!(a & IB_UVERBS_ACCESS_REMOTE_ATOMIC));
	prm_mkc_set_rw(mkc, !!(a & IB_UVERBS_ACCESS_REMOTE_WRITE));
	prm_mkc_set_rr(mkc, !!(a & IB_UVERBS_ACCESS_REMOTE_READ));
	prm_mkc_set_lw(mkc, !!(a & IB_UVERBS_ACCESS_LOCAL_WRITE));
	prm_mkc_set_lr(mkc, 1);
	prm_mkc_set_relaxed_ordering_write(mkc, !!(a & IB_UVERBS_ACCESS_RELAXED_ORDERING));
	prm_mkc_set_relaxed_ordering_read(mkc, !!(a & IB_UVERBS_ACCESS_RELAXED_ORDERING));
	prm_mkc_set_umr_en(mkc, 1);
	prm_mkc_set_access_mode_1_0(mkc, PRM_MKC_ACCESS_MODE_MTT);
	prm_mkc_set_qpn(mkc, 0xffffff);
	prm_mkc_set_pd(mkc, pdn);
	prm_mkc_set_start_addr(mkc, r->hca_va);
	prm_mkc_set_len(mkc, mr_is_implicit(r) ? 1ull << LOG_SPACE : r->length);
	prm_mkc_set_translations_octword_size(mkc, (p->n + 1) / 2);
	prm_mkc_set_log_page_size(mkc, p->log_page);
}

/* Makes the page list. An implicit region is one page as large as the address space. */
static int mr_pages(struct pages *p, const struct mm *mm, const struct ib_uverbs_reg_mr *r)
{
	if (!mr_is_implicit(r))
		return pages_mkey(p, mm, r->start, r->length ? r->length : 1, r->hca_va);
	*p = (struct pages){.first = mm_bus(mm, 0), .log_page = LOG_SPACE, .n = 1};
	return 0;
}

/* Prepares mm for a region on demand: nothing holds its pages, so unmapped ones vanish from it. */
static int mr_pages_on_demand(struct pages *p, struct mm *mm)
{
	p->first = mm_bus_on_demand(mm, p->first);
	return p->first ? 0 : refuse(-ENOMEM, "REG_MR: the device is full of clients");
}

int mr_create_mkey(struct mr *mr, const struct ib_uverbs_reg_mr *r)
{
	const bool on_demand = r->access_flags & IB_UVERBS_ACCESS_ON_DEMAND;
	struct pages p;
	size_t len;
	uint8_t *in;
	int err = mr_pages(&p, mr->mm, r);

	if (err)
		return refuse(err, "REG_MR: length %llu takes too many pages of 2^%d bytes",
			      (unsigned long long)r->length, __builtin_ctzll(r->start ^ r->hca_va));
	if (on_demand)
		err = mr_pages_on_demand(&p, mr->mm);
	len = PRM_CREATE_MKEY_IN_BYTES + 16ull * ((p.n + 1) / 2);
	in = err ? NULL : calloc(1, len);
	if (!in)
		return err ?: -ENOMEM;
	prm_create_mkey_in_set_pg_access(in, 1);
	prm_create_mkey_in_set_translations_octword_actual_size(in, (p.n + 1) / 2);
	mr_set_mkc(prm_create_mkey_in_at_memory_key_mkey_entry(in), r, &p, mr->pd->number);
	pages_write(&p, in + PRM_CREATE_MKEY_IN_BYTES, on_demand ? 0 : PAGE_PRESENT);
	err = mkey_create(&mr->u, in, len, &mr->key);
	free(in);
	return err;
}

struct mr *mr_new(struct uverbs_file *f, struct mm *mm, const struct ib_uverbs_reg_mr *r,
		  struct uobj *pd, int *err)
{
	struct mr *mr = uobj_new(f, &mr_class, sizeof(*mr));

	*err = -ENOMEM;
	if (!mr)
		return NULL;
	mr->pd = pd;
	mr->mm = mm;
	mr->access = r->access_flags;
	mr->start = r->start;
	mr->len = r->length;
	mr->iova = r->hca_va;
	*err = mr_create_mkey(mr, r);
	if (*err)
		return NULL;
	uobj_hold(&mr->u, pd);
	if (mr->access & IB_UVERBS_ACCESS_ON_DEMAND)
		file_memory(f)->on_demand = true;
	return mr;
}

int wcmd_reg_mr(struct wcmd *c)
{
	const struct ib_uverbs_reg_mr *r = c->in;
	struct ib_uverbs_reg_mr_resp resp = {0};
	struct uobj *pd;
	struct mr *mr;
	int err = mr_check_offsets(r->start, r->hca_va) ?:
		  mr_check_access(c->f, r->access_flags) ?:
		  uobj_find(c->f, r->pd_handle, &pd_class, &pd) ?:
		  mr_check_memory(c->f, r);

	if (err)
		return err;
	mr = mr_new(c->f, file_mm(c->f), r, pd, &err);
	if (!mr)
		return err;
	resp.mr_handle = mr->u.id;
	resp.lkey = resp.rkey = mr->key;
	wcmd_out(c, &resp, sizeof(resp));
	return 0;
}

/* --- regions of device memory --------------------------------------------------------------- */

#define DM_ACCESS                                                        \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |  \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC | \
	 IB_UVERBS_ACCESS_ZERO_BASED)

static int dm_access(struct uverbs_request *req, uint32_t *access)
{
	uint64_t flags;
	int err = attr_flags(req, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, "REG_DM_MR_ACCESS_FLAGS",
			     DM_ACCESS, &flags);

	*access = (uint32_t)flags;
	if (!err && !(flags & IB_UVERBS_ACCESS_ZERO_BASED))
		err = refuse(-EINVAL, "DM_MR_REG: REG_DM_MR_ACCESS_FLAGS 0x%x has no ZERO_BASED",
			     *access);
	return err ?: mr_check_writes("DM_MR_REG: REG_DM_MR_ACCESS_FLAGS", *access);
}

/*
 * Makes a mkey: mkc.start_addr is the address in the device's memory, users' addresses start at 0.
 */
static int dm_mr_create_mkey(struct mr *mr, uint32_t access)
{
	const struct ib_uverbs_reg_mr r = {
		.hca_va = mr->iova, .length = mr->len, .access_flags = access};
	const struct pages none = {0};
	uint8_t in[PRM_CREATE_MKEY_IN_BYTES] = {0};
	void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);
	const uint32_t mode = mr->dm->class == &memic_class ? PRM_MKC_ACCESS_MODE_MEMIC
							    : PRM_MKC_ACCESS_MODE_SW_ICM;

	mr_set_mkc(mkc, &r, &none, mr->pd->number);
	prm_mkc_set_umr_en(mkc, 0);
	prm_mkc_set_access_mode_1_0(mkc, mode & 3);
	prm_mkc_set_access_mode_4_2(mkc, mode >> 2);
	return mkey_create(&mr->u, in, sizeof(in), &mr->key);
}

static int dm_mr_make(struct uverbs_request *req, struct mr *mr, uint32_t access)
{
	const uint64_t offset = attr_value(req, UVERBS_ATTR_REG_DM_MR_OFFSET);
	int err;

	if (mr->dm->class == &memic_class) {
		err = memic_range(mr->dm, offset, mr->len, &mr->iova);
	} else {
		err = dm_range(mr->dm, offset, mr->len, &mr->iova);
		if (!err && access & IB_UVERBS_ACCESS_REMOTE_ATOMIC)
			err = refuse(-EINVAL,
				     "DM_MR_REG: REG_DM_MR_ACCESS_FLAGS 0x%x: no atomics on "
				     "steering memory",
				     access);
	}
	return err ?: dm_mr_create_mkey(mr, access);
}

int uverbs_dm_mr_reg(struct uverbs_file *f, struct uverbs_request *req)
{
	struct uobj *pd, *dm;
	uint32_t access;
	struct mr *mr;
	int err = attr_uobj(f, req, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, &pd_class, &pd);

	if (!err)
		err = attr_uobj(f, req, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, NULL, &dm);
	if (!err && dm->class != &dm_class && dm->class != &memic_class)
		err = refuse(-EINVAL, "DM_MR_REG: REG_DM_MR_DM_HANDLE %u is a %s", dm->id,
			     dm->class->name);
	if (!err)
		err = dm_access(req, &access);
	if (err)
		return err;
	mr = uobj_new(f, &mr_class, sizeof(*mr));
	if (!mr)
		return -ENOMEM;
	mr->pd = pd;
	mr->dm = dm;
	mr->len = attr_value(req, UVERBS_ATTR_REG_DM_MR_LENGTH);
	err = dm_mr_make(req, mr, access);
	if (err)
		return err;
	uobj_hold(&mr->u, pd);
	uobj_hold(&mr->u, dm);
	attr_out(req, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, &mr->key, sizeof(mr->key));
	attr_out(req, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, &mr->key, sizeof(mr->key));
	attr_new_handle(req, UVERBS_ATTR_REG_DM_MR_HANDLE, &mr->u);
	return 0;
}

/* --- ADVISE_MR ------------------------------------------------------------------------------ */

enum { ADVICE_PREFETCH, ADVICE_PREFETCH_WRITE, ADVICE_PREFETCH_NO_FAULT };

/* Finds a region of the file by its key; NULL if it is not on demand. */
static struct mr *mr_on_demand(struct uverbs_file *f, uint32_t lkey)
{
	for (struct uobj *u = f->newest; u; u = u->older) {
		struct mr *mr = (struct mr *)u;

		if (u->class == &mr_class && mr->key == lkey)
			return mr->access & IB_UVERBS_ACCESS_ON_DEMAND ? mr : NULL;
	}
	return NULL;
}

/* Finds a range's address in the program's memory; false if not all of it is in the region. */
static bool mr_holds(const struct mr *mr, uint64_t iova, uint64_t len, uint64_t *va)
{
	uint64_t at = iova - mr->iova;

	*va = mr->start + at;
	return iova >= mr->iova && at <= mr->len && len <= mr->len - at;
}

static int advise_one(struct uverbs_file *f, const struct uobj *pd, uint64_t advice, bool now,
		      const struct ib_uverbs_sge *sge)
{
	struct mr *mr = mr_on_demand(f, sge->lkey);
	const bool write = advice == ADVICE_PREFETCH_WRITE;
	uint64_t va;
	int err;

	if (!mr)
		return refuse(-ENOENT, "ADVISE_MR: lkey 0x%x is no region on demand", sge->lkey);
	if (mr->pd != pd)
		return refuse(-EPERM, "ADVISE_MR: lkey 0x%x is of another PD", sge->lkey);
	if (write && !(mr->access & WRITES))
		return refuse(-EPERM, "ADVISE_MR: lkey 0x%x may not be written to", sge->lkey);
	if (!now) {
		if (mr_holds(mr, sge->addr, sge->length, &va))
			fw_mkey_prefetch(f->vhca, mr->u.number, sge->addr, sge->length);
		return 0;
	}
	if (!mr_holds(mr, sge->addr, sge->length, &va))
		return refuse(-EFAULT, "ADVISE_MR: 0x%llx+0x%x is not within lkey 0x%x",
			      (unsigned long long)sge->addr, sge->length, sge->lkey);
	if (advice == ADVICE_PREFETCH_NO_FAULT || !sge->length)
		return 0;
	err = pin_memory(f, &(struct pin_range){.method = "ADVISE_MR",
						.va = va,
						.len = sge->length,
						.write = write,
						.use = PIN_PASSING});
	if (!err)
		fw_mkey_prefetch(f->vhca, mr->u.number, sge->addr, sge->length);
	return err;
}

/*
 * Handles ADVISE_MR. Prefetched pages spare a peer's requests the fault; without advice, pages come
 * when the device touches them. Without FLUSH the kernel prefetches later and reports no errors.
 */
int uverbs_mr_advise(struct uverbs_file *f, struct uverbs_request *req)
{
	const struct uverbs_attr *list = attr_find(req, UVERBS_ATTR_ADVISE_MR_SGE_LIST);
	uint64_t advice = attr_value(req, UVERBS_ATTR_ADVISE_MR_ADVICE), flags;
	struct ib_uverbs_sge sge;
	struct uobj *pd;
	int err = attr_uobj(f, req, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, &pd_class, &pd);

	if (!err)
		err = attr_flags(req, UVERBS_ATTR_ADVISE_MR_FLAGS, "ADVISE_MR_FLAGS",
				 IB_UVERBS_ADVISE_MR_FLAG_FLUSH, &flags);
	if (!err && (advice > ADVICE_PREFETCH_NO_FAULT || !prm_cmd_hca_cap_get_pg(file_caps(f))))
		err = refuse(-EOPNOTSUPP, "ADVISE_MR: advice %llu is not known",
			     (unsigned long long)advice);
	if (!err && list->len % sizeof(sge))
		err = refuse(-EINVAL, "ADVISE_MR: SGE_LIST has %u bytes, entries have %zu",
			     list->len, sizeof(sge));
	for (uint32_t at = 0; !err && at < list->len; at += sizeof(sge)) {
		memcpy(&sge, list->in + at, sizeof(sge));
		err = advise_one(f, pd, advice, flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH, &sge);
	}
	return err;
}

int uverbs_mr_query(struct uverbs_file *f, struct uverbs_request *req)
{
	const struct mr *mr;
	int err = attr_uobj(f, req, UVERBS_ATTR_QUERY_MR_HANDLE, &mr_class, &mr);

	if (err)
		return err;
	attr_out(req, UVERBS_ATTR_QUERY_MR_RESP_LKEY, &mr->key, sizeof(mr->key));
	attr_out(req, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &mr->key, sizeof(mr->key));
	attr_out(req, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &mr->len, sizeof(mr->len));
	attr_out(req, UVERBS_ATTR_QUERY_MR_RESP_IOVA, &mr->iova, sizeof(mr->iova));
	return 0;
}
