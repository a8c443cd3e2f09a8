/* SPDX-License-Identifier: BSD-2-Clause */
#include "request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void request_init(struct owned_request *r, uint16_t object, uint16_t method, uint32_t driver)
{
	memset(r, 0, sizeof(*r));
	r->req.object = object;
	r->req.method = method;
	r->req.driver = driver;
	r->req.attrs = r->attrs;
	r->req.spec = method_find(object, method);
}

void request_fini(struct owned_request *r)
{
	for (unsigned int i = 0; i < r->req.nfds; i++)
		if (r->req.fds[i].fd >= 0)
			close(r->req.fds[i].fd);
	free(r->bytes);
}

uint32_t request_in_bytes(const struct uverbs_attr *a)
{
	return (a->kind == ATTR_IN || a->kind == ATTR_ENUM) && a->len > sizeof(a->data) ? a->len : 0;
}

uint32_t request_out_bytes(const struct uverbs_attr *a)
{
	return a->kind == ATTR_OUT ? a->len : 0;
}

static size_t request_padded(uint32_t len)
{
	return (len + 7u) & ~(size_t)7;
}

int request_layout(struct owned_request *r)
{
	size_t size = 0;
	uint8_t *at;

	for (unsigned int i = 0; i < r->req.nattrs; i++) {
		struct uverbs_attr *a = &r->attrs[i];

		a->kind = method_attr_kind(r->req.spec, a->id);
		size += request_padded(request_in_bytes(a)) + request_padded(request_out_bytes(a));
	}
	if (size > REQUEST_BYTES)
		return -E2BIG;
	r->bytes = calloc(1, size + 1);
	if (!r->bytes)
		return -ENOMEM;
	at = r->bytes;
	for (unsigned int i = 0; i < r->req.nattrs; i++) {
		struct uverbs_attr *a = &r->attrs[i];
		uint32_t in = request_in_bytes(a);

		a->in = in ? at : (const uint8_t *)&a->data;
		at += request_padded(in);
		a->out = at;
		at += request_padded(request_out_bytes(a));
	}
	return 0;
}
