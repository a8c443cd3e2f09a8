/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory regions of dma-bufs. The exporter's memory gets a slot on the bus. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include "host/client.h"
#include "kernel/core/attr.h"
#include "kernel/core/pins.h"
#include "mr.h"
#include "priv.h"

#define DMABUF_ACCESS                                                    \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |  \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC | \
	 IB_UVERBS_ACCESS_RELAXED_ORDERING)

static int dmabuf_request(struct uverbs_request *req, struct ib_uverbs_reg_mr *r)
{
	uint64_t flags;
	int err = attr_flags(req, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS,
			     "REG_DMABUF_MR_ACCESS_FLAGS", DMABUF_ACCESS, &flags);

	if (err)
		return err;
	r->start = attr_value(req, UVERBS_ATTR_REG_DMABUF_MR_OFFSET);
	r->length = attr_value(req, UVERBS_ATTR_REG_DMABUF_MR_LENGTH);
	r->hca_va = attr_value(req, UVERBS_ATTR_REG_DMABUF_MR_IOVA);
	r->access_flags = (uint32_t)flags;
	if (!mr_offsets_agree(r->start, r->hca_va))
		return refuse(-EINVAL,
			      "REG_DMABUF_MR: offset 0x%llx and iova 0x%llx differ within a page",
			      (unsigned long long)r->start, (unsigned long long)r->hca_va);
	return mr_check_writes("REG_DMABUF_MR: access_flags", r->access_flags);
}

int uverbs_dmabuf_mr_reg(struct uverbs_file *f, struct uverbs_request *req)
{
	int number = (int)attr_value(req, UVERBS_ATTR_REG_DMABUF_MR_FD);
	struct ib_uverbs_reg_mr r = {0};
	struct mm *buf = NULL;
	struct uobj *pd;
	struct mr *mr;
	int err = attr_uobj(f, req, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, &pd_class, &pd) ?:
		  dmabuf_request(req, &r) ?:
		  file_dmabuf(f, number, r.start, r.length, &buf);

	if (err)
		return err;
	mr = mr_new(f, buf, &r, pd, &err);
	if (!mr) {
		dmabuf_close(buf);
		return err;
	}
	mr->dmabuf = buf;
	attr_out(req, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, &mr->key, sizeof(mr->key));
	attr_out(req, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, &mr->key, sizeof(mr->key));
	attr_new_handle(req, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, &mr->u);
	return 0;
}
