/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_HUB_H
#define DVX_PERF_HUB_H

/*
 * Queues of the experiment with threads, shared in one of three ways. A connection is a piece of
 * memory that its thread writes once in each cycle; the connection's queue may be used by other
 * threads too.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <dvx/dvx.h>
#include "site.h"

enum hub_mode {
	HUB_SHARED,    /* all threads use all queues, each under a lock */
	HUB_OWN,       /* each thread has queues; one doorbell register, under a lock */
	HUB_REGISTERS, /* each thread has queues and a register: no locks */
	HUB_MODES
};
extern const char *const hub_mode_names[HUB_MODES];

/* A lock that has its cache line for itself. */
struct hub_lock {
	_Alignas(64) pthread_mutex_t mutex;
};

struct hub_queue {
	struct hub_lock lock;
	struct dvx_sq *sq;
	uint32_t out; /* posted, completion not seen yet */
	struct dvx_cq *cq;
	struct dvx_qp *qp;
};

/* How often a thread took a lock, how often it had to wait, and how long. */
struct hub_waits {
	uint64_t takes, waits, ticks, longest;
};

struct hub_thread {
	struct hub *hub;
	struct hub_queue *queue; /* the first of its queues */
	uint32_t first, connections;
	uint64_t posted;
	uint32_t idle;
	_Alignas(64) atomic_uint_fast64_t done; /* other threads may poll its completions */
	_Alignas(64) struct hub_waits queue_lock, register_lock;
	uint64_t began, ended; /* ticks */
	uint64_t ringing;      /* ticks in doorbells, without the wait for their lock */
};

struct hub_request {
	const struct perf_site *site;
	enum hub_mode mode;
	uint32_t threads, connections, queues, size, window, cycles;
};

struct hub {
	struct hub_request request;
	struct hub_lock register_lock;
	atomic_bool failed; /* a thread has failed */
	struct hub_thread *thread;
	struct hub_queue *queue;
	uint32_t queues; /* of all threads */
	struct dvx_uar **uar;
	uint32_t uars;
	struct dvx_pd *pd;
	struct dvx_mem *mem; /* the source of messages, then the target */
	struct dvx_mkey *mkey;
	uint64_t from, to;
	uint32_t key;
};

/* Returns 0, or an exit code after an error message. */
int hub_open(const struct hub_request *, struct hub **);
void hub_close(struct hub *);
/*
 * Runs the cycles of a thread (struct hub_thread). Returns 0, or a negative number after an error
 * message.
 */
int hub_cycles(void *thread);

#endif
