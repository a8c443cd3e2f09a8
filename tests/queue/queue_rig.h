/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_QUEUE_RIG_H
#define TESTS_QUEUE_RIG_H

#include "tests/test.h"
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/wqe.h>
#include "base/clock.h"
#include "port/frame.h"
#include "port/roce.h"
#include "host/client.h"
#include "obj/cq.h"
#include "obj/mkey.h"
#include "obj/qp.h"
#include "obj/raw_queue.h"
#include "obj/srq.h"
#include "obj/device.h"
#include "port/port.h"

/*
 * The device without firmware or kernel: objects are made by hand, rings are in this process, the
 * clock moves only when nothing else can.
 */
#define RIG_UAR 3u
#define RIG_PD 7u
#define RIG_EVENTS 4096u
#define RIG_PSN	   0xfffff0u		  /* PSN of the first packet: wraps soon */
#define RIG_UTC	   1700000000500000000ull /* time when the clock began */

struct rig {
	struct clock clock;
	uint64_t now;
	struct host *host;
	struct mm *mm;
	struct device dev;
	const struct transport *transport;	   /* for QPs opened from now on; NULL: RC */
	uint8_t log_dci_channels, log_dci_errored; /* likewise */
	unsigned int nevents;
	struct {
		uint8_t type;
		uint32_t number, eqn;
	} event[RIG_EVENTS];
	struct rig_cq *watched; /* a CQ that events are checked against */
	unsigned int blind;	/* events that came before their CQE */
};

struct rig_cq {
	struct rig *rig;
	struct cq *cq;
	uint8_t *ring;
	uint32_t dbrec[2];
	uint32_t ci;
};

struct rig_qp {
	struct rig *rig;
	struct queue *queue;
	struct qp *qp; /* NULL: a queue of raw packets */
	struct raw_sq *raw_sq;
	struct raw_rq *raw_rq;
	struct rig_cq *scq, *rcq;
	uint8_t *ring, *sq;
	uint32_t dbrec[2];
	uint16_t sq_pi, rq_pi;
};

void rig_open(struct rig *);
void rig_open_as(struct rig *, const struct profile *);
void rig_close(struct rig *);
void rig_cq_open(struct rig *, struct rig_cq *, unsigned int function, unsigned int log_size,
		 bool cqe128);
void rig_cq_close(struct rig_cq *);
/* Opens a QP in RST, with 2^log blocks and 2^log receive entries of 64 bytes. */
void rig_qp_open(struct rig *, struct rig_qp *, unsigned int function, struct rig_cq *scq,
		 struct rig_cq *rcq, unsigned int log_sq, unsigned int log_rq);
void rig_qp_close(struct rig_qp *);
/* A linked list of 8 entries of 64 bytes, on the host's function; its QPs: qp->rq.srq. */
#define RIG_SRQ_ENTRIES 8u
#define RIG_SRQ_STRIDE	64u
struct rig_srq {
	struct srq *srq;
	uint8_t ring[RIG_SRQ_ENTRIES * RIG_SRQ_STRIDE];
	uint32_t dbrec[2];
	uint16_t pi;
};
void rig_srq_open(struct rig *, struct rig_srq *, uint32_t pdn);
void rig_srq_close(struct rig_srq *);
/* Fills in entry `index`, whose link is `next`; rig_srq_post() posts n more. */
void rig_srq_entry(struct rig_srq *, unsigned int index, uint16_t next, const void *va, uint32_t len,
		   uint32_t lkey);
void rig_srq_post(struct rig_srq *, uint16_t n);
/* Moves one end from RST to RTS; attributes that the test has set stay. */
void rig_connect_one(struct rig_qp *, const struct rig_qp *peer);
/* Returns a RoCE frame's BTH as bytes; *len: up to the ICRC. */
uint8_t *rig_bth(struct frame *, uint32_t *len);
/* Updates lengths, IP checksum and ICRC after changes behind the IP header. */
void rig_reseal(struct frame *, uint32_t len);
void rig_connect(struct rig_qp *, struct rig_qp *);
/* Connects both anew, with empty rings; peer may be the queue itself. */
void rig_restart(struct rig_qp *, struct rig_qp *peer);
/*
 * Hooks of the port: count frames in an unsigned int; pass the first frame alone, counting all in
 * an unsigned int; keep the newest frame, and send none, in a struct frame * that the test frees.
 */
void rig_count_frame(void *count, struct port *, struct frame *);
void rig_first_frame(void *count, struct port *, struct frame *);
void rig_hold_frame(void *held, struct port *, struct frame *);
/* Returns an address of len bytes that are not mapped. */
void *rig_unmapped(size_t len);
struct mkey *rig_mkey(struct rig *, unsigned int function, const void *buf, size_t len,
		      unsigned int rights);
uint32_t rig_key(const struct mkey *);
void rig_mkey_close(struct mkey *);

/* A WQE in pieces: begin, segments, end. */
struct rig_wqe {
	struct rig_qp *q;
	uint8_t bytes[2048];
	unsigned int ds;
};
struct rig_wqe rig_begin(struct rig_qp *, uint8_t opcode, uint8_t fm_ce_se, uint32_t imm);
/* Adds a datagram's address vector: another QP, by its GID of the sender's index. */
#define RIG_QKEY 0x11112222u
void rig_av(struct rig_wqe *, const struct rig_qp *to);
/* Changes the vector just made to this group (::ffff:239.1.2.3). */
extern const uint8_t rig_mgid[16];
void rig_av_group(struct rig_wqe *);
void rig_raddr(struct rig_wqe *, const void *va, uint32_t rkey);
void rig_data(struct rig_wqe *, const void *va, uint32_t len, uint32_t lkey);
void rig_inline(struct rig_wqe *, const void *bytes, uint32_t len);
void rig_end(struct rig_wqe *);     /* into the ring; not rung */
void rig_go(struct rig_wqe *);	    /* into the ring, rung and settled */
void rig_put(struct rig_wqe *);	    /* as it is: ds and index are not filled in */
/* Sets a field of the segment of this kind, which begins in the WQE at this byte. */
void rig_set(struct rig_wqe *, unsigned int at, const char *segment, const char *field,
	     uint64_t value);
void rig_ring(struct rig_qp *);	    /* writes record and register */
void rig_run(struct rig_qp *);	    /* also runs until nothing is left */
/* Posts a WQE of a remote address and one piece of memory, or of inline data; not rung. */
void rig_rdma(struct rig_qp *, uint8_t opcode, uint8_t fm_ce_se, const void *remote,
	      const struct mkey *rkey, const void *local, uint32_t len, const struct mkey *lkey);
void rig_message(struct rig_qp *, uint8_t fm_ce_se, const char *text);
void rig_nop(struct rig_qp *);
void rig_recv(struct rig_qp *, const void *va, uint32_t len, uint32_t lkey);

/* Runs everything that can happen without time passing. */
void rig_settle(struct rig *);
/* Like rig_settle(), with time passing to each timer that is due within ns. */
void rig_pass(struct rig *, uint64_t ns);
/* Returns the next CQE (64 bytes), or NULL; consumes it and writes the record. */
const uint8_t *rig_poll(struct rig_cq *);
const uint8_t *rig_peek(const struct rig_cq *); /* does not consume it */
const uint8_t *rig_cqe(struct rig_cq *);	/* asserts that there is one */
unsigned int rig_drain(struct rig_cq *);	/* consumes all, and returns their number */
/* Consumes a request's CQE and returns its syndrome; 0: the request is done. */
uint8_t rig_status(struct rig_cq *);
/* Consume a request's CQE, or a failed receive's, and assert its syndrome (0: done). */
const uint8_t *rig_sent(struct rig_cq *, uint8_t syndrome);
const uint8_t *rig_recv_failed(struct rig_cq *, uint8_t syndrome);
unsigned int rig_count(struct rig *, uint8_t event_type);
void rig_arm(struct rig_cq *, unsigned int sn, bool solicited);

/* Two connected queue pairs; src is a's memory, dst is b's with all rights. */
#define RIG_BUF (1u << 20)
struct rig_pair {
	struct rig rig;
	struct rig_cq ca, cb;
	struct rig_qp a, b;
	uint8_t *src, *dst;
	struct mkey *ms, *md;
};
/* The service type of a pair, and b's function; a is on the host's. */
struct rig_kind {
	const struct transport *transport; /* NULL: RC */
	unsigned int peer;
};
/* rig_xrc: both can be initiator and target. */
extern const struct rig_kind rig_rc, rig_rc_dpu, rig_uc, rig_xrc, rig_ud, rig_ud_dpu;
struct rig_pair *rig_pair_open(const struct rig_kind *);
void rig_pair_close(struct rig_pair *);
/* cmocka fixtures: *state is the pair. */
int rig_setup(void **state);
int rig_teardown(void **state);
#define FIXTURE_kind(name, k)	  FIXTURE_WITH(name, struct rig_pair *p, rig_setup, rig_teardown, k)
#define FIXTURE_pair(name)	  FIXTURE_kind(name, &rig_rc)
#define FIXTURE_pair_dpu(name)	  FIXTURE_kind(name, &rig_rc_dpu)
#define FIXTURE_pair_uc(name)	  FIXTURE_kind(name, &rig_uc)
#define FIXTURE_pair_ud(name)	  FIXTURE_kind(name, &rig_ud)
#define FIXTURE_pair_ud_dpu(name) FIXTURE_kind(name, &rig_ud_dpu)
void rig_nops(struct rig_pair *, unsigned int n); /* of a, which are run */
unsigned int rig_events(struct rig_pair *);	  /* completion events up to now */
/* Posts a WRITE, READ or SEND (UD: to b) between src and dst at off, signaled; not rung. */
void rig_post(struct rig_pair *, uint8_t opcode, uint32_t off, uint32_t len);
/* Posts, rings and settles. */
void rig_do(struct rig_pair *, uint8_t opcode, uint32_t off, uint32_t len);

/* A queue pair that is its own peer, on src with all rights. */
struct rig_self {
	struct rig_pair *p;
	struct rig_cq cq;
	struct rig_qp q;
	struct mkey *key;
};
void rig_self_open(struct rig_self *, struct rig_pair *);
void rig_self_close(struct rig_self *);

#define SIGNALED PRM_WQE_CTRL_FLAG_CQ_UPDATE

#endif
