/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of libdvx share. */
#ifndef DVX_PRIV_H
#define DVX_PRIV_H

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <infiniband/mlx5dv.h>
#include <dvx/dvx.h>
#include "attrs.h"

struct dvx_dbr_page;

/* An object of verbs that libdvx adopted: list dvx_dev.adopted. */
struct dvx_adopted {
	struct dvx_adopted *next;
	const void *verbs;
	void *object; /* libdvx's */
};

/* The memory of a queue: its doorbell record, and its ring, registered. */
struct dvx_queue_memory {
	struct dvx_dbr *dbr;
	struct dvx_mem *mem;
	struct dvx_umem *umem;
};

struct dvx_dev {
	struct ibv_context *ctx;
	bool owned;
	int refs; /* objects that exist: they must be destroyed first */
	int node;
	struct dvx_caps caps;
	uint8_t qp_ts_format;  /* of the RoCE capabilities: dvx_ts_format() */
	uint8_t log_max_msg;   /* bytes of a message, as log2 */
	uint8_t log_rd_atomic; /* reads in flight that a QP of this device can have, as log2 */
	uint8_t mkey_variant;  /* low byte of the next mkey; it changes, so that stale keys fail */
	pthread_mutex_t lock;  /* the lists, the transport domain */
	pthread_mutex_t watch_lock; /* events.c; objects are destroyed under `lock`, too */
	struct dvx_dbr_page *dbr_pages;
	struct cap_page *cap_pages;
	struct dvx_adopted *adopted;
	struct dvx_obj *td; /* transport domain of all TIRs and TISs; NULL if td_users is 0 */
	uint32_t tdn;
	int td_users;
};

struct dvx_pd {
	struct dvx_dev *dev;
	struct dvx_obj *obj; /* NULL: adopted */
	struct ibv_pd *ibpd; /* the adopted one, else NULL */
	uint32_t pdn;
	int refs;
};

struct dvx_uar {
	struct dvx_dev *dev;
	struct mlx5dv_devx_uar *devx;
	uint32_t bf_size;
	int refs;
	struct dvx_users users;
};

struct dvx_umem {
	struct dvx_dev *dev;
	struct mlx5dv_devx_umem *devx;
	void *addr;
	size_t len;
	uint8_t log_page; /* DVX_LOG_PAGE_MIN if the kernel chose the pages */
	int refs;
};

/*
 * The watch of an object (events.c). The kernel's cookie is `id`, and not a pointer: an event of a
 * destroyed object finds no watch. Objects are watched and destroyed in any thread: dev->watch_lock
 * protects the lists, and each obj->watch.
 */
struct dvx_watch {
	LIST_ENTRY(dvx_watch) link;
	uint64_t id;
	uint32_t number;
	void *cookie;
};

struct dvx_obj {
	struct dvx_dev *dev;
	struct mlx5dv_devx_obj *devx;
	struct dvx_watch *watch; /* events.c; NULL: its events are not watched */
};

struct dvx_mkey {
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_obj *obj; /* NULL: made by verbs */
	struct ibv_mr *mr;   /* made by verbs, else NULL */
	struct dvx_umem *umem;
	bool own_umem;
	bool alias;
	uint8_t log_page; /* 0: a list */
	uint32_t key;
	uint32_t access;
	uint64_t addr;
	uint64_t len;
	struct dvx_mkey_sig *sig; /* sig.c */
};

/* Additional state of an mkey with signatures or encryption. */
struct dvx_mkey_sig {
	struct dvx_sig_key open;
	struct dvx_obj *psv[2];
};

/* An SRQ whose receives complete in a CQ. */
struct dvx_cq_pool {
	struct dvx_srq *srq;
	uint32_t queues; /* queues of the CQ that receive from it */
};

struct dvx_cq_priv {
	struct dvx_cq ring; /* the user has a pointer to it */
	struct dvx_dev *dev;
	struct ibv_cq *ibcq; /* if adopted */
	struct dvx_obj *obj; /* if made by DevX, with the next two members */
	struct dvx_uar *uar;
	struct dvx_queue_memory at;
	/* cq_queues.c */
	struct dvx_cq_queue *places; /* a hash table of queues, by number */
	uint32_t place_count;	     /* a power of two, or 0 */
	uint32_t queue_count;
	uint32_t raw_receivers;
	struct dvx_cq_pool *pools; /* of pool_count SRQs */
	uint32_t pool_count;
	uint32_t room;	/* completions that all queues together may have outstanding */
	uint32_t flags; /* enum dvx_cq_flags */
	/* channel.c */
	struct dvx_channel *channel;
	struct dvx_cq_priv *next;
	void *cookie;
	struct dvx_adopted adopted;
};

struct dvx_srq_priv {
	struct dvx_srq ring; /* the user has a pointer to it */
	struct dvx_dev *dev;
	struct ibv_srq *ibsrq; /* if adopted */
	struct dvx_obj *obj;   /* if made by DevX, with the next three members */
	struct dvx_pd *pd;
	struct dvx_queue_memory at;
	uint64_t *wr_ids;
	struct dvx_cq_priv *xrc_cq; /* of an XRC SRQ: all its messages complete there */
	int refs;		    /* queues that receive from it */
	struct dvx_adopted adopted;
};

struct dvx_qp {
	struct dvx_sq sq;
	struct dvx_rq rq;
	bool has_rq;
	struct dvx_srq_priv *srq; /* NULL: none; else has_rq is false */
	struct dvx_dev *dev;
	uint32_t qpn;
	struct ibv_qp *ibqp; /* if adopted */
	struct dvx_obj *obj; /* if made by DevX */
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_cq_priv *scq, *rcq;
	struct dvx_queue_memory at;
	struct dvx_mem *mmo_mem;
	struct dvx_mkey *mmo_mkey;
	bool force_loopback;
	uint8_t type; /* enum dvx_qp_type */
	int refs;     /* multicast groups that it is in */
};

struct dvx_rxq {
	struct dvx_rq ring;
	uint32_t strides; /* per receive; 0: not a striding queue */
	uint32_t stride_bytes;
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_cq_priv *cq;
	struct dvx_obj *rq, *tir;
	struct dvx_queue_memory at;
	uint32_t rqn, tirn;
	/* rxq_drops.c */
	struct dvx_obj *q_counter; /* NULL: drops are not counted */
	uint32_t q_counter_set;
	uint64_t drops; /* the low half is the device's counter as it was read last */
	int refs;
};

struct dvx_rss {
	struct dvx_dev *dev;
	struct dvx_obj *rqt, *tir;
	uint32_t tirn;
	int refs;
	uint32_t count;
	struct dvx_rxq *queues[];
};

/* error.c: set the thread's last error and return -err. The sentence names the wrong field. */
int dvx_fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int dvx_fail_cmd(const void *in, const void *out, int err);
/* Restores an error that clean-up overwrote; returns -err. */
int dvx_restore(const struct dvx_error *why);

/*
 * Returns the errno of a failed call of libmlx5. Most calls return an errno, some -1 with errno
 * set; a result below that is no errno (a poll in dr_send.c returns one).
 */
static inline int dvx_errno_of(int ret)
{
	return ret > 0 ? ret : ret == -1 && errno ? errno : EIO;
}

/*
 * attr.c: copies a caller's structure, which may be shorter or longer than this library's. Bytes
 * behind this library's size, and reserved members, must be 0: else -E2BIG.
 */
#define dvx_struct_copy(dst, src, call, name) \
	dvx_struct_copy_as(DVX_ATTR_TYPE_OF(dst), dst, src, call, name)
#define dvx_attr_copy(dst, src, call) dvx_struct_copy(dst, src, call, "attr")
int dvx_struct_copy_as(enum dvx_attr_type type, void *dst, const void *src, const char *call,
		       const char *name);
/*
 * Checks arguments: pairs of a name and a pointer, then NULL. Returns -EINVAL if a pointer is NULL;
 * the sentence has its name.
 */
int dvx_check_not_null(const char *call, ...) __attribute__((sentinel));

/*
 * cmd.c: destroys an object that the caller never sees, and frees libdvx's part in any case. If the
 * device refuses, it leaks the object until the context is closed.
 */
void dvx_obj_forget(struct dvx_obj *obj);
/* Ends the watch of an object, if it has one. */
void dvx_obj_unwatch(struct dvx_obj *obj);

/* rxq_drops.c: allocates a set of Q counters, which counts for all queues created with `*set`. */
int dvx_q_counter_alloc(struct dvx_dev *dev, struct dvx_obj **out, uint32_t *set);

void dvx_ref(int *refs);
void dvx_unref(int *refs);
bool dvx_in_use(const int *refs);

/* The smallest page of a umem and of an mkey, log2. */
#define DVX_LOG_PAGE_MIN 12u

/*
 * mkey.c. dvx_mkey_new() makes an mkey without an object, which refers to its PD; dvx_mkey_drop()
 * frees such an mkey. dvx_mkey_context() sets the fields that all kinds of mkeys have, and the low
 * byte of the key.
 */
struct dvx_mkey *dvx_mkey_new(struct dvx_dev *dev, struct dvx_pd *pd, uint32_t access);
void dvx_mkey_drop(struct dvx_mkey *mkey);
void dvx_mkey_context(const struct dvx_mkey *mkey, void *mkc);
int dvx_mkey_submit(struct dvx_mkey *mkey, const void *in, size_t len);
/* mkey_list.c: sets the context of an mkey with room for a list */
void dvx_mkey_list_context(const struct dvx_mkey *mkey, void *mkc, uint32_t max_pieces);
/* crypt.c: fails if mkeys can't encrypt */
int dvx_crypt_supported(struct dvx_dev *dev);
/* mkey_verbs.c: makes an mkey whose pages the device faults in */
int dvx_mkey_on_demand(struct dvx_mkey *mkey, const struct dvx_mkey_attr *attr);
int dvx_mkey_dereg(struct dvx_mkey *mkey);

/* umem.c: checks the rights that a caller gives to memory */
int dvx_access_check(const char *call, const char *name, uint32_t access);

/* dbr.c. If dvx_queue_memory_alloc() fails, call dvx_queue_memory_free() as after success. */
int dvx_queue_memory_alloc(struct dvx_dev *dev, size_t bytes, const struct dvx_place *place,
			   struct dvx_queue_memory *at);
/* Allocates a ring without a doorbell record. */
int dvx_queue_ring_alloc(struct dvx_dev *dev, size_t bytes, const struct dvx_place *place,
			 struct dvx_queue_memory *at);
void dvx_queue_memory_free(struct dvx_queue_memory *at);
/* Fills in the memory of a raw queue's wq structure. */
void dvx_queue_memory_wq(const struct dvx_queue_memory *at, void *wq, const struct dvx_pd *pd);

/* txq.c: checks that the device takes rules by requests */
int dvx_rules_supported(struct dvx_dev *dev, const char *call);

/* uar.c: returns NULL if any thread may write the register */
struct dvx_users *dvx_uar_users(struct dvx_uar *uar);

/* rq.c: brings the ring and its record back to their state after creation */
void dvx_rq_empty(struct dvx_rq *rq);

/* sq.c: checks that the device has cross-channel queues; qpn has 24 bits */
int dvx_cross_supported(struct dvx_dev *dev, const char *call);
void dvx_sq_set_qpn(struct dvx_sq *sq, uint32_t qpn);

/* qp.c: attach the QP to its CQs; detach */
int dvx_qp_attach(struct dvx_qp *qp, uint32_t user_index);
void dvx_qp_detach(struct dvx_qp *qp);

/* cq.c */
/* Returns a ring's entries for `wanted` completions: a power of two, limited by the device. */
uint32_t dvx_cq_log_max(const struct dvx_dev *dev);
uint32_t dvx_cq_entries(const struct dvx_dev *dev, uint32_t wanted);
/* Sets up a ring, whose stride is set, with consumer index `index`. */
void dvx_cq_place(struct dvx_cq *cq, const uint8_t *buf, uint32_t entries, uint32_t index);
/* Returns the CQE of a consumer index. */
static inline uint8_t *dvx_cq_entry(const struct dvx_cq *cq, uint32_t index)
{
	return (uint8_t *)(uintptr_t)cq->first + (index & (cq->entries - 1)) * cq->stride;
}

/* poll.c: takes the next CQE, of any kind */
int dvx_rq_poll_one(struct dvx_rq *rq, struct dvx_wc *wc);

/*
 * cq_queues.c. A queue completes in a CQ from attach to detach, which removes the queue's
 * unconsumed CQEs. Call both from the thread that polls the CQ.
 */
extern const struct dvx_cq dvx_cq_of_several;	  /* makes dvx_sq_poll() take its slow path */
extern const struct dvx_cq_queue dvx_cq_no_queue; /* an empty table */
#define DVX_CQ_ANY_INDEX UINT32_MAX /* user_index of an indexed queue: any that no other has */
int dvx_cq_attach(struct dvx_cq_priv *cq, const struct dvx_cq_queue *queue);
void dvx_cq_detach(struct dvx_cq_priv *cq, uint32_t number);
bool dvx_cq_has(const struct dvx_cq_priv *cq, uint32_t number);
uint32_t dvx_cq_waiting(const struct dvx_cq *cq);
/* Updates the ring, and its queues' pointers to it, after a change of the queues or the ring. */
void dvx_cq_refit(struct dvx_cq_priv *cq);
/* Copies a CQE, and sets its owner bit to `owner`. */
void dvx_cq_copy(const struct dvx_cq *cq, uint8_t *to, const uint8_t *from, uint8_t owner);
void dvx_cq_set_slack(struct dvx_cq *cq, uint32_t slack);
/* Makes a CQ collapsed, without a completion. */
void dvx_cq_collapse(struct dvx_cq *cq);
struct dvx_sq *dvx_cq_only_sq(const struct dvx_cq_priv *cq);
/* Removes the CQEs of a queue that was reset. */
void dvx_cq_clean(struct dvx_cq_priv *cq, uint32_t number);
/* Returns the queue of a CQE; NULL: not a queue of libdvx. */
const struct dvx_cq_queue *dvx_cq_queue_of(const struct dvx_cq_priv *cq, const void *cqe);

/*
 * clock.c. `cap` is a device's ?q_ts_format, which allows free-running timestamps (0), real-time
 * ones (1) or both. dvx_ts_check() fails if real time is wanted and not allowed; dvx_ts_format()
 * returns the queue's ts_format.
 */
int dvx_ts_check(const struct dvx_dev *dev, const char *call, uint32_t cap, bool real_time);
uint32_t dvx_ts_format(uint32_t cap, bool real_time);

/* dev.c: an adopted object refers to its device. dvx_adopted() returns libdvx's object, or NULL. */
void dvx_adopted_add(struct dvx_dev *dev, struct dvx_adopted *a, const void *verbs, void *object);
void dvx_adopted_remove(struct dvx_dev *dev, struct dvx_adopted *a);
void *dvx_adopted(struct dvx_dev *dev, const void *verbs);

/* caps.c */
int dvx_caps_read(struct dvx_dev *dev);
void dvx_caps_free(struct dvx_dev *dev);

/* tir.c: the transport domain that a device's TIRs and TISs share */
int dvx_td_get(struct dvx_dev *dev, uint32_t *tdn);
void dvx_td_put(struct dvx_dev *dev);
struct dvx_tir {
	uint32_t rqn;			 /* the only queue, if hash is NULL */
	uint32_t rqtn;			 /* the table of queues */
	const struct dvx_rss_attr *hash; /* the hash that selects from it */
};
int dvx_tir_create(struct dvx_dev *dev, const struct dvx_tir *want, struct dvx_obj **tir,
		   uint32_t *tirn);
int dvx_tir_destroy(struct dvx_dev *dev, struct dvx_obj *tir);

/* path.c: sets peer->mac, if the caller left it 0 */
int dvx_peer_resolve(struct dvx_dev *dev, const struct dvx_qp_local *local,
		     struct dvx_qp_peer *peer);

/* gid.c */
int dvx_gid_at(struct dvx_dev *dev, uint8_t port, uint32_t index, struct dvx_gid *out);
/* Checks that packets from this GID can reach the peer's GID, by their types. */
int dvx_gid_fits(const struct dvx_gid *mine, const struct dvx_qp_peer *peer, const char *call);

/* qp_local.c: copies the caller's two sides, and checks them; peer may be NULL */
struct dvx_sides {
	struct dvx_qp_local local;
	struct dvx_qp_peer peer;
};
int dvx_qp_sides(const struct dvx_qp *qp, const char *call, const struct dvx_qp_local *user_local,
		 struct dvx_qp_local *local, const struct dvx_qp_peer *user_peer,
		 struct dvx_qp_peer *peer);
/* Copies and checks the local side of a DC target: peers may get any right. */
int dvx_local_side(const struct dvx_dev *dev, const char *call,
		   const struct dvx_qp_local *user_local, struct dvx_qp_local *local);
/* Copies and checks both sides of an address handle, which belongs to no queue. */
int dvx_path_sides(const struct dvx_dev *dev, const char *call,
		   const struct dvx_qp_local *user_local, const struct dvx_qp_peer *user_peer,
		   struct dvx_sides *out);

/* qp_type.c */
struct dvx_qp_kind {
	const char *name;
	enum ibv_qp_type verbs;
	bool sends_only;
	bool verbs_only; /* DevX can't make it */
	uint32_t access; /* the rights that a peer can be given */
	bool peer;	 /* it is connected with one other queue */
	bool reliable;	 /* it retries, and does READs and atomics */
	uint8_t peer_ds; /* segments of a WQE that name its peer */
};
/* Finds the row of an enum dvx_qp_type; NULL: no such type */
const struct dvx_qp_kind *dvx_qp_kind(uint32_t type);
bool dvx_qp_type_of_verbs(enum ibv_qp_type verbs, uint8_t *type);

/* crc32c.c: CRC of Castagnoli, reflected, for the few bytes of tickets and blobs */
uint32_t dvx_crc32c(const uint8_t *p, size_t len);

/* Returns the smallest n with 1 << n >= v. */
static inline uint32_t dvx_log2_up(uint32_t v)
{
	return v <= 1 ? 0 : 32u - (uint32_t)__builtin_clz(v - 1);
}

static inline bool dvx_is_pow2(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* channel.c */
void dvx_channel_forget(struct dvx_cq_priv *cq);

/*
 * Tells whether an errno of mlx5dv_devx_get_event() means that the device is gone: EIO, or EINVAL,
 * which libmlx5 makes of an end of file.
 */
static inline bool dvx_event_ends(int err)
{
	return err == EIO || err == EINVAL;
}

/* txq.c */
struct dvx_obj *dvx_txq_obj(const struct dvx_txq *txq);

/* dct.c */
struct dvx_obj *dvx_dct_obj(const struct dvx_dct *dct);

/* qp_blob.c: writes the blob of any queue; *local has been checked. */
int dvx_blob_write(struct dvx_dev *dev, uint32_t number, uint8_t type,
		   const struct dvx_qp_local *local, uint8_t *blob);
#define DVX_BLOB_DCT 6u /* type of a DC target, in addition to enum dvx_qp_type; PRM: qp_st */

#endif
