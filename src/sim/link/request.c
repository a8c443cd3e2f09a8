/* SPDX-License-Identifier: BSD-2-Clause */
#include "request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void request_init(struct request *r, uint16_t object, uint16_t method, uint32_t driver)
{
	memset(r, 0, sizeof(*r));
	r->req.object = object;
	r->req.method = method;
	r->req.driver = driver;
	r->req.attrs = r->attrs;
}

void request_fini(struct request *r)
{
	for (unsigned int i = 0; i < r->req.nfds; i++)
		if (r->req.fds[i].fd >= 0)
			close(r->req.fds[i].fd);
	free(r->bytes);
}

uint8_t request_kind(const struct request *r, uint16_t attr_id)
{
	const struct method_spec *m = method_find(r->req.object, r->req.method);
	const struct attr_spec *a = m ? method_attr(m, attr_id) : NULL;

	return a ? a->kind : REQUEST_UNKNOWN;
}

uint32_t request_in_bytes(uint8_t kind, uint32_t len)
{
	return (kind == ATTR_IN || kind == ATTR_ENUM) && len > sizeof(uint64_t) ? len : 0;
}

uint32_t request_out_bytes(uint8_t kind, uint32_t len)
{
	return kind == ATTR_OUT ? len : 0;
}

static size_t request_padded(uint32_t len)
{
	return (len + 7u) & ~(size_t)7;
}

int request_layout(struct request *r)
{
	size_t size = 0;
	uint8_t *at;

	for (unsigned int i = 0; i < r->req.nattrs; i++)
		size += request_padded(request_in_bytes(r->kind[i], r->attrs[i].len)) +
			request_padded(request_out_bytes(r->kind[i], r->attrs[i].len));
	if (size > REQUEST_BYTES)
		return -E2BIG;
	r->bytes = calloc(1, size + 1);
	if (!r->bytes)
		return -ENOMEM;
	at = r->bytes;
	for (unsigned int i = 0; i < r->req.nattrs; i++) {
		struct kattr *a = &r->attrs[i];
		uint32_t in = request_in_bytes(r->kind[i], a->len);

		a->in = in ? at : (const uint8_t *)&a->data;
		at += request_padded(in);
		a->out = at;
		at += request_padded(request_out_bytes(r->kind[i], a->len));
	}
	return 0;
}
