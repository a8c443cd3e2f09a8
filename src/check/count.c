/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts posts and polls instead of checking them (count.h). */
#include "watch.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "count.h"

static struct count_file *count_file;		     /* NULL: calls are not counted */
static struct count_file count_nowhere;		     /* if the file can't be mapped */
static bool count_blueflame, count_blueflame_inline; /* libmlx5's settings */

static bool count_env(const char *name, bool unset)
{
	const char *value = getenv(name);

	return value ? strcmp(value, "0") != 0 : unset;
}

__attribute__((constructor)) static void count_start(void)
{
	const char *path = getenv(CHECK_COUNTS);
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *at;

	if (!path)
		return;
	at = fd < 0 ? MAP_FAILED
		    : mmap(NULL, sizeof(*count_file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		fprintf(stderr, "dvx-sim stat: can't count calls of %s in %s: %s\n",
			program_invocation_short_name, path, strerror(errno));
	if (fd >= 0)
		close(fd);
	count_file = at == MAP_FAILED ? &count_nowhere : at;
	count_blueflame_inline = !count_env("MLX5_SHUT_UP_BF", false);
	count_blueflame = count_blueflame_inline && count_env("MLX5_POST_SEND_PREFER_BF", true);
}

bool watch_counts(void)
{
	return count_file;
}

bool watch_counts_exactly(void)
{
	return count_file && count_file->exact;
}

void watch_count_untrapped(void)
{
	__atomic_fetch_add(&count_file->untrapped, 1, __ATOMIC_RELAXED);
}

void watch_count_open(struct watch_context *w, struct ibv_context *c)
{
	if (!count_file)
		return;
	w->number = (uint32_t)__atomic_add_fetch(&count_file->contexts, 1, __ATOMIC_RELAXED);
	w->function = count_function(be64toh(WATCH_REAL(ibv_get_device_guid)(c->device)));
	watch_exact_open(c->cmd_fd, w->function);
}

/* Returns the row of a key, or NULL: there is none left. */
static struct count_row *count_row(uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15u >> (64 - COUNT_LOG_ROWS);

	for (uint32_t i = 0; i < COUNT_ROWS; i++, at = (at + 1) % COUNT_ROWS) {
		struct count_row *row = &count_file->rows[at];
		uint64_t have = __atomic_load_n(&row->key, __ATOMIC_RELAXED);

		if (!have && __atomic_compare_exchange_n(&row->key, &have, key, false,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return row;
		if (have == key)
			return row;
	}
	return NULL;
}

static void count_add(struct count_row *row, unsigned int what, uint64_t n)
{
	if (row && n)
		__atomic_fetch_add(&row->n[what], n, __ATOMIC_RELAXED);
}

void watch_count_doorbell(uint32_t function, uint32_t opcode, uint32_t qpn, unsigned int what)
{
	count_add(count_row(count_key(COUNT_POSTS, function, opcode, qpn)), what, 1);
}

/* libmlx5 copies the WQE into the BlueFlame register if a call has one request (post_send_db()). */
static void count_call(const struct ibv_qp *qp, uint32_t opcode, uint32_t requests, bool inlined)
{
	struct count_row *row;

	if (!requests || count_file->exact)
		return;
	row = count_row(count_key(COUNT_POSTS, watch_context_of(qp->context)->function, opcode,
				  qp->qp_num));
	count_add(row, COUNT_CALLS, 1);
	count_add(row, COUNT_REQUESTS, requests);
	count_add(row, COUNT_BLUEFLAME,
		  requests == 1 && (count_blueflame || (inlined && count_blueflame_inline)));
}

int watch_count_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	const uint32_t n = watch_sends(wr), opcode = wr ? wr->opcode : 0;
	const bool inlined = wr && wr->send_flags & IBV_SEND_INLINE;
	const int err = watch_context_of(qp->context)->real.post_send(qp, wr, bad);

	/* The posted requests may be freed by now. */
	count_call(qp, opcode, n - (err ? watch_sends(*bad) : 0), inlined);
	return err;
}

void watch_count_request(struct watch_qp *q, uint32_t opcode)
{
	if (!q->requests++)
		q->first_opcode = opcode;
}

/* MLX5_POST_SEND_PREFER_BF=0 leaves BlueFlame to inline requests; of these calls that isn't known. */
void watch_count_complete(struct watch_qp *q, bool posted)
{
	if (posted)
		count_call(q->qp, q->first_opcode, q->requests, false);
	q->requests = 0;
}

static struct count_row *count_cq_row(const struct ibv_cq *cq)
{
	return count_row(
		count_key(COUNT_POLLS, watch_context_of(cq->context)->number, 0, cq->handle));
}

static void count_poll(const struct ibv_cq *cq, int got)
{
	struct count_row *row = count_cq_row(cq);

	count_add(row, COUNT_POLLED, 1);
	count_add(row, got > 0 ? COUNT_COMPLETIONS : COUNT_EMPTY, got > 0 ? (uint64_t)got : 1);
}

int watch_count_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	const int got = watch_context_of(cq->context)->real.poll_cq(cq, n, wc);

	count_poll(cq, got);
	return got;
}

int watch_count_start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	const int err = watch_cq_of(cq)->real.start_poll(ex, attr);

	count_poll(cq, !err);
	return err;
}

int watch_count_next_poll(struct ibv_cq_ex *ex)
{
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	const int err = watch_cq_of(cq)->real.next_poll(ex);

	if (!err)
		count_add(count_cq_row(cq), COUNT_COMPLETIONS, 1);
	return err;
}

int watch_count_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	count_add(count_cq_row(cq), COUNT_ARMS, 1);
	return watch_context_of(cq->context)->real.req_notify_cq(cq, solicited_only);
}
