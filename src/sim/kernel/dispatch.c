/* SPDX-License-Identifier: BSD-2-Clause */
/* Dispatches a request: finds its method, checks attributes as uverbs_process_attr(), runs it. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include "core/attr.h"
#include "core/pins.h"
#include "core/room.h"
#include "kernel.h"

static int attr_check_length(const struct method_spec *m, const struct attr_spec *s,
			     const struct uverbs_attr *a)
{
	if (a->len > s->max_len && s->tail == TAIL_ZERO && s->kind == ATTR_IN) {
		for (uint32_t i = s->max_len; i < a->len; i++) {
			if (a->in[i])
				return refuse(-EOPNOTSUPP,
					      "%s: %s has bytes beyond %u that are not zero",
					      m->name, s->name, s->max_len);
		}
	}
	if (a->len < s->min_len)
		return refuse(-EINVAL, "%s: %s has %u bytes, at least %u are needed", m->name,
			      s->name, a->len, s->min_len);
	if (s->tail == TAIL_EXACT && a->len > s->max_len)
		return refuse(-EINVAL, "%s: %s has %u bytes, at most %u are known", m->name,
			      s->name, a->len, s->max_len);
	return 0;
}

static int attr_check(const struct method_spec *m, const struct attr_spec *s,
		      const struct uverbs_attr *a)
{
	switch (s->kind) {
	case ATTR_IN:
	case ATTR_OUT:
		return attr_check_length(m, s, a);
	case ATTR_ENUM:
		return 0;
	default:
		if (a->len)
			return refuse(-EINVAL, "%s: %s is a handle, its len %u must be 0", m->name,
				      s->name, a->len);
		return 0;
	}
}

static int request_check_attrs(const struct method_spec *m, struct uverbs_request *req)
{
	for (unsigned int i = 0; i < req->nattrs; i++) {
		const struct uverbs_attr *a = &req->attrs[i];
		const struct attr_spec *s = method_attr(m, a->id);
		int err;

		if (!s && a->flags & UVERBS_ATTR_F_MANDATORY)
			return refuse(-EPROTONOSUPPORT,
				      "%s: attribute 0x%x is marked mandatory, and unknown",
				      m->name, a->id);
		if (!s)
			continue;
		for (unsigned int j = 0; j < i; j++) {
			if (req->attrs[j].id == a->id)
				return refuse(-EINVAL, "%s: %s is there twice", m->name, s->name);
		}
		err = attr_check(m, s, a);
		if (err)
			return err;
	}
	return 0;
}

static int request_check_mandatory(const struct method_spec *m, struct uverbs_request *req)
{
	for (unsigned int i = 0; i < m->nattrs; i++) {
		if (m->attrs[i].mandatory && !attr_find(req, m->attrs[i].id))
			return refuse(-EINVAL, "%s: %s is missing", m->name, m->attrs[i].name);
	}
	return 0;
}

static const struct method_handler *kernel_find_handler(const struct kernel *k,
							const struct uverbs_request *req)
{
	for (const struct kernel_room *const *r = k->rooms; *r; r++)
		for (const struct method_handler *h = (*r)->methods;
		     h < (*r)->methods + (*r)->nmethods; h++)
			if (h->object == req->object && h->method == req->method)
				return h;
	return NULL;
}

static int kernel_handle(struct uverbs_file *f, struct uverbs_request *req)
{
	const struct method_spec *m = req->spec;
	const struct method_handler *h = kernel_find_handler(f->k, req);
	int err;

	if (f->k->unplugged)
		return -EIO; /* as ib_uverbs answers once the driver has left the device */
	if (req->driver != RDMA_DRIVER_MLX5)
		return refuse(-EINVAL, "object 0x%x method 0x%x: driver_id %u is not mlx5",
			      req->object, req->method, req->driver);
	if (!m)
		return refuse(-EPROTONOSUPPORT, "object 0x%x method 0x%x: unknown to this kernel",
			      req->object, req->method);
	if (!h)
		return refuse(-EPROTONOSUPPORT, "%s: this device does not offer it", m->name);
	err = request_check_attrs(m, req) ?: request_check_mandatory(m, req);
	if (!err && !f->context && !h->before_context)
		err = refuse(-EINVAL, "%s: the file has no context yet", m->name);
	if (err)
		return err;
	err = h->fn(f, req);
	/* The kernel marks UHW_OUT as valid, whether the driver wrote to it or not. */
	if (!err && method_attr(m, UVERBS_ATTR_UHW_OUT)) {
		struct uverbs_attr *a = attr_find(req, UVERBS_ATTR_UHW_OUT);

		if (a)
			a->valid_output = true;
	}
	return err;
}

int kernel_ioctl(struct uverbs_file *f, struct uverbs_request *req)
{
	int err;

	f->holder = f->made = NULL;
	f->destroyed.name = NULL;
	err = kernel_handle(f, req);
	if (err && f->made)
		uobj_drop(f->made);
	pins_settle(f, req, err ? NULL : f->holder);
	kernel_free_guests(f); /* the request may have destroyed their last object */
	return err;
}

int kernel_ioctl_guest(struct uverbs_file *guest, struct uverbs_request *req)
{
	struct uverbs_file *f = guest->guest_of;
	int err;

	f->requester = guest;
	err = kernel_ioctl(f, req);
	f->requester = NULL;
	return err;
}
