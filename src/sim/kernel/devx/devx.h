/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FRONT_DEVX_H
#define SIM_FRONT_DEVX_H

#include "kernel/core/uverbs.h"

/* A mailbox of a program's own making, copied so that it can be stamped. */
struct devx_cmd {
	uint8_t *in;
	size_t in_len;
	uint16_t opcode;
};

/* Copies attribute `id`; the caller frees in. */
int devx_mailbox(struct kreq *, uint16_t id, struct devx_cmd *);
/* The uid to stamp, or -errno. */
int devx_uid(const struct kfile *, uint16_t opcode);
/* 0 or -EREMOTEIO; out is valid either way. */
int devx_exec(struct kfile *, const struct devx_cmd *, void *out, size_t out_len);
/* The same, with the answer into an attribute; an old kernel gives an errno and no answer. */
int devx_run(struct kfile *, struct kreq *, const struct devx_cmd *, uint16_t out_id);

/*
 * Flow tables, groups and entries: their numbers don't sit where all others do. devx_flow.c; the
 * destroy mailbox is completed, and the number returned.
 */
bool devx_is_flow(uint16_t create);
/* Where a command on an object has its number: byte 8, but for flows'. */
size_t devx_number_at(uint16_t opcode);
uint32_t devx_flow_remember(struct devx_obj *, const struct devx_cmd *, const void *out);

/* What a DevX object is to events: opcode of its creation and its number. */
static inline uint16_t devx_obj_opcode(const struct devx_obj *o)
{
	return (uint16_t)(o->obj_id >> 32);
}

static inline uint32_t devx_obj_number(const struct devx_obj *o)
{
	return (uint32_t)o->obj_id;
}

#endif
