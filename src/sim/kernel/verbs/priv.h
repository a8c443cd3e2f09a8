/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_VERBS_PRIV_H
#define KERNEL_VERBS_PRIV_H

/* Declarations shared by the files of this folder. */
#include "kernel/core/attr.h"
#include "kernel/core/channel.h"
#include "kernel/core/write.h"
#include "verbs.h"

#define UIDX_DEFAULT 0xffffffu /* no user index: completions have the QP's number */

extern const struct uobj_class mr_class, ah_class, dm_class, memic_class, mw_class;

/*
 * uverbs_queue.c: finds the channel that attribute `id` names, else the file's; registers a queue
 * for events (event NULL: it gets none), sends the program one, and ends that.
 */
int uverbs_queue_find_async(struct uverbs_file *, struct uverbs_request *, uint16_t id,
			    struct channel **);
void uverbs_queue_open(struct uverbs_queue *, struct channel *async, enum hw_kind,
		       void (*event)(struct uobj *, uint8_t type));
void uverbs_queue_post(struct uverbs_queue *, uint32_t event); /* enum ib_event_type */
void uverbs_queue_close(struct uverbs_queue *);

/* Fills in a QP's state, peer and PSNs from QUERY_QP. */
void qp_modify_describe(struct uverbs_qp *, struct uverbs_resource *);
void mcast_leave_all(struct uverbs_qp *);

void context_close(struct uverbs_file *);
void dm_stop(struct kernel *);
void rates_stop(struct kernel *);
/* Finds a range of a DM object in the device's memory: 0 or -EINVAL. */
int dm_range(const struct uobj *, uint64_t offset, uint64_t len, uint64_t *addr);

/* uverbs_memic.c: the counterpart of dm_range() for memory that programs map. */
int memic_range(const struct uobj *, uint64_t offset, uint64_t len, uint64_t *addr);
int dm_range_check(uint64_t size, uint64_t offset, uint64_t len);
int memic_dm_alloc(struct uverbs_file *, struct uverbs_request *);

/* uverbs_port.c: fills in the port's attributes, for both methods that query it. */
struct ib_uverbs_query_port_resp;
void port_fill(const struct uverbs_file *, unsigned int port, struct ib_uverbs_query_port_resp *);
/* Returns -EINVAL, after logging a sentence, for a port that the device lacks. */
int port_check(const struct uverbs_file *, uint64_t port);
/* Checks a source GID's index: -EINVAL beyond the table's end, -ENODATA for an empty entry. */
int port_sgid_check(const struct uverbs_file *, const char *name, unsigned int index);
/*
 * Finds the MAC address of a GID, as device_resolve(); the sentence of a refusal begins with
 * `what`. At -EINPROGRESS the session runs the request again later, so the caller must not have
 * changed anything before.
 */
int port_resolve(const struct uverbs_file *, const char *what, unsigned int sgid_index,
		 const uint8_t gid[16], uint8_t mac[6]);

void verbs_port_event(struct kernel *, struct vhca *, uint8_t type, const void *eqe);

/* Handlers for the table in methods.c. */
method_fn uverbs_info_handles, uverbs_query_port, uverbs_get_context, uverbs_query_context,
	uverbs_query_gid_table, uverbs_query_gid_entry, uverbs_query_port_speed, mlx5_query_port,
	mlx5_pd_query, uverbs_cq_create, uverbs_qp_create, uverbs_srq_create, uverbs_dm_mr_reg,
	uverbs_dmabuf_mr_reg, uverbs_mr_advise, uverbs_mr_query, uverbs_wq_create, uverbs_dm_alloc,
	mlx5_dm_query, mlx5_dm_map_op, uverbs_async_event_alloc;
write_fn wcmd_query_device, wcmd_query_device_ex, wcmd_query_port, wcmd_alloc_pd, wcmd_reg_mr,
	wcmd_rereg_mr, wcmd_alloc_mw, wcmd_create_comp_channel, wcmd_query_qp, wcmd_modify_qp,
	wcmd_modify_qp_ex, wcmd_modify_wq, wcmd_create_rwq_ind_table, wcmd_modify_srq,
	wcmd_query_srq, wcmd_create_ah, wcmd_attach_mcast, wcmd_detach_mcast;
write_fn wcmd_resize_cq, wcmd_modify_cq_ex;

#endif
