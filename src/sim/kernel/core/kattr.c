/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and answering a request's attributes. */
#include <errno.h>
#include <string.h>
#include "uverbs.h"

struct kattr *kattr_find(struct kreq *req, uint16_t id)
{
	for (unsigned int i = 0; i < req->nattrs; i++) {
		if (req->attrs[i].id == id)
			return &req->attrs[i];
	}
	return NULL;
}

/* The kernel looks at the inline bytes that len covers; the others may be anything. */
static uint64_t inline_value(const struct kattr *a)
{
	uint64_t v = 0;

	memcpy(&v, &a->data, a->len < sizeof(v) ? a->len : sizeof(v));
	return v;
}

uint64_t kattr_value(struct kreq *req, uint16_t id)
{
	const struct kattr *a = kattr_find(req, id);

	return a ? inline_value(a) : 0;
}

int kattr_flags(struct kreq *req, uint16_t id, const char *name, uint64_t allowed, uint64_t *flags)
{
	const struct kattr *a = kattr_find(req, id);

	*flags = a ? inline_value(a) : 0;
	if (a && a->len != 4 && a->len != 8)
		return refuse(-EINVAL, "%s: %u bytes are neither 4 nor 8", name, a->len);
	if (*flags & ~allowed)
		return refuse(-EINVAL, "%s: unknown bits 0x%llx", name,
			      (unsigned long long)(*flags & ~allowed));
	return 0;
}

int kattr_uobj(struct kfile *f, struct kreq *req, uint16_t id, const struct uobj_class *class,
	       struct uobj **obj)
{
	const struct kattr *a = kattr_find(req, id);

	*obj = NULL;
	return a ? uobj_find(f, a->data, class, obj) : 0;
}

void kattr_out(struct kreq *req, uint16_t id, const void *from, size_t len)
{
	struct kattr *a = kattr_find(req, id);

	if (!a || !a->out)
		return;
	if (len > a->len)
		len = a->len;
	memcpy(a->out, from, len);
	memset(a->out + len, 0, a->len - len);
	a->written = a->len;
	a->valid_output = true;
}

static bool kattr_all_zero(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (p[i])
			return false;
	}
	return true;
}

int kattr_in(struct kreq *req, uint16_t id, const char *name, void *to, size_t len)
{
	const struct kattr *a = kattr_find(req, id);
	size_t have = a && a->in ? a->len : 0;

	memset(to, 0, len);
	if (have > len && !kattr_all_zero(a->in + len, have - len))
		return refuse(-EOPNOTSUPP, "%s: %zu bytes, and what follows byte %zu isn't zero",
			      name, have, len);
	if (have)
		memcpy(to, a->in, have < len ? have : len);
	return 0;
}

void kattr_new_handle(struct kreq *req, uint16_t id, const struct uobj *u)
{
	struct kattr *a = kattr_find(req, id);

	if (!a)
		return;
	a->data = u->id;
	a->valid_output = true;
}

int kattr_fd(struct kreq *req, uint16_t id, unsigned int off, int fd)
{
	struct kattr *a = kattr_find(req, id);

	if (!a || req->nfds == KREQ_FDS)
		return -ENOMEM;
	req->fds[req->nfds].fd = fd;
	req->fds[req->nfds].attr = (unsigned int)(a - req->attrs);
	req->fds[req->nfds].off = off;
	req->nfds++;
	a->valid_output = true;
	return 0;
}
