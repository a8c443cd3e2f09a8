/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FRONT_UVERBS_H
#define SIM_FRONT_UVERBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>
#include "base/clock.h"
#include "base/log.h"
#include "host/mm.h"
#include "obj/vhca.h"
#include "kernel/kernel.h"
#include "kernel/flow/fs.h"

/*
 * What the files of the kernel half share: open files, their handles, event channels. Errno values
 * are those of ib_uverbs and mlx5_ib.
 */
struct channel;
struct hw_ref;
struct subscription;
struct dm_map;

/* Regions of device memory (uverbs_dm.c). */
enum dm_kind { DM_STE, DM_MODIFY, DM_KINDS };

struct kernel {
	struct device *dev;
	struct kfile *files;
	struct subscription *subs[256]; /* DevX event subscriptions, by hardware number */
	struct hw_ref *refs[256];	/* queues by hardware number, for events */
	uint16_t next_uid;
	uint16_t whitelist_uid; /* queries of contexts without DevX */
	uint8_t next_key;	/* mkey_7_0 of the next memory region */
	struct function {
		uint32_t eqn;
		uint8_t caps[4096]; /* QUERY_HCA_CAP, general, current */
		struct fs_chain fs[FS_DIRS];
		struct dm_map *dm[DM_KINDS];
	} * fn; /* by vhca.index */
};

struct uobj;
struct kfile {
	struct kernel *k;
	struct kfile *next;
	struct vhca *vhca;
	struct mm *mm;
	struct bar *bar;
	bool context; /* GET_CONTEXT was done */
	uint16_t uid; /* 0: no DevX */
	uint32_t tdn;
	struct uobj **handles;
	uint32_t nhandles, first_free;
	struct uobj *newest; /* teardown goes from the newest to the oldest */
	LIST_HEAD(pins, pin) pins;
	LIST_HEAD(backs, back) backs;
	uint32_t npins;
	struct mm_look *look; /* of the current request; NULL: not taken yet */
	struct channel *channels;
	struct channel *async; /* the default one: the first that was made */
};

/* --- handles (uobj.c) --------------------------------------------------------------------- */

struct uobj_class {
	const char *name;
	uint16_t object;	       /* UVERBS_OBJECT_*, MLX5_IB_OBJECT_* */
	int (*destroy)(struct uobj *); /* gives the hardware object back; 0 or -errno */
};

struct uobj {
	struct kfile *file;
	const struct uobj_class *class;
	uint32_t id;
	uint32_t users; /* other objects that refer to it */
	struct pin *pins; /* memory that it holds */
	struct uobj *older, *newer;
};

/* Zeroed bytes that begin with a struct uobj, with the lowest free handle; NULL: no memory. */
void *uobj_new(struct kfile *, const struct uobj_class *, size_t size);
/* Creation failed after uobj_new(). */
void uobj_drop(struct uobj *);
/* 0; -ENOENT for an unknown handle, -EINVAL for one of another kind. class NULL: any kind. */
int uobj_find(struct kfile *, uint64_t handle, const struct uobj_class *, struct uobj **);
/* -EBUSY while others refer to it. */
int uobj_destroy(struct uobj *);
/* uobj_find() and uobj_destroy(), but what it counted can be told before its uobj_drop(). */
int uobj_end(struct kfile *, uint64_t handle, const struct uobj_class *, struct uobj **);
void uobj_destroy_all(struct kfile *);

/* --- memory that objects hold (pins.c) ------------------------------------------------------ */

enum pin_use {
	PIN_DATA,
	PIN_RING,
	PIN_RECORD,	 /* in a page of such records */
	PIN_LONE_RECORD, /* anything may lie in its page */
};
/*
 * mm_check(); the object that the current request makes holds the bytes until it is destroyed. A
 * ring's pages and a record's page are to be shared with the device (host/mm.h) while nothing else
 * of this process holds bytes of them: the program is asked for it in the request's answer.
 */
int pin_memory(struct kfile *, uint64_t va, uint64_t len, bool write, enum pin_use);
/* The request is done; made: what it has made, or NULL. */
void pins_settle(struct kfile *, struct kreq *, struct uobj *made);
void pins_drop(struct uobj *);
void pins_free(struct kfile *);

/* --- a request's attributes (kattr.c) ------------------------------------------------------ */

struct kattr *kattr_find(struct kreq *, uint16_t id);
/* 0 if optional and absent */
uint64_t kattr_value(struct kreq *, uint16_t id);
/* -EINVAL for bits outside `allowed`, with a sentence that names the attribute. */
int kattr_flags(struct kreq *, uint16_t id, const char *name, uint64_t allowed, uint64_t *flags);
/* An object that an attribute names; class and *obj as uobj_find(). Absent: *obj stays NULL. */
int kattr_uobj(struct kfile *, struct kreq *, uint16_t id, const struct uobj_class *,
	       struct uobj **obj);
/* A structure of ours into an output attribute: cut or zero-padded to its length. */
void kattr_out(struct kreq *, uint16_t id, const void *, size_t len);
/* Fills `to` from an input attribute that may be shorter or longer; -EOPNOTSUPP if what does not
 * fit isn't zero. */
int kattr_in(struct kreq *, uint16_t id, const char *name, void *to, size_t len);
void kattr_new_handle(struct kreq *, uint16_t id, const struct uobj *);
/* Hands a FD out in attribute `id`, `off` bytes into its output. -ENOMEM: too many. */
int kattr_fd(struct kreq *, uint16_t id, unsigned int off, int fd);

/* --- event channels (channel.c) ------------------------------------------------------------ */

enum channel_kind { CHANNEL_COMP, CHANNEL_ASYNC, CHANNEL_DEVX_CMD, CHANNEL_DEVX_EVENT };

/* The client's end goes to *client_fd. */
struct channel *channel_new(struct kfile *, enum channel_kind, int *client_fd);
/* By the inode number of a FD that a program passed in. -EBADF if it is none of this kind. */
int channel_find(struct kfile *, uint64_t inode, enum channel_kind, struct channel **);
void channel_get(struct channel *);
void channel_put(struct channel *);
bool channel_omits_data(const struct channel *);
void channel_set_omit_data(struct channel *);
/* One event, one packet. Never blocks: what the pipe can't take waits here. */
void channel_post(struct channel *, const void *owner, const void *event, size_t len);
/* True if an event of this owner was not read yet. */
bool channel_pending(struct channel *, const void *owner);
/* Forgets the events of an owner that nobody has read: how many. */
unsigned int channel_purge(struct channel *, const void *owner);
/* Bytes that wait because the program does not read. */
size_t channel_backlog(const struct channel *);
void channel_free_all(struct kfile *);

/* --- queues by hardware number (events.c) -------------------------------------------------- */

enum hw_kind { HW_CQ, HW_QP };
struct hw_ref {
	struct hw_ref *next;
	struct vhca *vhca;
	uint32_t id;
	uint8_t kind;
	/* eqe: of this queue. */
	void (*event)(struct hw_ref *, uint8_t type, const void *eqe);
};
void hw_ref_add(struct kernel *, struct hw_ref *);
void hw_ref_del(struct kernel *, struct hw_ref *);

/* DevX subscriptions (devx_event.c). */
void devx_dispatch(struct kernel *, struct vhca *, uint8_t type, const void *eqe);
void devx_forget_obj(struct kernel *, const struct uobj *);
void devx_forget_channel(struct kernel *, const struct channel *);

/* --- firmware (cmd.c) ---------------------------------------------------------------------- */

/* Runs a mailbox; status as errno (mlx5_core's table). */
int fw_cmd(struct vhca *, const void *in, size_t in_len, void *out, size_t out_len);
int fw_errno(const void *out);
const uint8_t *kfile_caps(const struct kfile *); /* PRM cmd_hca_cap */
uint32_t kfile_eqn(const struct kfile *);
int kfile_new_uid(struct kfile *);
void context_close(struct kfile *);

/*
 * A region of client memory as a page list. Contiguous on the bus, so that the largest pages that
 * the alignment allows will do.
 */
struct pages {
	bus_t first; /* aligned to the page */
	unsigned int log_page;
	uint32_t n;
	uint64_t offset; /* of the first byte in the first page */
};
/* All three: -ENOMEM if it takes too many pages. For a mkey: iova and address agree in a page. */
int pages_mkey(struct pages *, const struct mm *, uint64_t va, uint64_t len, uint64_t iova);
/* For a queue: its offset in the page comes in 64ths of a page. -EINVAL if va is unaligned. */
int pages_queue(struct pages *, const struct mm *, uint64_t va, uint64_t len);
/* For a wq structure, whose offset has a bit less. */
int pages_wq(struct pages *, const struct mm *, uint64_t va, uint64_t len);
/* A queue's memory as its method's attributes name it; refused with a sentence. */
struct queue_memory {
	const char *method, *name; /* CREATE_QP, buf_addr */
	uint64_t va, len;
	bool write; /* the device writes to it */
	bool wq;    /* pages_wq() */
};
int queue_pages(struct pages *, struct kfile *, const struct queue_memory *);
int queue_dbrec(struct kfile *, const char *method, uint64_t va);
unsigned int pages_queue_offset(const struct pages *);
/* For a umem: pages out of `sizes` (a bitmap); 0 or -EINVAL. */
int pages_umem(struct pages *, const struct mm *, uint64_t va, uint64_t len, uint64_t sizes);
/* As big-endian MTT entries; `rw`: what is or'ed into each. */
void pages_write(const struct pages *, void *mtt, uint64_t rw);

/* One sentence and its errno. */
#define refuse(err, ...) (sim_refuse(__VA_ARGS__), (err))

/* --- objects that others look at ----------------------------------------------------------- */

struct pd {
	struct uobj u;
	uint32_t pdn;
	uint16_t uid;
};
extern const struct uobj_class pd_class;

struct kcq {
	struct uobj u;
	struct hw_ref hw;
	uint32_t cqn;
	uint32_t cqe;
	uint64_t user_handle;
	struct channel *comp, *async;
	uint32_t comp_events, async_events; /* sent so far */
};
extern const struct uobj_class cq_class;

struct kqp {
	struct uobj u;
	struct hw_ref hw;
	uint32_t qpn;
	uint64_t user_handle;
	struct pd *pd;
	struct kcq *scq, *rcq;
	struct channel *async;
	uint32_t async_events;
	uint16_t uid;
	uint8_t type;  /* IB_UVERBS_QPT_* */
	uint8_t state; /* IB_QPS_* */
	uint8_t port;
	uint8_t access; /* atomic_rd_en, resp_depth: what rre/rae follow from */
	uint8_t dest_rd;
	bool sig_all;
	uint32_t max_inline;
	uint32_t rq_wr, rq_sge; /* what the ring holds */
	/* Of raw packets: what stands for it in the firmware; numbers are 0 for what it lacks. */
	struct {
		bool on;
		uint32_t tisn, sqn, rqn, tirn;
		uint64_t tir_icm;
		uint8_t sq_state, rq_state; /* as far as mlx5_ib knows */
		struct hw_ref rq_hw;
		struct kwq_table *table; /* RSS: it only has a TIR */
	} raw;
};
extern const struct uobj_class qp_class;

/* A DevX object, and what modify, query and destroy may touch. */
struct devx_obj {
	struct uobj u;
	uint64_t obj_id; /* obj_type << 48 | opcode << 32 | number */
	uint8_t din[64]; /* the destroy mailbox */
	uint32_t dinlen;
	uint32_t counters; /* of a flow counter: how many a bulk has; 0: not one */
};
extern const struct uobj_class devx_obj_class;
extern const struct uobj_class mr_class, ah_class, umem_class, uar_class, dm_class;

/* Where a part of a DM object lies in the device's memory: 0 or -EINVAL. */
int dm_range(const struct uobj *, uint64_t offset, uint64_t len, uint64_t *addr);
void dm_fini(struct kernel *);

/* --- methods ------------------------------------------------------------------------------- */

int uverbs_invoke_write(struct kfile *, struct kreq *);
int uverbs_info_handles(struct kfile *, struct kreq *);
int uverbs_query_port(struct kfile *, struct kreq *);
int uverbs_get_context(struct kfile *, struct kreq *);
int uverbs_query_context(struct kfile *, struct kreq *);
int uverbs_query_gid_table(struct kfile *, struct kreq *);
int uverbs_query_gid_entry(struct kfile *, struct kreq *);
int uverbs_query_port_speed(struct kfile *, struct kreq *);
int mlx5_query_port(struct kfile *, struct kreq *);
int uverbs_pd_destroy(struct kfile *, struct kreq *);
int mlx5_pd_query(struct kfile *, struct kreq *);
int uverbs_cq_create(struct kfile *, struct kreq *);
int uverbs_cq_destroy(struct kfile *, struct kreq *);
int uverbs_qp_create(struct kfile *, struct kreq *);
int uverbs_qp_destroy(struct kfile *, struct kreq *);
int uverbs_wq_create(struct kfile *, struct kreq *);
int uverbs_wq_destroy(struct kfile *, struct kreq *);
int uverbs_rwq_ind_table_destroy(struct kfile *, struct kreq *);
int uverbs_ah_destroy(struct kfile *, struct kreq *);
int uverbs_mr_destroy(struct kfile *, struct kreq *);
int uverbs_mr_advise(struct kfile *, struct kreq *);
int uverbs_mr_query(struct kfile *, struct kreq *);
int uverbs_dm_mr_reg(struct kfile *, struct kreq *);
int uverbs_dm_alloc(struct kfile *, struct kreq *);
int uverbs_dm_free(struct kfile *, struct kreq *);
int uverbs_async_event_alloc(struct kfile *, struct kreq *);
int uverbs_flow_destroy(struct kfile *, struct kreq *);
int mlx5_flow_create(struct kfile *, struct kreq *);
int mlx5_flow_destroy(struct kfile *, struct kreq *);
int mlx5_matcher_create(struct kfile *, struct kreq *);
int mlx5_matcher_destroy(struct kfile *, struct kreq *);
int mlx5_anchor_create(struct kfile *, struct kreq *);
int mlx5_anchor_destroy(struct kfile *, struct kreq *);
int uverbs_counters_create(struct kfile *, struct kreq *);
int uverbs_counters_destroy(struct kfile *, struct kreq *);
int uverbs_counters_read(struct kfile *, struct kreq *);
int uverbs_flow_action_destroy(struct kfile *, struct kreq *);
int mlx5_flow_action_modify(struct kfile *, struct kreq *);
int mlx5_flow_action_reformat(struct kfile *, struct kreq *);
int devx_other(struct kfile *, struct kreq *);
int devx_query_uar(struct kfile *, struct kreq *);
int devx_query_eqn(struct kfile *, struct kreq *);
int devx_subscribe(struct kfile *, struct kreq *);
int devx_obj_create(struct kfile *, struct kreq *);
int devx_obj_destroy(struct kfile *, struct kreq *);
int devx_obj_modify(struct kfile *, struct kreq *);
int devx_obj_query(struct kfile *, struct kreq *);
int devx_obj_async_query(struct kfile *, struct kreq *);
int devx_umem_reg(struct kfile *, struct kreq *);
int devx_umem_dereg(struct kfile *, struct kreq *);
int devx_cmd_fd_alloc(struct kfile *, struct kreq *);
int devx_event_fd_alloc(struct kfile *, struct kreq *);
int mlx5_uar_alloc(struct kfile *, struct kreq *);
int mlx5_uar_destroy(struct kfile *, struct kreq *);

/*
 * The write commands that INVOKE_WRITE carries: in and out are CORE_IN and CORE_OUT, at least as
 * long as the table says; the driver's own bytes are in UHW_IN and UHW_OUT.
 */
#define WCMD_IN_BYTES 1024u /* no command reads more; in_len may say more */
struct wcmd {
	struct kfile *f;
	struct kreq *req;
	const void *in;
	size_t in_len;
	size_t out_len;
};
void wcmd_out(struct wcmd *, const void *, size_t len);
/* What follows the known part of a request must be zero: 0 or -EOPNOTSUPP. */
int wcmd_end(const struct wcmd *, const char *name, size_t known);
/* Bytes of a structure up to the end of a member. */
#define UPTO(t, last) (offsetof(struct t, last) + sizeof(((struct t *)0)->last))

int wcmd_query_device(struct wcmd *);
int wcmd_query_device_ex(struct wcmd *);
int wcmd_query_port(struct wcmd *);
int wcmd_alloc_pd(struct wcmd *);
int wcmd_dealloc_pd(struct wcmd *);
int wcmd_reg_mr(struct wcmd *);
int wcmd_dereg_mr(struct wcmd *);
int wcmd_create_comp_channel(struct wcmd *);
int wcmd_destroy_cq(struct wcmd *);
int wcmd_destroy_qp(struct wcmd *);
int wcmd_query_qp(struct wcmd *);
int wcmd_modify_qp(struct wcmd *);
int wcmd_modify_qp_ex(struct wcmd *);
int wcmd_modify_wq(struct wcmd *);
int wcmd_create_rwq_ind_table(struct wcmd *);
int wcmd_create_ah(struct wcmd *);
int wcmd_create_flow(struct wcmd *);
int wcmd_destroy_flow(struct wcmd *);
int wcmd_destroy_ah(struct wcmd *);

enum { UVERBS_ATTR_QUERY_PORT_SPEED_PORT_NUM, UVERBS_ATTR_QUERY_PORT_SPEED_RESP };

/* The port, as both of its queries tell it (uverbs_port.c). */
struct ib_uverbs_query_port_resp;
void port_fill(const struct kfile *, struct ib_uverbs_query_port_resp *);
/* -EINVAL with a sentence unless it is port 1. */
int port_check(uint64_t port);
/* A source GID: -EINVAL behind the table's end, -ENODATA where it has none. */
int port_sgid_check(const struct kfile *, const char *name, unsigned int index);
/* The MAC address behind a GID; -EHOSTUNREACH if nobody answers to it. */
int port_resolve(const struct kfile *, const uint8_t gid[16], uint8_t mac[6]);

#endif
