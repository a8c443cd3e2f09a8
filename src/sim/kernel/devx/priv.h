/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_DEVX_PRIV_H
#define KERNEL_DEVX_PRIV_H

/* Declarations shared by the files of this folder. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/core/attr.h"
#include "kernel/core/channel.h"
#include "devx.h"

extern const struct uobj_class umem_class, uar_class, pp_class;

/* A copy of a program's command, in which the uid is set. */
struct devx_cmd {
	uint8_t *in;
	size_t in_len;
	uint16_t opcode;
};

/* Copies the command in attribute `id`; the caller frees c->in. */
int devx_mailbox(struct uverbs_request *, uint16_t id, struct devx_cmd *);
/* Returns the uid that a command gets, or -errno. */
int devx_uid(const struct uverbs_file *, uint16_t opcode);
/* Runs a command: 0 or -EREMOTEIO. out is valid in both cases. */
int devx_exec(struct uverbs_file *, const struct devx_cmd *, void *out, size_t out_len);
/* Runs a command; attribute out_id gets the answer. An old kernel returns an errno instead. */
int devx_run(struct uverbs_file *, struct uverbs_request *, const struct devx_cmd *,
	     uint16_t out_id);

/*
 * devx_flow.c: flow tables, groups and entries, whose commands have other layouts than the rest.
 */
bool devx_is_flow(uint16_t create);
/* Returns the offset of the object's number in a command: 8, except for flow objects. */
size_t devx_number_at(uint16_t opcode);
/* Completes the destroy command and returns the object's number. */
uint32_t devx_flow_remember(struct devx_obj *, const struct devx_cmd *, const void *out);

/* devx_event.c: subscriptions. */
void devx_event(struct kernel *, struct vhca *, uint8_t type, const void *eqe);
void devx_forget_obj(struct kernel *, const struct uobj *);
void devx_forget_channel(struct kernel *, const struct channel *);

/* Handlers for the table in methods.c. */
method_fn devx_other, devx_query_uar, devx_query_eqn, devx_subscribe, devx_obj_create,
	devx_obj_modify, devx_obj_query, devx_obj_async_query, devx_umem_reg, devx_cmd_fd_alloc,
	devx_event_fd_alloc, mlx5_uar_alloc, mlx5_pp_alloc;

#endif
