/* SPDX-License-Identifier: BSD-2-Clause */
/* Open files, and one request's way: known method, sound attributes, handler. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eq.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include "fw/fw.h"
#include "host/uar.h"
#include "uverbs.h"

#define BAR_PAGES	   4096
#define EQ_LOG_SIZE	   8
#define UID_MAX		   0xfffe /* 0xffff: FW_UID_SHARED */
#define EVENT_DEVICE_FATAL 8 /* enum ib_event_type */

static int function_caps(struct vhca *v, struct function *fn)
{
	uint8_t in[PRM_QUERY_HCA_CAP_IN_BYTES] = {0};
	uint8_t out[PRM_QUERY_HCA_CAP_OUT_BYTES];
	int err;

	prm_query_hca_cap_in_set_opcode(in, PRM_OPCODE_QUERY_HCA_CAP);
	prm_query_hca_cap_in_set_op_mod(in, PRM_HCA_CAP_TYPE_GENERAL << 1 | PRM_HCA_CAP_MODE_CUR);
	err = fw_cmd(v, in, sizeof(in), out, sizeof(out));
	if (!err)
		memcpy(fn->caps, prm_query_hca_cap_out_cat_capability(out), sizeof(fn->caps));
	return err;
}

/* There is no EQ ring: events are handed over at once, the object exists for its number. */
static int function_eq(struct vhca *v, struct function *fn)
{
	uint8_t in[PRM_CREATE_EQ_IN_BYTES] = {0};
	uint8_t out[PRM_CREATE_EQ_OUT_BYTES];
	int err;

	prm_create_eq_in_set_opcode(in, PRM_OPCODE_CREATE_EQ);
	prm_eqc_set_log_eq_size(prm_create_eq_in_at_eq_context_entry(in), EQ_LOG_SIZE);
	err = fw_cmd(v, in, sizeof(in), out, sizeof(out));
	if (!err)
		fn->eqn = prm_create_eq_out_get_eq_number(out);
	return err;
}

struct kernel *kernel_new(struct device *dev)
{
	struct kernel *k = calloc(1, sizeof(*k));

	if (k)
		k->fn = calloc(dev->nfunctions, sizeof(*k->fn));
	if (!k || !k->fn) {
		free(k);
		return NULL;
	}
	k->dev = dev;
	k->whitelist_uid = 1;
	k->next_uid = 2;
	for (unsigned int i = 0; i < dev->nfunctions; i++) {
		if (function_caps(&dev->vhca[i], &k->fn[i]) ||
		    function_eq(&dev->vhca[i], &k->fn[i])) {
			sim_bug("function %u: its firmware refuses to boot", i);
			free(k->fn);
			free(k);
			return NULL;
		}
	}
	return k;
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	while (k->files)
		kernel_close(k->files);
	fs_anchors_free(k);
	for (unsigned int i = 0; i < k->dev->nfunctions; i++)
		fw_uid_reap(&k->dev->vhca[i], 0);
	dm_fini(k);
	free(k->fn);
	free(k);
}

void kernel_unplug(struct kernel *k)
{
	const struct ib_uverbs_async_event_desc event = {.event_type = EVENT_DEVICE_FATAL};

	for (struct kfile *f = k->files; f; f = f->next)
		if (f->async)
			channel_post(f->async, f, &event, sizeof(event));
}

struct kfile *kernel_open(struct kernel *k, struct mm *mm, unsigned int function)
{
	struct kfile *f;

	if (function >= k->dev->nfunctions) {
		errno = ENODEV;
		return NULL;
	}
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->k = k;
	f->vhca = &k->dev->vhca[function];
	f->mm = mm;
	f->bar = bar_new(k->dev->host, mm, BAR_PAGES);
	if (!f->bar) {
		free(f);
		return NULL;
	}
	f->next = k->files;
	k->files = f;
	return f;
}

struct bar *kfile_bar(struct kfile *f)
{
	return f->bar;
}

void kernel_close(struct kfile *f)
{
	struct kfile **at = &f->k->files;

	uobj_destroy_all(f);
	context_close(f);
	pins_free(f);
	channel_free_all(f);
	bar_free(f->bar);
	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	free(f);
}

const uint8_t *kfile_caps(const struct kfile *f)
{
	return f->k->fn[f->vhca->index].caps;
}

uint32_t kfile_eqn(const struct kfile *f)
{
	return f->k->fn[f->vhca->index].eqn;
}

/* Numbers come back as late as can be, so that a stale one is caught. */
int kfile_new_uid(struct kfile *f)
{
	struct kernel *k = f->k;

	for (unsigned int tries = 0; tries < UID_MAX; tries++) {
		uint16_t uid = k->next_uid;
		bool taken = false;

		k->next_uid = uid == UID_MAX ? 2 : (uint16_t)(uid + 1);
		for (const struct kfile *o = k->files; o; o = o->next)
			taken = taken || o->uid == uid;
		if (!taken) {
			f->uid = uid;
			return 0;
		}
	}
	return refuse(-ENOMEM, "GET_CONTEXT: all %u DevX user ids are taken", UID_MAX - 1);
}

/* --- attributes, as the kernel's uverbs_process_attr() judges them --------------------------- */

static int check_bytes(const struct method_spec *m, const struct attr_spec *s,
		       const struct kattr *a)
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

static int kernel_check_attr(const struct method_spec *m, const struct attr_spec *s,
			     const struct kattr *a)
{
	switch (s->kind) {
	case ATTR_IN:
	case ATTR_OUT:
		return check_bytes(m, s, a);
	case ATTR_ENUM:
		return 0;
	default:
		if (a->len)
			return refuse(-EINVAL, "%s: %s is a handle, its len %u must be 0", m->name,
				      s->name, a->len);
		return 0;
	}
}

static int check_attrs(const struct method_spec *m, struct kreq *req)
{
	for (unsigned int i = 0; i < req->nattrs; i++) {
		const struct kattr *a = &req->attrs[i];
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
		err = kernel_check_attr(m, s, a);
		if (err)
			return err;
	}
	return 0;
}

static int check_mandatory(const struct method_spec *m, struct kreq *req)
{
	for (unsigned int i = 0; i < m->nattrs; i++) {
		if (m->attrs[i].mandatory && !kattr_find(req, m->attrs[i].id))
			return refuse(-EINVAL, "%s: %s is missing", m->name, m->attrs[i].name);
	}
	return 0;
}

static int kernel_handle(struct kfile *f, struct kreq *req)
{
	const struct method_spec *m = method_find(req->object, req->method);
	int err;

	if (req->driver != RDMA_DRIVER_MLX5)
		return refuse(-EINVAL, "object 0x%x method 0x%x: driver_id %u is not mlx5",
			      req->object, req->method, req->driver);
	if (!m)
		return refuse(-EPROTONOSUPPORT, "object 0x%x method 0x%x: unknown to this kernel",
			      req->object, req->method);
	if (!m->handler)
		return refuse(-EPROTONOSUPPORT, "%s: this device does not offer it", m->name);
	err = check_attrs(m, req);
	if (!err)
		err = check_mandatory(m, req);
	if (!err && !f->context && !m->before_context)
		err = refuse(-EINVAL, "%s: the file has no context yet", m->name);
	if (err)
		return err;
	err = m->handler(f, req);
	/* The kernel marks a driver's answer as valid without asking whether it wrote one. */
	if (!err && method_attr(m, UVERBS_ATTR_UHW_OUT)) {
		struct kattr *a = kattr_find(req, UVERBS_ATTR_UHW_OUT);

		if (a)
			a->valid_output = true;
	}
	return err;
}

int kernel_ioctl(struct kfile *f, struct kreq *req)
{
	const struct uobj *newest = f->newest;
	int err = kernel_handle(f, req);

	pins_settle(f, req, !err && f->newest != newest ? f->newest : NULL);
	return err;
}
