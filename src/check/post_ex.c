/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends by ibv_wr_start() to ibv_wr_complete(): the functions of an extended QP. */
#include "watch.h"

static struct watch_qp *watch_ex(struct ibv_qp_ex *ex)
{
	return watch_qp_of(&ex->qp_base);
}

/* The request that is being built. */
static struct watch_work *watch_ex_work(const struct watch_qp *q)
{
	return q->sq.head != q->batch ? watch_work_at(&q->sq, q->sq.head - 1) : NULL;
}

static void watch_wr_start(struct ibv_qp_ex *ex)
{
	const struct watch_place here = WATCH_HERE();
	struct watch_qp *q = watch_ex(ex);

	if (q->guard && watch_checks())
		watch_guard_enter(q->guard, q->qp->qp_num, &here);
	if (!watch_counts())
		q->batch_owned = watch_own(&q->poster);
	q->batch = q->sq.head;
	q->real.wr_start(ex);
}

static void watch_wr_new(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode,
			 const struct watch_place *here)
{
	struct watch_qp *q = watch_ex(ex);
	struct watch_work *w;
	bool locked;

	if (watch_counts())
		watch_count_request(q, opcode);
	if (q->direct)
		return;
	locked = watch_lock(&q->sq);
	w = watch_ring_push(&q->sq, ex->wr_id, NULL, 0);
	if (w) {
		w->place = *here;
		w->opcode = opcode;
		w->signaled = q->all_signaled || ex->wr_flags & IBV_SEND_SIGNALED;
		w->done = true; /* nothing is outstanding before ibv_wr_complete() */
	}
	watch_unlock(&q->sq, locked);
}

/* A function that begins a request: its name, the opcode, its parameters, its arguments. */
#define WATCH_WR(name, opcode, parameters, ...)               \
	static void watch_wr_##name parameters                \
	{                                                     \
		const struct watch_place here = WATCH_HERE(); \
                                                              \
		watch_wr_new(ex, opcode, &here);              \
		watch_ex(ex)->real.wr_##name(__VA_ARGS__);    \
	}
WATCH_WR(send, IBV_WR_SEND, (struct ibv_qp_ex * ex), ex)
WATCH_WR(send_imm, IBV_WR_SEND_WITH_IMM, (struct ibv_qp_ex * ex, __be32 imm), ex, imm)
WATCH_WR(send_inv, IBV_WR_SEND_WITH_INV, (struct ibv_qp_ex * ex, uint32_t rkey), ex, rkey)
WATCH_WR(send_tso, IBV_WR_TSO, (struct ibv_qp_ex * ex, void *h, uint16_t len, uint16_t mss), ex, h,
	 len, mss)
WATCH_WR(rdma_write, IBV_WR_RDMA_WRITE, (struct ibv_qp_ex * ex, uint32_t rkey, uint64_t to), ex,
	 rkey, to)
WATCH_WR(rdma_write_imm, IBV_WR_RDMA_WRITE_WITH_IMM,
	 (struct ibv_qp_ex * ex, uint32_t rkey, uint64_t to, __be32 imm), ex, rkey, to, imm)
WATCH_WR(rdma_read, IBV_WR_RDMA_READ, (struct ibv_qp_ex * ex, uint32_t rkey, uint64_t from), ex,
	 rkey, from)
WATCH_WR(atomic_cmp_swp, IBV_WR_ATOMIC_CMP_AND_SWP,
	 (struct ibv_qp_ex * ex, uint32_t rkey, uint64_t at, uint64_t compare, uint64_t swap), ex,
	 rkey, at, compare, swap)
WATCH_WR(atomic_fetch_add, IBV_WR_ATOMIC_FETCH_AND_ADD,
	 (struct ibv_qp_ex * ex, uint32_t rkey, uint64_t at, uint64_t add), ex, rkey, at, add)
WATCH_WR(local_inv, IBV_WR_LOCAL_INV, (struct ibv_qp_ex * ex, uint32_t rkey), ex, rkey)
WATCH_WR(bind_mw, IBV_WR_BIND_MW,
	 (struct ibv_qp_ex * ex, struct ibv_mw *mw, uint32_t rkey,
	  const struct ibv_mw_bind_info *info),
	 ex, mw, rkey, info)

static void watch_wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t qpn,
				 uint32_t qkey)
{
	struct watch_work *w = watch_ex_work(watch_ex(ex));

	if (w)
		w->ah = ah;
	watch_ex(ex)->real.wr_set_ud_addr(ex, ah, qpn, qkey);
}

/* Takes the data of the request that is being built, with the ring locked. */
static void watch_ex_take(struct watch_qp *q, struct watch_work *w, const struct ibv_sge *s,
			  size_t n, bool inlined)
{
	for (size_t i = 0; i < n; i++) {
		w->bytes += s[i].length;
		if (!inlined && w->sges < q->sq.sges)
			watch_sges_at(&q->sq, q->sq.head - 1)[w->sges++] = s[i];
	}
	w->inlined = inlined;
	if (!inlined && n > q->asked.max_send_sge)
		watch_report(&(struct watch_finding){.kind = CHECK_SGES,
						     .qp = q,
						     .work = w,
						     .bytes = w->bytes,
						     .n = {n, q->asked.max_send_sge},
						     .place = {&w->place, &q->created}});
}

static void watch_ex_data(struct watch_qp *q, const struct ibv_sge *s, size_t n, bool inlined)
{
	const bool locked = watch_lock(&q->sq);
	struct watch_work *w = watch_ex_work(q);

	if (w)
		watch_ex_take(q, w, s, n, inlined);
	watch_unlock(&q->sq, locked);
}

static void watch_wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr, uint32_t length)
{
	watch_ex_data(watch_ex(ex), &(struct ibv_sge){addr, length, lkey}, 1, false);
	watch_ex(ex)->real.wr_set_sge(ex, lkey, addr, length);
}

static void watch_wr_set_sge_list(struct ibv_qp_ex *ex, size_t n, const struct ibv_sge *s)
{
	watch_ex_data(watch_ex(ex), s, n, false);
	watch_ex(ex)->real.wr_set_sge_list(ex, n, s);
}

static void watch_wr_set_inline_data(struct ibv_qp_ex *ex, void *at, size_t length)
{
	watch_ex_data(watch_ex(ex), &(struct ibv_sge){.length = (uint32_t)length}, 1, true);
	watch_ex(ex)->real.wr_set_inline_data(ex, at, length);
}

static void watch_wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t n,
					  const struct ibv_data_buf *list)
{
	struct ibv_sge sum = {0};

	for (size_t i = 0; i < n; i++)
		sum.length += (uint32_t)list[i].length;
	watch_ex_data(watch_ex(ex), &sum, 1, true);
	watch_ex(ex)->real.wr_set_inline_data_list(ex, n, list);
}

static void watch_ex_drop(struct watch_qp *q)
{
	const bool locked = watch_lock(&q->sq);

	watch_drop_sends(q, q->sq.head - q->batch);
	watch_unlock(&q->sq, locked);
}

static void watch_ex_end(struct watch_qp *q, bool posted)
{
	if (watch_counts()) {
		watch_count_complete(q, posted);
		return;
	}
	if (watch_checks() && !posted)
		watch_ex_drop(q);
	watch_disown(&q->poster, q->batch_owned);
	if (q->guard && watch_checks())
		watch_guard_leave(q->guard);
}

/* Checks a batch as one: the depth of each request is that of its place in it. */
static void watch_ex_check(struct watch_qp *q)
{
	const bool locked = watch_lock(&q->sq);
	const uint32_t head = q->sq.head;

	for (uint32_t i = q->batch; i != head; i++) {
		struct watch_work *w = watch_work_at(&q->sq, i);

		q->sq.head = i + 1;
		w->done = false;
		watch_check_send(q, w, watch_sges_at(&q->sq, i), w->inlined);
	}
	watch_unlock(&q->sq, locked);
}

static int watch_wr_complete(struct ibv_qp_ex *ex)
{
	const uint64_t since = watch_since();
	struct watch_qp *q = watch_ex(ex);
	int err;

	if (watch_checks())
		watch_ex_check(q);
	err = q->real.wr_complete(ex);
	if (watch_records())
		watch_record_batch(q, err, since);
	watch_ex_end(q, !err);
	return err;
}

static void watch_wr_abort(struct ibv_qp_ex *ex)
{
	struct watch_qp *q = watch_ex(ex);

	q->real.wr_abort(ex);
	if (watch_records())
		q->sq.head = q->batch;
	watch_ex_end(q, false);
}

/* libmlx5 puts another function here when the QP's state changes. */
void watch_post_ex_hook_complete(struct watch_qp *q)
{
	struct ibv_qp_ex *ex = (struct ibv_qp_ex *)q->qp;

	if (!q->extended || ex->wr_complete == watch_wr_complete)
		return;
	q->real.wr_complete = ex->wr_complete;
	ex->wr_complete = watch_wr_complete;
}

void watch_post_ex_hook(struct watch_qp *q)
{
	struct ibv_qp_ex *ex = (struct ibv_qp_ex *)q->qp;

	q->real = *ex;
#define WATCH_SET(name)    \
	if (ex->wr_##name) \
	ex->wr_##name = watch_wr_##name
	WATCH_SET(start);
	WATCH_SET(abort);
	WATCH_SET(send);
	WATCH_SET(send_imm);
	WATCH_SET(send_inv);
	WATCH_SET(send_tso);
	WATCH_SET(rdma_write);
	WATCH_SET(rdma_write_imm);
	WATCH_SET(rdma_read);
	WATCH_SET(atomic_cmp_swp);
	WATCH_SET(atomic_fetch_add);
	WATCH_SET(local_inv);
	WATCH_SET(bind_mw);
	WATCH_SET(set_ud_addr);
	WATCH_SET(set_sge);
	WATCH_SET(set_sge_list);
	WATCH_SET(set_inline_data);
	WATCH_SET(set_inline_data_list);
#undef WATCH_SET
	watch_post_ex_hook_complete(q);
}
