/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and answers the attributes of a request. */
#include <errno.h>
#include <string.h>
#include "attr.h"
#include "room.h"

struct uverbs_attr *attr_find(struct uverbs_request *req, uint16_t id)
{
	for (unsigned int i = 0; i < req->nattrs; i++) {
		if (req->attrs[i].id == id)
			return &req->attrs[i];
	}
	return NULL;
}

/* Returns the inline bytes that len covers; the kernel ignores the others. */
static uint64_t inline_value(const struct uverbs_attr *a)
{
	uint64_t v = 0;

	memcpy(&v, &a->data, a->len < sizeof(v) ? a->len : sizeof(v));
	return v;
}

uint64_t attr_value(struct uverbs_request *req, uint16_t id)
{
	const struct uverbs_attr *a = attr_find(req, id);

	return a ? inline_value(a) : 0;
}

int attr_flags(struct uverbs_request *req, uint16_t id, const char *name, uint64_t allowed,
	       uint64_t *flags)
{
	const struct uverbs_attr *a = attr_find(req, id);

	*flags = a ? inline_value(a) : 0;
	if (a && a->len != 4 && a->len != 8)
		return refuse(-EINVAL, "%s: %u bytes are neither 4 nor 8", name, a->len);
	if (*flags & ~allowed)
		return refuse(-EINVAL, "%s: unknown bits 0x%llx", name,
			      (unsigned long long)(*flags & ~allowed));
	return 0;
}

int attr_uobj(struct uverbs_file *f, struct uverbs_request *req, uint16_t id,
	      const struct uobj_class *class, void *obj)
{
	const struct uverbs_attr *a = attr_find(req, id);
	const struct uobj *none = NULL;

	memcpy(obj, &none, sizeof(none));
	return a ? uobj_find(f, a->data, class, obj) : 0;
}

void attr_out(struct uverbs_request *req, uint16_t id, const void *from, size_t len)
{
	struct uverbs_attr *a = attr_find(req, id);

	if (!a || !a->out)
		return;
	if (len > a->len)
		len = a->len;
	memcpy(a->out, from, len);
	memset(a->out + len, 0, a->len - len);
	a->written = a->len;
	a->valid_output = true;
}

static bool attr_tail_is_zero(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (p[i])
			return false;
	}
	return true;
}

int attr_in(struct uverbs_request *req, uint16_t id, const char *name, void *to, size_t len)
{
	const struct uverbs_attr *a = attr_find(req, id);
	size_t have = a && a->in ? a->len : 0;

	memset(to, 0, len);
	if (have > len && !attr_tail_is_zero(a->in + len, have - len))
		return refuse(-EOPNOTSUPP, "%s: %zu bytes, and what follows byte %zu isn't zero",
			      name, have, len);
	if (have)
		memcpy(to, a->in, have < len ? have : len);
	return 0;
}

void attr_new_handle(struct uverbs_request *req, uint16_t id, const struct uobj *u)
{
	struct uverbs_attr *a = attr_find(req, id);

	if (!a)
		return;
	a->data = u->id;
	a->valid_output = true;
}

int attr_fd(struct uverbs_request *req, uint16_t id, unsigned int off, int fd)
{
	struct uverbs_attr *a = attr_find(req, id);

	if (!a || req->nfds == UVERBS_REQUEST_FDS)
		return -ENOMEM;
	req->fds[req->nfds].fd = fd;
	req->fds[req->nfds].attr = (unsigned int)(a - req->attrs);
	req->fds[req->nfds].off = off;
	req->nfds++;
	a->valid_output = true;
	return 0;
}

/* The first attribute of such a method is the handle; a queue's second one gets its events. */
int uobj_destroy_named(struct uverbs_file *f, struct uverbs_request *req)
{
	const struct method_spec *m = req->spec;
	const struct uobj_class *class = uobj_class_of(f->k, req->object);
	const size_t len = m->nattrs > 1 ? m->attrs[1].max_len : 0;
	uint32_t events[2];
	int err;

	/* Without a class, uobj_find() would accept any object. */
	if (!class)
		return refuse(-EPROTONOSUPPORT, "%s: this device has no such objects", m->name);
	err = uobj_destroy_handle(f, attr_find(req, m->attrs[0].id)->data, class, events);
	if (!err && len)
		attr_out(req, m->attrs[1].id, (uint8_t *)events + sizeof(events) - len, len);
	return err;
}
