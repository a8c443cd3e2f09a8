/* SPDX-License-Identifier: BSD-2-Clause */
/* Completions by ibv_start_poll() to ibv_end_poll(): the functions of an extended CQ. */
#include "watch.h"

static struct watch_cq *watch_cq_ex(struct ibv_cq_ex *ex)
{
	return watch_cq_of(ibv_cq_ex_to_cq(ex));
}

static void watch_ex_completed(struct watch_cq *c, struct ibv_cq_ex *ex, const uintptr_t *frame)
{
	struct ibv_wc wc = {.wr_id = ex->wr_id, .status = ex->status};

	if (c->direct || !c->real.read_qp_num)
		return;
	wc.qp_num = c->real.read_qp_num(ex);
	if (ex->status == IBV_WC_SUCCESS)
		wc.opcode = c->real.read_opcode(ex);
	watch_completed(c, &wc, frame);
}

static int watch_start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct watch_cq *c = watch_cq_ex(ex);
	int err;

	if (c->guard) {
		const struct watch_place here = WATCH_HERE();

		watch_guard_enter(c->guard, 0, &here);
	}
	c->unpolled = false;
	c->polled_at = watch_clock;
	err = c->real.start_poll(ex, attr);
	if (!err)
		watch_ex_completed(c, ex, __builtin_frame_address(0));
	else if (c->guard)
		watch_guard_leave(c->guard);
	return err;
}

static int watch_next_poll(struct ibv_cq_ex *ex)
{
	struct watch_cq *c = watch_cq_ex(ex);
	int err = c->real.next_poll(ex);

	if (!err)
		watch_ex_completed(c, ex, __builtin_frame_address(0));
	return err;
}

static void watch_end_poll(struct ibv_cq_ex *ex)
{
	struct watch_cq *c = watch_cq_ex(ex);

	c->real.end_poll(ex);
	if (c->guard)
		watch_guard_leave(c->guard);
}

static bool watch_check_status(struct ibv_cq_ex *ex, const struct watch_place *here)
{
	struct watch_cq *c = watch_cq_ex(ex);

	if (ex->status == IBV_WC_SUCCESS)
		return true;
	watch_report(&(struct watch_finding){
		.kind = CHECK_FAILED_FIELD,
		.qp = c->real.read_qp_num ? watch_completed_qp(c, c->real.read_qp_num(ex)) : NULL,
		.place = {here}});
	return false;
}

static enum ibv_wc_opcode watch_read_opcode(struct ibv_cq_ex *ex)
{
	const struct watch_place here = WATCH_HERE();

	return watch_check_status(ex, &here) ? watch_cq_ex(ex)->real.read_opcode(ex)
					     : (enum ibv_wc_opcode)WATCH_POISON32;
}

static uint32_t watch_read_byte_len(struct ibv_cq_ex *ex)
{
	const struct watch_place here = WATCH_HERE();

	return watch_check_status(ex, &here) ? watch_cq_ex(ex)->real.read_byte_len(ex)
					     : WATCH_POISON32;
}

void watch_poll_ex_hook(struct watch_cq *c)
{
	struct ibv_cq_ex *ex = (struct ibv_cq_ex *)c->cq;

	c->real = *ex;
	if (watch_counts()) {
		ex->start_poll = watch_count_start_poll;
		ex->next_poll = watch_count_next_poll;
		return;
	}
	if (watch_records()) {
		ex->start_poll = watch_record_start_poll;
		ex->next_poll = watch_record_next_poll;
		return;
	}
	ex->start_poll = watch_start_poll;
	ex->next_poll = watch_next_poll;
	ex->end_poll = watch_end_poll;
	ex->read_opcode = watch_read_opcode;
	if (ex->read_byte_len)
		ex->read_byte_len = watch_read_byte_len;
}
