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
/* cmocka fixtures: *state is the pair. */
int rig_setup(void **state);
int rig_setup_uc(void **state);
int rig_setup_xrc(void **state); /* both can be initiator and target */
int rig_setup_ud(void **state);
int rig_setup_ud_dpu(void **state);
int rig_setup_dpu(void **state); /* b is on the other function */
int rig_teardown(void **state);
#define FIXTURE_pair(name)	  FIXTURE(name, struct rig_pair *p, rig_setup, rig_teardown)
#define FIXTURE_pair_dpu(name)	  FIXTURE(name, struct rig_pair *p, rig_setup_dpu, rig_teardown)
#define FIXTURE_pair_ud_dpu(name) FIXTURE(name, struct rig_pair *p, rig_setup_ud_dpu, rig_teardown)
#define FIXTURE_pair_uc(name)	  FIXTURE(name, struct rig_pair *p, rig_setup_uc, rig_teardown)
#define FIXTURE_pair_ud(name)	  FIXTURE(name, struct rig_pair *p, rig_setup_ud, rig_teardown)
/* For tests of many pairs. */
struct rig_pair *rig_pair_open(int (*setup)(void **state));
void rig_pair_close(struct rig_pair *);
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
