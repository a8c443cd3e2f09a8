/* SPDX-License-Identifier: BSD-2-Clause */
/* DevX umems: regions of the program's memory, with a number for use in mailboxes. */
#include <errno.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/mkey.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "kernel/core/cmd.h"
#include "kernel/core/pages.h"
#include "kernel/core/pins.h"
#include "priv.h"

#define ACCESS_KNOWN                                                    \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE | \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_RELAXED_ORDERING)
#define ACCESS_WRITES (IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE)
#define MTT_READ      1u
#define MTT_WRITE     2u
#define ANY_PAGE_SIZE (~0ull << 12)
#define MAX_LEN	      (1ull << 48)
#define RECORD_MOST   64u /* a umem up to this size is taken for a doorbell record */

struct devx_umem {
	struct uobj u;
	struct mm *dmabuf; /* NULL: the program's own memory */
};

static int devx_umem_destroy(struct uobj *u)
{
	dmabuf_close(((struct devx_umem *)u)->dmabuf);
	return 0;
}

const struct uobj_class umem_class = {"umem", MLX5_IB_OBJECT_DEVX_UMEM, PRM_OPCODE_DESTROY_UMEM,
				      devx_umem_destroy, NULL};

/* Checks and pins a region of the program's memory, or one of a dma-buf, which becomes *buf. */
static int devx_umem_check(struct uverbs_file *f, uint64_t addr, uint64_t len, uint64_t access,
			   const struct uverbs_attr *dmabuf, struct mm **buf)
{
	const struct pin_range r = {.method = "DEVX_UMEM_REG",
				    .va = addr,
				    .len = len,
				    .write = access & ACCESS_WRITES,
				    .use = len <= RECORD_MOST ? PIN_LONE_RECORD : PIN_RING};

	if (access & IB_UVERBS_ACCESS_REMOTE_WRITE && !(access & IB_UVERBS_ACCESS_LOCAL_WRITE))
		return refuse(-EINVAL,
			      "DEVX_UMEM_REG: access 0x%llx: REMOTE_WRITE needs LOCAL_WRITE",
			      (unsigned long long)access);
	if (!len || len > MAX_LEN || addr + len < addr)
		return refuse(
			-EINVAL,
			"DEVX_UMEM_REG: len %llu at 0x%llx is empty or leaves the address space",
			(unsigned long long)len, (unsigned long long)addr);
	if (dmabuf)
		return file_dmabuf(f, (int)dmabuf->data, addr, len, buf);
	return pin_memory(f, &r);
}

static int umem_plan(struct uverbs_file *f, struct uverbs_request *req, struct pages *p,
		     uint64_t *rw, struct mm **buf)
{
	uint64_t addr = attr_value(req, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR);
	uint64_t len = attr_value(req, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN);
	const struct uverbs_attr *sizes = attr_find(req, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP);
	uint64_t access;
	int err = attr_flags(req, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, "DEVX_UMEM_REG: ACCESS",
			     ACCESS_KNOWN, &access);

	if (!err)
		err = devx_umem_check(f, addr, len, access,
				      attr_find(req, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD), buf);
	if (err)
		return err;
	*rw = MTT_READ | (access & ACCESS_WRITES ? MTT_WRITE : 0);
	err = pages_umem(p, *buf ? *buf : file_mm(f), addr, len,
			 sizes ? sizes->data : ANY_PAGE_SIZE);
	if (err == -ENOMEM)
		return refuse(err, "DEVX_UMEM_REG: len %llu takes too many pages",
			      (unsigned long long)len);
	if (err)
		return refuse(err,
			      "DEVX_UMEM_REG: pgsz_bitmap 0x%llx has no page size for %llu bytes",
			      (unsigned long long)sizes->data, (unsigned long long)len);
	return 0;
}

static int devx_umem_create(struct uobj *u, const struct pages *p, uint64_t rw)
{
	void *in = pages_command(p, PRM_OPCODE_CREATE_UMEM, u->uid, PRM_CREATE_UMEM_IN_BYTES, rw),
	     *umem;

	if (!in)
		return -ENOMEM;
	umem = prm_create_umem_in_at_umem(in);
	prm_umem_set_num_of_mtt(umem, p->n);
	prm_umem_set_log_page_size(umem, p->log_page - 12);
	prm_umem_set_page_offset(umem, (uint32_t)p->offset);
	return pages_create(p, u->file->vhca, in, PRM_CREATE_UMEM_IN_BYTES, &u->number);
}

int devx_umem_reg(struct uverbs_file *f, struct uverbs_request *req)
{
	struct mm *buf = NULL;
	struct devx_umem *m;
	struct pages p;
	uint64_t rw;
	int err;

	if (!f->uid)
		return refuse(-EINVAL, "DEVX_UMEM_REG: the context was opened without DevX");
	err = umem_plan(f, req, &p, &rw, &buf);
	m = err ? NULL : uobj_new(f, &umem_class, sizeof(*m));
	if (!err)
		err = m ? devx_umem_create(&m->u, &p, rw) : -ENOMEM;
	if (err) {
		dmabuf_close(buf);
		return err;
	}
	m->dmabuf = buf;
	attr_new_handle(req, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, &m->u);
	attr_out(req, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, &m->u.number, sizeof(m->u.number));
	return 0;
}
