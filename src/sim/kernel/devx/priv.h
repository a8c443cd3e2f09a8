/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_DEVX_PRIV_H
#define KERNEL_DEVX_PRIV_H

/* Between the files of this room. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/core/attr.h"
#include "kernel/core/channel.h"
#include "devx.h"

extern const struct uobj_class umem_class, uar_class, pp_class;

/* A program's mailbox, copied so that it can be stamped. */
struct devx_cmd {
	uint8_t *in;
	size_t in_len;
	uint16_t opcode;
};

/* Copies attribute `id`; the caller frees in. */
int devx_mailbox(struct uverbs_request *, uint16_t id, struct devx_cmd *);
/* The uid to stamp, or -errno. */
int devx_uid(const struct uverbs_file *, uint16_t opcode);
/* 0 or -EREMOTEIO; out is valid either way. */
int devx_exec(struct uverbs_file *, const struct devx_cmd *, void *out, size_t out_len);
/* The same, with the answer into an attribute; an old kernel gives an errno and no answer. */
int devx_run(struct uverbs_file *, struct uverbs_request *, const struct devx_cmd *, uint16_t out_id);

/*
 * Flow tables, groups and entries, whose numbers are elsewhere than all others' (devx_flow.c).
 * Completes the destroy mailbox and returns the number.
 */
bool devx_is_flow(uint16_t create);
/* The offset of the object's number in a command: 8, except for flows'. */
size_t devx_number_at(uint16_t opcode);
uint32_t devx_flow_remember(struct devx_obj *, const struct devx_cmd *, const void *out);

/* Subscriptions (devx_event.c). */
void devx_event(struct kernel *, struct vhca *, uint8_t type, const void *eqe);
void devx_forget_obj(struct kernel *, const struct uobj *);
void devx_forget_channel(struct kernel *, const struct channel *);

/* Handlers, in the rows of methods.c. */
method_fn devx_other, devx_query_uar, devx_query_eqn, devx_subscribe, devx_obj_create,
	devx_obj_modify, devx_obj_query, devx_obj_async_query, devx_umem_reg, devx_cmd_fd_alloc,
	devx_event_fd_alloc, mlx5_uar_alloc, mlx5_pp_alloc;

#endif
