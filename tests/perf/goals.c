/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures what goals.sh reports: figures of the device beside the machine's limit, in one run, in
 * turns.
 *
 *	goals handover			8-byte WRITEs, and a cache line handed to a thread and back
 *	goals large BYTES QPS		WRITEs, and memcpy() of the same buffers
 *	goals many QPS MKEYS		8-byte WRITEs on so many queues and keys, and on 10; then the
 *					memory alone that these touch
 *	goals hold QPS			so many idle queues, until stdin ends
 *	goals spin MILLISECONDS		WRITEs, one after the other: how many
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <dvx/dvx.h>
#include "rounds.h"

#define ROUNDS 41u
#define LEN    8u
#define WINDOW 4u /* of a queue, of large messages */
#define FEW    10u
#define RIGHTS (DVX_LOCAL_WRITE | DVX_REMOTE_WRITE)

static void *must_have(void *p)
{
	must(p ? 0 : -ENOMEM, "memory");
	return p;
}

/* --- queues, each connected to the next one: 0 to 1, 1 to 0, ... -------------------------------
 */

struct bench {
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_cq *cq;
	struct dvx_qp **qp;
	uint32_t qps;
	uint32_t rq_entries; /* of each; 0: it receives nothing */
};

static void bench_open(struct bench *b, uint32_t most_qps)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 1024, .flags = DVX_CQ_OVERCOMMIT};

	must(dvx_dev_open(NULL, &b->dev), "device");
	must(dvx_pd_alloc(b->dev, &b->pd), "pd");
	must(dvx_uar_alloc(b->dev, DVX_UAR_ANY, &b->uar), "uar");
	cq.uar = b->uar;
	must(dvx_cq_create(b->dev, &cq, &b->cq), "cq");
	b->qp = must_have(calloc(most_qps + 1, sizeof(struct dvx_qp *)));
	b->qps = b->rq_entries = 0;
}

static struct dvx_qp *bench_qp(struct bench *b)
{
	struct dvx_qp_attr attr = {.size = sizeof(attr),
				   .pd = b->pd,
				   .send_cq = b->cq,
				   .uar = b->uar,
				   .sq_blocks = 64,
				   .rq_entries = b->rq_entries};
	struct dvx_qp *qp;

	must(dvx_qp_create(b->dev, &attr, &qp), "qp");
	return qp;
}

static void bench_connect(struct bench *b, struct dvx_qp *qp, struct dvx_qp *to)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer), .qpn = dvx_qp_number(to)};
	struct dvx_qp_local local;

	must(dvx_qp_local_init(b->dev, 1, &local), "port");
	must(dvx_dev_gid(b->dev, 1, local.gid_index, peer.gid), "gid");
	local.access = DVX_REMOTE_WRITE;
	local.psn = peer.psn = 0;
	must(dvx_qp_connect(qp, &local, &peer), "connection");
}

/* More queues, by pairs. */
static void bench_grow(struct bench *b, uint32_t qps)
{
	for (; b->qps < qps; b->qps += 2) {
		struct dvx_qp **pair = b->qp + b->qps;

		pair[0] = bench_qp(b);
		pair[1] = bench_qp(b);
		bench_connect(b, pair[0], pair[1]);
		bench_connect(b, pair[1], pair[0]);
	}
}

static uint32_t bench_key(struct bench *b, void *addr, size_t len)
{
	struct dvx_mkey_attr attr = {
		.size = sizeof(attr), .access = RIGHTS, .pd = b->pd, .addr = addr, .len = len};
	struct dvx_mkey *mkey;

	must(dvx_mkey_create(b->dev, &attr, &mkey), "mkey");
	return dvx_mkey_key(mkey);
}

static uint8_t *bench_memory(size_t len)
{
	struct dvx_mem *mem;

	must(dvx_mem_alloc(len, NULL, &mem), "memory");
	return dvx_mem_addr(mem);
}

/* The completion of `n` messages. */
static void bench_poll(struct bench *b, uint32_t n)
{
	struct dvx_wc wc;
	int got;

	while (n) {
		got = dvx_cq_poll(b->cq, &wc);
		must(got < 0 ? -EIO : 0, "message");
		n -= (uint32_t)got;
	}
}

static void write_small(struct bench *b, uint32_t qp, uint8_t *to, uint32_t key)
{
	struct dvx_sq *sq = dvx_qp_sq(b->qp[qp]);
	const uint64_t value = 1;

	must(dvx_post_write_inline(sq, (uintptr_t)to, key, &value, LEN, 0, DVX_SIGNALED), "post");
	dvx_sq_ring(sq);
	bench_poll(b, 1);
}

/* --- a cache line handed over and back ----------------------------------------------------------
 */

#define TRIPS 2000u

static struct line {
	_Alignas(128) uint32_t value;
} there, back;

static void *answer(void *unused)
{
	for (uint32_t i = 1; i <= TRIPS; i++) {
		while (__atomic_load_n(&there.value, __ATOMIC_ACQUIRE) != i)
			;
		__atomic_store_n(&back.value, i, __ATOMIC_RELEASE);
	}
	return unused;
}

static double hand_over(void)
{
	pthread_t thread;
	double from;

	there.value = back.value = 0;
	must(-pthread_create(&thread, NULL, answer, NULL), "thread");
	__atomic_store_n(&there.value, 1, __ATOMIC_RELEASE); /* it runs now */
	while (__atomic_load_n(&back.value, __ATOMIC_ACQUIRE) != 1)
		;
	from = now_ns();
	for (uint32_t i = 2; i <= TRIPS; i++) {
		__atomic_store_n(&there.value, i, __ATOMIC_RELEASE);
		while (__atomic_load_n(&back.value, __ATOMIC_ACQUIRE) != i)
			;
	}
	from = now_ns() - from;
	pthread_join(thread, NULL);
	return from / (TRIPS - 1);
}

static void goal_handover(void)
{
	double line[ROUNDS], trip[ROUNDS], from;
	struct bench b;
	uint8_t *mem = bench_memory(4096);
	uint32_t key;

	bench_open(&b, 2);
	bench_grow(&b, 2);
	key = bench_key(&b, mem, 4096);
	for (uint32_t r = 0; r < ROUNDS; r++) {
		line[r] = hand_over();
		write_small(&b, 0, mem, key);
		from = now_ns();
		for (uint32_t i = 0; i < TRIPS; i++)
			write_small(&b, 0, mem, key);
		trip[r] = (now_ns() - from) / TRIPS;
	}
	printf("%.0f %.0f\n", rounds_least(trip, ROUNDS), rounds_least(line, ROUNDS));
}

/* --- large messages -----------------------------------------------------------------------------
 */

struct buffers {
	uint8_t *from, *to;
	size_t bytes; /* of a message */
	uint32_t qps, key_from, key_to, rounds;
};

static void write_large(struct bench *b, const struct buffers *m, uint32_t i)
{
	struct dvx_sq *sq = dvx_qp_sq(b->qp[2 * i]);
	struct dvx_sge sge = {(uintptr_t)m->from + i * m->bytes, (uint32_t)m->bytes, m->key_from};

	must(dvx_post_write(sq, (uintptr_t)m->to + i * m->bytes, m->key_to, &sge, 1, 0,
			    DVX_SIGNALED),
	     "post");
	dvx_sq_ring(sq);
}

static double large_written(struct bench *b, const struct buffers *m)
{
	uint32_t total = m->qps * m->rounds, window = m->qps * WINDOW;
	double from = now_ns();

	for (uint32_t i = 0; i < total; i++) {
		if (i >= window)
			bench_poll(b, 1);
		write_large(b, m, i % m->qps);
	}
	bench_poll(b, total < window ? total : window);
	return (double)total * (double)m->bytes / (now_ns() - from);
}

static double large_copied(const struct buffers *m)
{
	uint32_t total = m->qps * m->rounds;
	double from = now_ns();

	for (uint32_t i = 0; i < total; i++) {
		size_t at = i % m->qps * m->bytes;

		memcpy(m->to + at, m->from + at, m->bytes);
		__asm__ volatile("" ::: "memory");
	}
	return (double)total * (double)m->bytes / (now_ns() - from);
}

#define LARGE_ROUNDS 10u
#define LARGE_MOVED  (256u << 20) /* in a round, at least one message of each queue */

static void goal_large(size_t bytes, uint32_t qps)
{
	struct buffers m = {.bytes = bytes, .qps = qps};
	double written[LARGE_ROUNDS], copied[LARGE_ROUNDS];
	struct bench b;

	m.rounds = (uint32_t)(LARGE_MOVED / (bytes * qps)) + 1;
	m.from = bench_memory(bytes * qps);
	m.to = bench_memory(bytes * qps);
	bench_open(&b, 2 * qps);
	bench_grow(&b, 2 * qps);
	m.key_from = bench_key(&b, m.from, bytes * qps);
	m.key_to = bench_key(&b, m.to, bytes * qps);
	memset(m.from, 1, bytes * qps);
	memset(m.to, 2, bytes * qps);
	for (uint32_t r = 0; r < LARGE_ROUNDS; r++) {
		written[r] = large_written(&b, &m);
		copied[r] = large_copied(&m);
	}
	must(memcmp(m.from, m.to, bytes * qps) ? -EIO : 0, "data");
	printf("%.2f %.2f\n", rounds_most(written, LARGE_ROUNDS),
	       rounds_most(copied, LARGE_ROUNDS));
}

/* --- many objects -------------------------------------------------------------------------------
 */

#define MANY_WRITES 4000u

/* Each message on another queue, with another key. */
static double many_written(struct bench *b, uint8_t *mem, const uint32_t *key, uint32_t qps,
			   uint32_t keys)
{
	double each[MANY_WRITES], from;
	uint64_t x = 88172645463325252ull;

	for (uint32_t i = 0; i < MANY_WRITES; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		from = now_ns();
		write_small(b, (uint32_t)(x >> 32) % qps, mem, key[(uint32_t)x % keys]);
		each[i] = now_ns() - from;
	}
	qsort(each, MANY_WRITES, sizeof(*each), by_size);
	return each[MANY_WRITES / 2];
}

/*
 * Touches what each such message must touch, whoever executes it, without a device: the program's
 * key, its queue and its state, the WQE, the doorbell record; then the device's index of queues,
 * the queue, its peer, its index of mkeys, the mkey: a line each. Only the device's own may lie in
 * huge pages.
 */
#define PAGE	  4096u
#define QUEUE_LEN 2048u /* of the device */
#define LINE	  64u

struct touched {
	uint32_t *key;
	uint8_t **queue; /* the program's */
	uint8_t *ring, *record;
	uint8_t **device_queue, **mkey;
	uint8_t line[LINE];
};

static uint8_t *touched_huge(size_t len)
{
	uint8_t *p =
		must_have(aligned_alloc(2u << 20, (len + (2u << 20)) & ~(size_t)((2u << 20) - 1)));

	madvise(p, len, MADV_HUGEPAGE);
	memset(p, 0, len);
	return p;
}

static uint8_t **touched_index(uint32_t n, size_t each)
{
	uint8_t **index = (uint8_t **)(void *)touched_huge(n * sizeof(*index));
	uint8_t *objects = touched_huge(n * each);

	for (uint32_t i = 0; i < n; i++)
		index[i] = objects + i * each;
	return index;
}

static void touched_new(struct touched *t, uint32_t qps, uint32_t keys)
{
	t->key = must_have(calloc(keys, sizeof(*t->key)));
	t->queue = must_have(calloc(qps, sizeof(*t->queue)));
	for (uint32_t i = 0; i < qps; i++)
		t->queue[i] = must_have(calloc(1, 1024));
	t->ring = must_have(aligned_alloc(PAGE, (size_t)qps * PAGE));
	memset(t->ring, 0, (size_t)qps * PAGE);
	t->record = must_have(calloc(qps, LINE));
	t->device_queue = touched_index(qps, QUEUE_LEN);
	t->mkey = touched_index(keys, LINE);
}

static uint64_t touch(struct touched *t, uint32_t q, uint32_t k)
{
	uint64_t key = t->key[k], sum;

	memset(t->line, (int)key + t->queue[q][0]++, LINE);
	memcpy(t->ring + (size_t)q * PAGE, t->line, LINE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	t->record[q * LINE]++;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	sum = t->device_queue[q][t->record[q * LINE] & 1]++;
	memcpy(t->line, t->ring + (size_t)q * PAGE + (sum & 1), LINE - 1);
	sum += t->device_queue[q ^ 1][t->line[0] & 1]++;
	sum += t->mkey[k][sum & 1];
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return sum;
}

static double many_touched(struct touched *t, uint32_t qps, uint32_t keys)
{
	static volatile uint64_t sum;
	uint64_t x = 88172645463325252ull;
	double from = now_ns();

	for (uint32_t i = 0; i < MANY_WRITES; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		sum += touch(t, (uint32_t)(x >> 32) % qps, (uint32_t)x % keys);
	}
	return (now_ns() - from) / MANY_WRITES;
}

static void goal_many(uint32_t qps, uint32_t keys)
{
	uint32_t *key = must_have(calloc(keys, sizeof(*key)));
	double few[ROUNDS], many[ROUNDS], alone[ROUNDS];
	uint8_t *mem = bench_memory(4096);
	struct touched t;
	struct bench b;

	bench_open(&b, qps);
	bench_grow(&b, qps);
	for (uint32_t i = 0; i < keys; i++)
		key[i] = bench_key(&b, mem, 4096);
	touched_new(&t, qps, keys);
	for (uint32_t r = 0; r < ROUNDS; r++) {
		few[r] = many_written(&b, mem, key, FEW, FEW);
		many[r] = many_written(&b, mem, key, qps, keys);
		alone[r] = -many_touched(&t, FEW, FEW);
		alone[r] += many_touched(&t, qps, keys);
	}
	printf("%.0f %.0f %.0f\n", rounds_least(many, ROUNDS), rounds_least(few, ROUNDS),
	       rounds_least(alone, ROUNDS));
}

/* --- what a script watches from outside ----------------------------------------------------------
 */

static void goal_hold(uint32_t qps)
{
	struct bench b;

	bench_open(&b, qps);
	b.rq_entries = 64;
	puts("ready");
	fflush(stdout);
	getchar();
	bench_grow(&b, qps);
	puts("made");
	fflush(stdout);
	getchar();
}

static void goal_spin(uint32_t ms)
{
	uint8_t *mem = bench_memory(4096);
	unsigned long n = 0;
	struct bench b;
	uint32_t key;
	double end;

	bench_open(&b, 2);
	bench_grow(&b, 2);
	key = bench_key(&b, mem, 4096);
	for (end = now_ns() + ms * 1e6; now_ns() < end; n++)
		write_small(&b, 0, mem, key);
	printf("%lu\n", n);
}

static uint32_t number(char **argv, int i)
{
	return argv[i] ? (uint32_t)strtoul(argv[i], NULL, 10) : 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "handover"))
		goal_handover();
	else if (!strcmp(what, "large") && argc == 4)
		goal_large(number(argv, 2), number(argv, 3));
	else if (!strcmp(what, "many") && argc == 4)
		goal_many(number(argv, 2), number(argv, 3));
	else if (!strcmp(what, "hold") && argc == 3)
		goal_hold(number(argv, 2));
	else if (!strcmp(what, "spin") && argc == 3)
		goal_spin(number(argv, 2));
	else
		return 2;
	return 0;
}
