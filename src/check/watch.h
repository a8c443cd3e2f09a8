/* SPDX-License-Identifier: BSD-2-Clause */
/* The preload of dvx-check: objects of verbs that a program has, and the work that it has posted. */
#ifndef CHECK_WATCH_H
#define CHECK_WATCH_H

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kinds.h"

/* The macros of verbs.h would take the names of hooks. */
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

#define WATCH_HOOK __attribute__((visibility("default")))
/* Reads and writes memory of the program as it is, not as a sanitizer sees it. */
#define WATCH_RAW __attribute__((no_sanitize("address", "thread", "undefined")))
/* Inlined on the way of each message, whatever its size; and kept off that way. */
#define WATCH_HOT  static inline __attribute__((always_inline))
#define WATCH_COLD __attribute__((cold, noinline))

/* --- real.c: what lies behind the hooks --- */
void *watch_resolve(const char *name);
#define WATCH_REAL(function)                                                       \
	({                                                                         \
		static __typeof__(&(function)) _Atomic real_;                      \
		if (!real_)                                                        \
			real_ = (__typeof__(&(function)))watch_resolve(#function); \
		real_;                                                             \
	})

/* --- place.c: where the program called --- */
struct watch_place {
	uintptr_t frame[CHECK_FRAMES]; /* return addresses, innermost first */
};
/* The end of this thread's stack. */
extern _Thread_local uintptr_t watch_stack_end __attribute__((tls_model("initial-exec")));
uintptr_t watch_find_stack(void);

/*
 * The caller of the function with this frame. Its own caller is found where frame pointers are kept
 * (-O0): there verbs' inline functions are functions.
 */
WATCH_RAW static inline struct watch_place watch_place_of(const uintptr_t *frame)
{
	struct watch_place p = {{frame[1]}};
	const uintptr_t end = watch_stack_end ? watch_stack_end : watch_find_stack();

	if ((uintptr_t)frame >= end) /* it is of another stack */
		return p;
	for (unsigned int i = 1; i < CHECK_FRAMES; i++) {
		const uintptr_t next = frame[0];

		if (next - (uintptr_t)frame - 1 >= end - (uintptr_t)frame - 1 ||
		    next % sizeof(next))
			break;
		frame = (const uintptr_t *)next;
		p.frame[i] = frame[1];
	}
	return p;
}
#define WATCH_HERE() watch_place_of(__builtin_frame_address(0))

/* --- table.c: objects by a number, read without a lock. Their memory is never freed --- */
struct watch_node {
	struct watch_node *_Atomic next;
	struct watch_node *all;
	_Atomic uintptr_t key; /* 0: no object now */
};
#define WATCH_ENDING  1u /* the key of an object that is being destroyed */
#define WATCH_BUCKETS 1024u
struct watch_table {
	size_t bytes; /* of an object, which begins with its node */
	struct watch_node *_Atomic all;
	struct watch_node *_Atomic bucket[WATCH_BUCKETS];
};
static inline struct watch_node *_Atomic *watch_bucket(struct watch_table *t, uintptr_t key)
{
	return &t->bucket[key * (uintptr_t)0x9e3779b97f4a7c15 >> 54];
}
static inline void *watch_find(struct watch_table *t, uintptr_t key)
{
	struct watch_node *n = *watch_bucket(t, key);

	while (n && n->key != key)
		n = n->next;
	return n;
}
/* Makes an object, zeroed but for its node. Returns NULL without memory. */
void *watch_add(struct watch_table *, uintptr_t key);
void watch_remove(void *object);
/* Sets the key of an object, if there is one. */
void watch_set_key(void *object, uintptr_t key);
/* Returns the object behind `object`, or the first; NULL at the end. */
void *watch_next(struct watch_table *, void *object);
/* Unlocks the tables in a child, whose parent may have locked them. */
void watch_tables_forked(void);

/* --- ring.c: work that is posted and not completed --- */
struct watch_work {
	uint64_t wr_id, hash;
	uint64_t posted, ended; /* in the order of all posts and ends; ended 0: outstanding */
	struct watch_place place;
	struct ibv_sge *sge; /* of this place in the ring */
	const struct ibv_ah *ah;
	const struct watch_mr *mr; /* of the first SGE; set if the work is hashed */
	uint32_t bytes, sges;
	uint32_t opcode; /* as in struct check_finding */
	bool signaled, inlined;
	bool done;   /* or not posted yet */
	bool hashed; /* the memory is readable, and nothing but the device reads it */
	bool gone;   /* its memory was reported */
};
/* Counts posts and ends. */
extern _Atomic uint64_t watch_clock;
struct watch_ring {
	void *_Atomic owner; /* the thread inside */
	uint32_t head, tail, size, sges;
	uint32_t ended;	     /* between tail and head: receives of an SRQ end in any order */
	uint32_t unsignaled; /* behind the last signaled one */
	struct watch_work *work;
	struct ibv_sge *sge;
};
/* A thread is the place of a variable of its own. */
static inline void *watch_self(void)
{
	return &watch_stack_end;
}
void watch_own_wait(void *_Atomic *owner);
/* Makes this thread the owner. Returns false if it is already. */
static inline bool watch_own(void *_Atomic *owner)
{
	void *free = NULL;

	if (atomic_compare_exchange_strong(owner, &free, watch_self()))
		return true;
	if (free == watch_self())
		return false;
	watch_own_wait(owner);
	return true;
}
static inline void watch_disown(void *_Atomic *owner, bool owned)
{
	if (owned)
		atomic_store_explicit(owner, NULL, memory_order_release);
}
/* Locks the ring, but never while the program's code runs: another thread may have to poll first. */
static inline bool watch_lock(struct watch_ring *r)
{
	return watch_own(&r->owner);
}
static inline void watch_unlock(struct watch_ring *r, bool locked)
{
	watch_disown(&r->owner, locked);
}
static inline struct watch_work *watch_work_at(const struct watch_ring *r, uint32_t i)
{
	return &r->work[i & (r->size - 1)];
}
static inline struct ibv_sge *watch_sges_at(const struct watch_ring *r, uint32_t i)
{
	return watch_work_at(r, i)->sge;
}
/* Keeps the arrays of all rings, for a thread that has not the lock of each. */
void watch_arrays_lock(void);
void watch_arrays_unlock(void);
void watch_ring_init(struct watch_ring *, uint32_t depth, uint32_t sges);
void watch_ring_end(struct watch_ring *);
bool watch_ring_grow(struct watch_ring *);
/* Adds work; returns NULL without memory. */
static inline struct watch_work *watch_ring_push(struct watch_ring *r, uint64_t wr_id,
						 const struct ibv_sge *sge, uint32_t sges)
{
	struct watch_work *w;
	struct ibv_sge *to;
	uint32_t bytes = 0;

	if (r->head - r->tail == r->size && !watch_ring_grow(r))
		return NULL;
	w = watch_work_at(r, r->head++);
	to = w->sge;
	w->wr_id = wr_id;
	w->posted = ++watch_clock;
	w->hash = w->ended = 0;
	w->ah = NULL;
	w->mr = NULL;
	w->inlined = w->done = w->hashed = w->gone = false;
	sges = sges < r->sges ? sges : r->sges;
	w->sges = sges;
	for (const struct ibv_sge *end = sge + sges; sge < end; sge++) {
		bytes += sge->length;
		*to++ = *sge;
	}
	w->bytes = bytes;
	return w;
}

/* --- guard.c: queues that one thread at a time may use --- */
struct watch_guard {
	void *_Atomic inside;
	void *last;
	struct watch_place place;
	unsigned int pauses;
};
void watch_guard_enter(struct watch_guard *, uint32_t qp_num, const struct watch_place *);
void watch_guard_leave(struct watch_guard *);
struct watch_guard *watch_guard_of_pd(const struct ibv_pd *);
struct watch_guard *watch_guard_new(void);
void watch_guard_hook(struct ibv_context *);

/* --- the objects --- */
struct watch_context {
	struct watch_node node;
	struct ibv_context_ops real;
	struct verbs_context verbs; /* its pointers as they were */
	uint32_t number, function;  /* for counts: of the open device, and count_function() */
};
struct watch_mr {
	struct watch_node node; /* by watch_mr_key() */
	const struct ibv_context *context;
	uint64_t start; /* as SGEs name it */
	uintptr_t memory;
	uint64_t length;
	bool dead, readable;
	struct watch_place ended;
	uint64_t source_from, source_to; /* bounds of what sends read */
	uint64_t sink_from, sink_to;	 /* bounds of what receives write */
};
struct watch_cq {
	struct watch_node node;
	struct ibv_cq *cq;
	int (*poll)(struct ibv_cq *, int, struct ibv_wc *);
	struct ibv_cq_ex real; /* the pointers as they were, of an extended CQ */
	struct watch_place created, armed;
	uint32_t asked, got;
	const struct watch_number *last; /* of the last completion; at first an empty one */
	bool direct;			 /* polled in ways that are not seen */
	bool live;			 /* a QP of it is connected */
	uint64_t polled_at;		 /* watch_clock at the last poll; 0: never */
	uint64_t armed_at;
	bool solicited;		  /* the arm was for solicited events alone */
	bool unpolled;		  /* work was outstanding at the arm, and it was not polled since */
	_Atomic uint32_t pending; /* completions that may come */
	_Atomic uint32_t events, acknowledged;
	struct watch_guard *guard;
	_Atomic uint64_t empty; /* recorded: empty polls since the last completion */
};
struct watch_srq {
	struct watch_node node;
	const struct ibv_srq *srq;
	struct ibv_context *context;
	struct watch_place created;
	uint32_t asked, asked_sges;
	struct watch_ring ring;
};
struct watch_qp {
	struct watch_node node;
	struct watch_number *number;
	struct ibv_qp *qp;
	struct ibv_qp_ex real; /* the pointers as they were */
	int (*post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **);
	int (*post_recv)(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **);
	struct watch_cq *send_cq, *recv_cq;
	struct watch_mr *source; /* of the last request; NULL: there was none */
	struct watch_srq *srq;
	struct watch_place created;
	struct ibv_qp_cap asked;
	enum ibv_qp_type type;
	enum ibv_qp_state state;
	bool failed;	     /* a failed completion was polled */
	bool receives_error; /* a receive was posted in ERR */
	bool all_signaled, extended, direct;
	struct watch_guard *guard;
	uint32_t batch;			 /* where ibv_wr_start() began */
	uint32_t requests, first_opcode; /* counted since then */
	void *_Atomic poster; /* of an extended QP: the thread that posts, or is in a batch */
	bool batch_owned;
	struct watch_ring sq, rq;
};
struct watch_number {
	struct watch_node node;
	struct watch_qp *qp;
};
extern struct watch_table watch_contexts, watch_mrs, watch_cqs, watch_srqs, watch_qps,
	watch_numbers;
extern const struct watch_number watch_no_number;

/* --- context.c --- */
static inline struct watch_context *watch_context_of(const struct ibv_context *c)
{
	return watch_find(&watch_contexts, (uintptr_t)c);
}
void watch_context_open(struct ibv_context *);

/* --- mr.c --- */
static inline uintptr_t watch_mr_key(const struct ibv_context *c, uint32_t lkey)
{
	return ((uintptr_t)c << 20 ^ lkey) | (uintptr_t)1 << 63;
}
static inline struct watch_mr *watch_mr_of(const struct ibv_context *c, uint32_t lkey)
{
	return watch_find(&watch_mrs, watch_mr_key(c, lkey));
}
/* Whether a region covers memory of the program; if it is unmapped, the region is not read again. */
bool watch_mr_covers(uintptr_t from, uintptr_t to, bool unmap);
/* Returns where the memory of an SGE is, or NULL if it can't be read. */
static inline unsigned char *watch_sge_memory(const struct watch_mr *m, const struct ibv_sge *s)
{
	const uint64_t at = m ? s->addr - m->start : 0;

	if (!m || !m->readable || s->length > m->length || at > m->length - s->length)
		return NULL;
	return (unsigned char *)(m->memory + at);
}
unsigned int watch_mr_count(void);
struct ibv_mr *watch_reg_dm_mr(struct ibv_pd *, struct ibv_dm *, uint64_t offset, size_t length,
			       unsigned int access);

/* --- memory.c: what is in buffers --- */
typedef uint64_t watch_word __attribute__((aligned(1), may_alias));
/* Rotates what it has for each 8 bytes: any one change shows, and so do all but few of several. */
#define WATCH_HASH(sum, word) (sum = (sum << 23 | sum >> 41) ^ (word))
WATCH_RAW static inline uint64_t watch_hash_bytes(uint64_t h, const unsigned char *at, size_t n)
{
	const unsigned char *blocks = at + (n & ~(size_t)63), *words = at + (n & ~(size_t)7),
			    *end = at + n;
	uint64_t even = h, odd = n;

	for (; at < blocks; at += 64) {
		const watch_word *w = (const watch_word *)at;

		WATCH_HASH(even, w[0]);
		WATCH_HASH(odd, w[1]);
		WATCH_HASH(even, w[2]);
		WATCH_HASH(odd, w[3]);
		WATCH_HASH(even, w[4]);
		WATCH_HASH(odd, w[5]);
		WATCH_HASH(even, w[6]);
		WATCH_HASH(odd, w[7]);
	}
	for (; at < words; at += 8)
		WATCH_HASH(even, *(const watch_word *)at);
	for (; at < end; at++)
		WATCH_HASH(even, *at);
	return even * 0x9e3779b97f4a7c15 + odd;
}
#define WATCH_WHOLE (64u << 10) /* above, samples are hashed */
uint64_t watch_hash_samples(uint64_t h, const unsigned char *at, size_t n);
static inline uint64_t watch_hash(uint64_t h, const unsigned char *at, size_t n)
{
	return n > WATCH_WHOLE ? watch_hash_samples(h, at, n) : watch_hash_bytes(h, at, n);
}
#define WATCH_POISON   0xd7
#define WATCH_POISON32 (WATCH_POISON * 0x01010101u)
void watch_poison(const struct ibv_context *, const struct ibv_sge *, uint32_t n);
/* Whether an SGE, whose memory is there, begins with poison and is no receive buffer. */
bool watch_is_poison(const struct watch_mr *, const struct ibv_sge *, const unsigned char *at);

/* --- qp.c --- */
static inline struct watch_qp *watch_qp_of(const struct ibv_qp *qp)
{
	return watch_find(&watch_qps, (uintptr_t)qp);
}
static inline uintptr_t watch_number_key(const struct ibv_context *c, uint32_t qp_num)
{
	return watch_mr_key(c, qp_num);
}
struct ibv_qp *watch_create_qp_ex(struct ibv_context *, struct ibv_qp_init_attr_ex *);

/* --- srq.c --- */
static inline struct watch_srq *watch_srq_of(const struct ibv_srq *srq)
{
	return watch_find(&watch_srqs, (uintptr_t)srq);
}
struct ibv_srq *watch_create_srq_ex(struct ibv_context *, struct ibv_srq_init_attr_ex *);

/* --- cq.c, poll.c, poll_ex.c, event.c --- */
static inline struct watch_cq *watch_cq_of(const struct ibv_cq *cq)
{
	return watch_find(&watch_cqs, (uintptr_t)cq);
}
/* Most completions are of the same QP as the one before. Memory of objects is never freed. */
static inline struct watch_qp *watch_completed_qp(struct watch_cq *c, uint32_t qp_num)
{
	const uintptr_t key = watch_number_key(c->cq->context, qp_num);
	const struct watch_number *n = c->last;

	if (n->node.key != key) {
		n = watch_find(&watch_numbers, key);
		n = n ? n : &watch_no_number;
		c->last = n;
	}
	return n->qp;
}
struct ibv_cq_ex *watch_create_cq_ex(struct ibv_context *, struct ibv_cq_init_attr_ex *);
int watch_poll_cq(struct ibv_cq *, int n, struct ibv_wc *);
void watch_poll_ex_hook(struct watch_cq *);
/* Takes a completion's work off its ring; the frame is that of the hook. */
void watch_completed(struct watch_cq *, const struct ibv_wc *, const uintptr_t *frame);
int watch_req_notify_cq(struct ibv_cq *, int solicited_only);
/* Reports that n completions may come, which are more than were asked for. */
void watch_cq_over(const struct watch_cq *, const struct watch_qp *, const struct watch_work *,
		   uint32_t n);
/* Counts a completion that may come. */
static inline void watch_cq_expect(struct watch_cq *c, const struct watch_qp *q,
				   const struct watch_work *w)
{
	const uint32_t n = ++c->pending;

	if (n > c->asked && !c->direct)
		watch_cq_over(c, q, w, n);
}
/* Ends outstanding work. */
static inline void watch_work_end(struct watch_cq *c, struct watch_work *w)
{
	if (w->done)
		return;
	w->done = true;
	w->ended = ++watch_clock;
	if (c && w->signaled)
		c->pending--;
}

/* --- post.c, post_ex.c, receive.c --- */
static inline uint32_t watch_sends(const struct ibv_send_wr *w)
{
	uint32_t n = 0;

	for (; w; w = w->next)
		n++;
	return n;
}
int watch_post_send(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **bad);
int watch_post_recv(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);
int watch_post_srq_recv(struct ibv_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);
void watch_post_ex_hook(struct watch_qp *);
void watch_post_ex_hook_complete(struct watch_qp *);
/* Checks work whose SGEs are complete, before it is posted. */
void watch_check_send(struct watch_qp *, struct watch_work *, const struct ibv_sge *, bool inlined);
/* Removes the last n sends, which were not posted. */
void watch_drop_sends(struct watch_qp *, uint32_t n);
/* Empties both rings: their completions don't come any more. */
void watch_drop_all(struct watch_qp *);

/* --- count.c: posts and polls, which are counted instead of being checked --- */
/* Whether calls are to be counted, also if that can't be done. */
bool watch_counts(void);
bool watch_counts_exactly(void);
void watch_count_untrapped(void);
/* Counts a doorbell, or that it was a BlueFlame copy. */
void watch_count_doorbell(uint32_t function, uint32_t opcode, uint32_t qpn, unsigned int what);
void watch_count_open(struct watch_context *, struct ibv_context *);
/* --- exact.c --- */
/* Tells whose registers are mapped through this descriptor: count_function(). */
void watch_exact_open(int fd, uint32_t function);
void watch_exact_unmap(const void *);
void watch_exact_forked(void);
int watch_count_post_send(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **bad);
int watch_count_poll_cq(struct ibv_cq *, int n, struct ibv_wc *);
int watch_count_req_notify_cq(struct ibv_cq *, int solicited_only);
int watch_count_start_poll(struct ibv_cq_ex *, struct ibv_poll_cq_attr *);
int watch_count_next_poll(struct ibv_cq_ex *);
/* A request of a batch; the batch ends. */
void watch_count_request(struct watch_qp *, uint32_t opcode);
void watch_count_complete(struct watch_qp *, bool posted);

/* --- record.c: calls, which are recorded instead of being checked --- */
void watch_record_open(void);
/* Whether calls are to be recorded, also if that can't be done. */
bool watch_records(void);
/* Whether calls are checked, neither counted nor recorded. */
static inline bool watch_checks(void)
{
	return !watch_counts() && !watch_records();
}
/* Returns when a call begins, 0: nothing is recorded. */
uint64_t watch_since(void);
/* Records a call by its name and its arguments but for handles. err: an errno. */
void watch_called(uint64_t since, int err, uint32_t object, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void watch_record_devx(uint64_t since, int err, const void *in, size_t in_len, const void *out,
		       size_t out_len);
int watch_record_post_send(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **bad);
int watch_record_post_recv(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);
int watch_record_post_srq_recv(struct ibv_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);
/* Records the requests since ibv_wr_start(), and removes them from the ring. */
void watch_record_batch(struct watch_qp *, int err, uint64_t since);
int watch_record_poll_cq(struct ibv_cq *, int n, struct ibv_wc *);
int watch_record_start_poll(struct ibv_cq_ex *, struct ibv_poll_cq_attr *);
int watch_record_next_poll(struct ibv_cq_ex *);
int watch_record_req_notify_cq(struct ibv_cq *, int solicited_only);

/* --- wait.c --- Whether to read a descriptor may sleep, for all that the program did before. */
bool watch_would_sleep(int fd);

/* --- report.c --- */
struct watch_finding {
	enum check_kind kind;
	const struct watch_qp *qp;
	const struct watch_work *work;
	uint64_t addr, bytes, n[2];
	const struct watch_place *place[2];
};
void watch_report(const struct watch_finding *);
void watch_hello(void);

/* --- use.c: work that uses memory, a key, an address handle, and is reported --- */
struct watch_search {
	const struct ibv_context *context; /* NULL: any */
	uint32_t lkey;			   /* 0: any */
	uint64_t from, to;		   /* of memory; 0: any */
	const struct ibv_ah *ah;	   /* NULL: any */
	enum check_kind kind;
	const struct watch_place *place;
};
void watch_search(const struct watch_search *);
/* Whether the device may have written to an SGE of work that was outstanding. */
bool watch_is_target(const struct watch_work *, const struct ibv_sge *);

#endif
