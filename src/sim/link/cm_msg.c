/* SPDX-License-Identifier: BSD-2-Clause */
#include "cm_msg.h"

#include <errno.h>
#include <string.h>

size_t cm_msg_pack(const struct ucma_request *r, uint8_t body[CM_MSG_MAX])
{
	const struct cm_msg h = {.command = r->command,
				 .in_len = r->in_len,
				 .out_len = r->out_len,
				 .nin = r->nin,
				 .nvalue = r->nvalue,
				 .inode = r->inode};

	memcpy(body, &h, sizeof(h));
	memcpy(body + sizeof(h), r->in, r->nin);
	memcpy(body + sizeof(h) + r->nin, r->value, r->nvalue);
	return sizeof(h) + r->nin + r->nvalue;
}

int cm_msg_unpack(struct ucma_request *r, const uint8_t *body, size_t len)
{
	const struct ucma_command *c;
	struct cm_msg h;

	if (len < sizeof(h))
		return -EPROTO;
	memcpy(&h, body, sizeof(h));
	c = ucma_command_find(h.command);
	if (!c || h.nin > sizeof(r->in) || h.nin != ucma_in_bytes(c, h.in_len) ||
	    h.nvalue > sizeof(r->value) || len != sizeof(h) + h.nin + h.nvalue)
		return -EPROTO;
	memset(r, 0, offsetof(struct ucma_request, value));
	r->command = h.command;
	r->in_len = h.in_len;
	r->out_len = h.out_len;
	r->nin = h.nin;
	r->nvalue = h.nvalue;
	r->inode = h.inode;
	memcpy(r->in, body + sizeof(h), h.nin);
	memcpy(r->value, body + sizeof(h) + h.nin, h.nvalue);
	return ucma_value_bytes(c, r->in) == h.nvalue ? 0 : -EPROTO;
}
