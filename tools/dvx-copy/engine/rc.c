/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies between any two ends: RDMA READ over a connection of two queue pairs. */
#include "fetch.h"

int rc_join(struct copy_engine *e, const uint8_t *ticket, size_t n, struct copy_fault *f)
{
	if (n != DVX_QP_BLOB_BYTES)
		return copy_fail(f, COPY_PROTOCOL,
				 "the other end sent a ticket that can't be read");
	if (queue_connect(&e->queue, ticket, &e->remote, f))
		return -1;
	if (e->remote.len < dvx_mkey_len(e->local))
		return copy_fail(f, COPY_PROTOCOL,
				 "the other end's ticket is for less than its pool");
	e->max = DVX_MAX_SEGMENT;
	return 0;
}

int rc_post(struct copy_engine *e, uint32_t cookie, size_t off, uint32_t len)
{
	const struct dvx_sge to = {.addr = dvx_mkey_addr(e->local) + off,
				   .length = len,
				   .lkey = dvx_mkey_key(e->local)};

	return dvx_post_read(e->sq, e->remote.addr + off, e->remote.key, &to, 1, cookie,
			     DVX_SIGNALED);
}
