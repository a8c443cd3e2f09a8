/* SPDX-License-Identifier: BSD-2-Clause */
#include "msg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t msg_padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

static uint8_t *msg_append(uint8_t *at, const void *from, size_t len)
{
	if (len)
		memcpy(at, from, len);
	return at + msg_padded(len);
}

int msg_pack_request(const struct uverbs_request *k, uint8_t **body, size_t *len)
{
	struct msg_ioctl h = {
		.object = k->object, .method = k->method, .driver = k->driver, .nattrs = k->nattrs};
	uint8_t *at;

	*len = sizeof(h) + k->nattrs * sizeof(struct msg_attr);
	for (unsigned int i = 0; i < k->nattrs; i++)
		*len += msg_padded(request_in_bytes(&k->attrs[i]));
	*body = calloc(1, *len);
	if (!*body)
		return -ENOMEM;
	at = msg_append(*body, &h, sizeof(h));
	for (unsigned int i = 0; i < k->nattrs; i++) {
		const struct uverbs_attr *a = &k->attrs[i];
		struct msg_attr m = {.id = a->id,
				     .flags = a->flags,
				     .len = (uint16_t)a->len,
				     .enum_elem = a->enum_elem,
				     .data = a->data};

		at = msg_append(at, &m, sizeof(m));
	}
	for (unsigned int i = 0; i < k->nattrs; i++)
		at = msg_append(at, k->attrs[i].in, request_in_bytes(&k->attrs[i]));
	return 0;
}

static void set_attr(struct owned_request *r, unsigned int i, const struct msg_attr *m)
{
	r->attrs[i] = (struct uverbs_attr){.id = m->id,
				     .flags = m->flags,
				     .len = m->len,
				     .data = m->data,
				     .enum_elem = m->enum_elem};
}

static int msg_refuse(const char **why, const char *text)
{
	*why = text;
	return -EPROTO;
}

int msg_unpack_request(struct owned_request *r, const uint8_t *body, size_t len, const char **why)
{
	const uint8_t *at = body + sizeof(struct msg_ioctl), *end = body + len;
	struct msg_ioctl h;

	request_init(r, 0, 0, 0);
	if (len < sizeof(h))
		return msg_refuse(why, "a request shorter than its header");
	memcpy(&h, body, sizeof(h));
	request_init(r, h.object, h.method, h.driver);
	if (h.nattrs > REQUEST_ATTRS)
		return msg_refuse(why, "more attributes than any method has");
	if ((size_t)(end - at) < h.nattrs * sizeof(struct msg_attr))
		return msg_refuse(why, "fewer attributes than nattrs says");
	for (unsigned int i = 0; i < h.nattrs; i++, at += sizeof(struct msg_attr)) {
		struct msg_attr m;

		memcpy(&m, at, sizeof(m));
		set_attr(r, i, &m);
	}
	r->req.nattrs = h.nattrs;
	if (request_layout(r))
		return msg_refuse(why, "attributes that are too long together");
	for (unsigned int i = 0; i < h.nattrs; i++) {
		uint32_t n = request_in_bytes(&r->attrs[i]);

		if ((size_t)(end - at) < msg_padded(n))
			return msg_refuse(why, "fewer bytes than the attributes' lengths say");
		if (n)
			memcpy((void *)(uintptr_t)r->attrs[i].in, at, n);
		at += msg_padded(n);
	}
	return at == end ? 0 : msg_refuse(why, "bytes after its end");
}

/* Returns the number of bytes written to an OUT attribute. */
static uint32_t out_bytes(const struct owned_request *r, unsigned int i)
{
	uint32_t room = request_out_bytes(&r->attrs[i]);

	return r->attrs[i].written < room ? r->attrs[i].written : room;
}

int msg_pack_answer(const struct owned_request *r, uint8_t **body, size_t *len)
{
	const struct uverbs_request *k = &r->req;
	struct msg_done h = {k->nattrs, k->nfds, k->nshares, 0};
	uint8_t *at;

	*len = sizeof(h) + k->nattrs * sizeof(struct msg_result) + k->nfds * sizeof(struct msg_fd) +
	       k->nshares * sizeof(struct msg_share);
	for (unsigned int i = 0; i < k->nattrs; i++)
		*len += msg_padded(out_bytes(r, i));
	*body = calloc(1, *len);
	if (!*body)
		return -ENOMEM;
	at = msg_append(*body, &h, sizeof(h));
	for (unsigned int i = 0; i < k->nattrs; i++) {
		struct msg_result m = {k->attrs[i].data, out_bytes(r, i), k->attrs[i].valid_output};

		at = msg_append(at, &m, sizeof(m));
	}
	for (unsigned int i = 0; i < k->nfds; i++) {
		struct msg_fd m = {k->fds[i].attr, k->fds[i].off};

		at = msg_append(at, &m, sizeof(m));
	}
	for (unsigned int i = 0; i < k->nshares; i++) {
		struct msg_share m = {k->shares[i].va, k->shares[i].len, k->shares[i].what, 0};

		at = msg_append(at, &m, sizeof(m));
	}
	for (unsigned int i = 0; i < k->nattrs; i++)
		at = msg_append(at, k->attrs[i].out, out_bytes(r, i));
	return 0;
}

static int unpack_results(struct uverbs_request *k, const uint8_t **at, const uint8_t *end)
{
	for (unsigned int i = 0; i < k->nattrs; i++) {
		struct msg_result m;

		if ((size_t)(end - *at) < sizeof(m))
			return -EPROTO;
		memcpy(&m, *at, sizeof(m));
		*at += sizeof(m);
		if (m.written > k->attrs[i].len)
			return -EPROTO;
		k->attrs[i].data = m.data;
		k->attrs[i].written = m.written;
		k->attrs[i].valid_output = m.valid_output;
	}
	return 0;
}

/* Skips FDs that did not come because this process's table of descriptors is full. */
static int skip_fds(unsigned int n, const uint8_t **at, const uint8_t *end)
{
	if ((size_t)(end - *at) < n * sizeof(struct msg_fd))
		return -EPROTO;
	*at += n * sizeof(struct msg_fd);
	return 0;
}

static int unpack_fds(struct uverbs_request *k, const uint8_t **at, const uint8_t *end, const int *fds)
{
	for (unsigned int i = 0; i < k->nfds; i++) {
		struct msg_fd m;

		if ((size_t)(end - *at) < sizeof(m))
			return -EPROTO;
		memcpy(&m, *at, sizeof(m));
		*at += sizeof(m);
		if (m.attr >= k->nattrs)
			return -EPROTO;
		k->fds[i].fd = fds[i];
		k->fds[i].attr = m.attr;
		k->fds[i].off = m.off;
	}
	return 0;
}

static int unpack_shares(struct uverbs_request *k, unsigned int n, const uint8_t **at, const uint8_t *end)
{
	for (unsigned int i = 0; i < n; i++) {
		struct msg_share m;

		if ((size_t)(end - *at) < sizeof(m))
			return -EPROTO;
		memcpy(&m, *at, sizeof(m));
		*at += sizeof(m);
		k->shares[i] = (struct uverbs_share){m.va, m.len, m.what};
	}
	k->nshares = n;
	return 0;
}

int msg_unpack_answer(struct uverbs_request *k, const uint8_t *body, size_t len, const int *fds,
		      unsigned int nfds)
{
	const uint8_t *at = body + sizeof(struct msg_done), *end = body + len;
	struct msg_done h;
	bool lost;

	if (len < sizeof(h))
		return -EPROTO;
	memcpy(&h, body, sizeof(h));
	if (h.nattrs != k->nattrs || h.nfds < nfds || h.nfds > UVERBS_REQUEST_FDS ||
	    h.nshares > UVERBS_REQUEST_SHARES)
		return -EPROTO;
	if (unpack_results(k, &at, end))
		return -EPROTO;
	lost = h.nfds > nfds;
	k->nfds = lost ? 0 : nfds;
	for (unsigned int i = 0; i < k->nfds; i++)
		k->fds[i].fd = -1;
	if (lost ? skip_fds(h.nfds, &at, end) : unpack_fds(k, &at, end, fds))
		return -EPROTO;
	if (unpack_shares(k, h.nshares, &at, end))
		return -EPROTO;
	for (unsigned int i = 0; i < k->nattrs; i++) {
		uint32_t n = k->attrs[i].written;

		if ((size_t)(end - at) < msg_padded(n))
			return -EPROTO;
		if (n)
			memcpy(k->attrs[i].out, at, n);
		at += msg_padded(n);
	}
	return lost ? -EMFILE : 0;
}
