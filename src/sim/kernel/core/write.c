/* SPDX-License-Identifier: BSD-2-Clause */
/* INVOKE_WRITE: an ioctl that carries the commands that older programs wrote to the file. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include "room.h"
#include "write.h"

int wcmd_end(const struct wcmd *c, const char *name, size_t known)
{
	const struct uverbs_attr *a = attr_find(c->req, UVERBS_ATTR_CORE_IN);

	for (size_t i = known; i < c->in_len; i++)
		if (a->in[i])
			return refuse(-EOPNOTSUPP,
				      "%s: CORE_IN has bytes beyond %zu that are not zero", name,
				      known);
	return 0;
}

static int write_run(const struct write_command *w, struct wcmd *c)
{
	uint16_t known = w->known ? w->known : w->in;
	int err;

	/* libibverbs probes for this ioctl with such a request at each open. */
	if (!c->in_len && !c->out_len && w->in)
		return -ENOSPC;
	if (c->in_len < w->in || c->out_len < w->out)
		return refuse(
			-ENOSPC,
			"%s: CORE_IN %zu and CORE_OUT %zu bytes, at least %u and %u are needed",
			w->name, c->in_len, c->out_len, w->in, w->out);
	if (!w->run)
		return refuse(-EOPNOTSUPP, "%s: this device does not offer it", w->name);
	if (!c->f->context)
		return refuse(-EINVAL, "%s: the file has no context yet", w->name);
	c->row = w;
	err = known == WCMD_TAIL ? 0 : wcmd_end(c, w->name, known);
	return err ?: w->run(c);
}

static const struct write_command *write_find(const struct kernel *k, uint64_t cmd)
{
	for (const struct kernel_room *const *r = k->rooms; *r; r++) {
		for (size_t i = 0; i < (*r)->ncommands; i++) {
			if ((*r)->commands[i].cmd == cmd)
				return &(*r)->commands[i];
		}
	}
	return NULL;
}

int uverbs_invoke_write(struct uverbs_file *f, struct uverbs_request *req)
{
	uint64_t cmd = attr_value(req, UVERBS_ATTR_WRITE_CMD);
	const struct uverbs_attr *in = attr_find(req, UVERBS_ATTR_CORE_IN);
	const struct uverbs_attr *out = attr_find(req, UVERBS_ATTR_CORE_OUT);
	uint64_t core[WCMD_IN_BYTES / 8] = {0}; /* for alignment */
	struct wcmd c = {.f = f, .req = req, .in = core};
	const struct write_command *w;

	if (cmd & ~(uint64_t)(IB_USER_VERBS_CMD_COMMAND_MASK | IB_USER_VERBS_CMD_FLAG_EXTENDED))
		return refuse(-EINVAL, "INVOKE_WRITE: command 0x%llx has unknown bits",
			      (unsigned long long)cmd);
	if (in) {
		c.in_len = in->len;
		memcpy(core, in->in, in->len < sizeof(core) ? in->len : sizeof(core));
	}
	if (out)
		c.out_len = out->len;
	w = write_find(f->k, cmd);
	if (w)
		return write_run(w, &c);
	return refuse(-EOPNOTSUPP, "INVOKE_WRITE: command 0x%llx is not known",
		      (unsigned long long)cmd);
}

void wcmd_out(struct wcmd *c, const void *from, size_t len)
{
	attr_out(c->req, UVERBS_ATTR_CORE_OUT, from, len);
}

int wcmd_destroy(struct wcmd *c)
{
	const size_t len = c->row->out, at = len ? sizeof(uint64_t) : 0; /* the reply's address */
	uint32_t handle, events[2];
	int err;

	memcpy(&handle, (const uint8_t *)c->in + at, sizeof(handle));
	err = uobj_destroy_handle(c->f, handle, uobj_class_of(c->f->k, c->row->object), events);
	if (!err && len)
		wcmd_out(c, (uint8_t *)events + sizeof(events) - len, len);
	return err;
}
