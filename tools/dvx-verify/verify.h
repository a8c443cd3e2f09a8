/* SPDX-License-Identifier: BSD-2-Clause */
/* The device as a check has it, and its answers. Each check is a process of its own. */
#ifndef DVX_VERIFY_H
#define DVX_VERIFY_H

#include <dvx/dvx.h>
#include "rows.h"
#include "tools/dvx-verify/probes.h" /* generated: probe_ID() of the rows that have one */

enum verdict { VERDICT_SETTLED, VERDICT_CONTRADICTED, VERDICT_OPEN, VERDICTS };

#define ANSWER_BYTES 320

struct answer {
	enum verdict verdict;
	char text[ANSWER_BYTES]; /* reason; empty if settled */
};

/* Answers for this process, and ends it. The text has no addresses. */
_Noreturn void conclude(enum verdict, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Makes a call that the statement is not about: a failure leaves the row open. */
#define NEED(call)                                                                       \
	do {                                                                             \
		int need_err = (call);                                                   \
		if (need_err)                                                            \
			conclude(VERDICT_OPEN, "%s: %s", #call, dvx_strerror(need_err)); \
	} while (0)

/* Contradicts the statement unless the condition holds; the rest says what was seen. */
#define EXPECT(condition, ...)                                       \
	do {                                                         \
		if (!(condition))                                    \
			conclude(VERDICT_CONTRADICTED, __VA_ARGS__); \
	} while (0)

#define BENCH_BYTES  (1u << 20)
#define BENCH_ACCESS (DVX_LOCAL_WRITE | DVX_REMOTE_WRITE | DVX_REMOTE_READ | DVX_REMOTE_ATOMIC)

/* The device, and a registered buffer. */
struct bench {
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_mem *mem;
	struct dvx_mkey *mkey;
	uint8_t *buf;
	uint64_t addr; /* of buf */
	uint32_t key;
};

/* Opens the device alone, which suffices for capabilities. */
void bench_open_device(struct bench *, const char *device);
/* Makes the other members. */
void bench_make(struct bench *);

/* Two queues that are connected to each other inside the port. */
struct bench_pair {
	struct dvx_cq *cq[2];
	struct dvx_cq *receive_cq; /* of both; NULL: cq[] */
	struct dvx_qp *qp[2];
	struct dvx_sq *sq;   /* of qp[0] */
	struct dvx_rq *rq;   /* of qp[1] */
	uint8_t type;	     /* enum dvx_qp_type */
	uint32_t flags;	     /* enum dvx_qp_flags */
	uint32_t access;     /* rights of the peer */
	struct dvx_srq *srq; /* of qp[1], which then has no rq; or NULL */
	struct dvx_qp_local local;
};

/* Creates and connects them, as `type`, `flags`, `access` and `local` have it: see pair_default(). */
void bench_pair_make(struct bench *, struct bench_pair *);
/* Returns a pair of RC with all rights, to be changed and made. */
struct bench_pair bench_pair_default(struct bench *);
/* Makes a pair of a type (enum dvx_qp_type), with the rights and the Q_Key that it takes. */
struct bench_pair bench_pair_of(struct bench *, uint8_t type);
/* Posts a receive to the pair. */
void bench_receive(struct bench_pair *, struct dvx_sge);
/* Creates the queues without connecting them. */
void bench_pair_create(struct bench *, struct bench_pair *);

/* Makes a CQ. */
struct dvx_cq *bench_cq(struct bench *);

/* Leaves the processor to others between two looks. */
void bench_pause(void);
/* Waits for the next CQE; NULL after two seconds without one. */
const void *bench_wait(const struct dvx_cq *);
/* Waits for a good CQE, which the statement is about, and consumes it. */
void bench_expect_done(struct dvx_cq *, const char *what);
/* Likewise for one that the statement is not about. */
void bench_need_done(struct dvx_cq *, const char *what);
/* Waits for an error CQE of this syndrome (enum prm_syndrome), and consumes it. */
void bench_expect_error(struct dvx_cq *, uint8_t syndrome, const char *what);
/* Expects that no CQE comes for a tenth of a second. */
void bench_expect_none(struct dvx_cq *, const char *what);

/* Makes a shared receive queue, and posts n equal receives to it. */
struct dvx_srq *bench_srq(struct bench *, struct dvx_pd *);
void bench_srq_post(struct dvx_srq *, struct dvx_sge, uint32_t n);
/* Makes a raw send queue with a CQ. */
void bench_txq_make(struct bench *, struct dvx_cq **, struct dvx_txq **);
/* Posts and rings a request with zeros behind its control segment, which has this last word. */
void bench_post_empty(struct dvx_sq *, uint8_t opcode, uint8_t opmod, uint32_t ds, uint32_t word);
/* Posts a copy (MMO) to a queue that must refuse it. */
void bench_copy_fails(struct bench *, struct dvx_sq *, struct dvx_cq *, const char *what);

/* Runs a row's steps. */
void steps_run(struct bench *, const char *const *steps);

/* Settles a row in a process of its own, within a time limit. */
struct answer run_row(const struct statement *, const char *device);

/* Facts about the device and the host that a report has. None of them is a name or an address. */
struct subject {
	char firmware[64], board[64], kernel[64], machine[64];
	uint32_t part_id, hw_ver;
};
/* Reads them in another process. Not settled: the device can't be used, and the text says why. */
struct answer run_subject(struct subject *, const char *device);

#endif
