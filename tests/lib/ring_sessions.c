/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves polls of compressed CQEs: sessions as a device writes them. */
#include "ring.h"

#define SESSION_LEN(i)	(60 + (i)*7)
#define SESSION_HASH 0x12
#define SESSION_WORD(i) (0x11220000 + (i))

/* Writes a session of n packets from number `first` on; its other places are not written. */
static void session(struct plain_cq *p, uint32_t first, uint32_t n)
{
	uint32_t mask = p->cq.entries - 1, at = p->pi, i;
	uint8_t *title = p->buf[at & mask], *array = NULL;

	memset(title, 0, 63);
	prm_cqe64_set_byte_cnt(title, n);
	prm_cqe64_set_wqe_counter(title, first);
	prm_cqe64_set_user_index(title, 0x42);
	prm_cqe64_set_rss_hash_type(title, SESSION_HASH);
	prm_cqe64_set_rss_hash_result(title, 0x11223344);
	prm_cqe64_set_check_sum(title, 0x5566);
	for (i = 0; i < n; i++) {
		if (i % 8 == 0)
			array = memset(p->buf[(at + (i ? i : 1)) & mask], 0, 64);
		prm_store32(array, i % 8 * 8, SESSION_WORD(first + i));
		prm_store32(array, i % 8 * 8 + 4, SESSION_LEN(first + i));
	}
	title[63] = (uint8_t)(PRM_CQE_OPCODE_RESP_SEND << 4 | PRM_CQE_FORMAT_COMPRESSED << 2 |
			      !!(at & p->cq.entries));
	p->pi += n;
}

struct rx_rig {
	struct plain_cq c;
	struct dvx_rq rq;
	uint64_t wr_ids[64];
	uint8_t buf[64][DVX_SEG];
	uint32_t dbrec;
};

static void rx_rig_init(struct rx_rig *r, uint32_t mini)
{
	struct dvx_rq_memory init = {.size = sizeof(init),
				     .entries = 64,
				     .stride = DVX_SEG,
				     .buf = r->buf,
				     .wr_ids = r->wr_ids,
				     .dbrec = &r->dbrec,
				     .cq = &r->c.cq};

	plain_cq_init_slack(&r->c, 64, 16);
	r->c.cq.mini = mini;
	assert_int_equal(dvx_rq_init(&r->rq, &init), 0);
	for (uint64_t i = 0; i < 64; i++)
		r->wr_ids[i] = i;
}

/* Checks each CQE of a session, as far as its format goes, over laps; then their last words. */
static void unpacked_as(uint32_t mini)
{
	static struct rx_rig r;
	const void *cqe;
	uint32_t next = 0, n, i;

	rx_rig_init(&r, mini);
	for (uint32_t burst = 0; burst < 100; burst++) {
		n = 2 + burst * 5 % 30;
		session(&r.c, next, n);
		for (i = next, next += n; i < next; i++) {
			cqe = dvx_cq_peek(&r.c.cq);
			assert_non_null(cqe);
			assert_int_equal(dvx_cqe_format(cqe), 0);
			assert_int_equal(dvx_cqe_byte_count(cqe), SESSION_LEN(i));
			assert_int_equal(dvx_cqe_user_index(cqe), 0x42);
			assert_int_equal(dvx_cqe_rss_hash(cqe),
					 mini == DVX_CQ_MINI_HASH ? SESSION_WORD(i) : 0);
			assert_int_equal(prm_cqe64_get_rss_hash_type(cqe),
					 mini == DVX_CQ_MINI_HASH ? SESSION_HASH : 0);
			assert_int_equal(dvx_cqe_checksum(cqe),
					 mini == DVX_CQ_MINI_HASH ? 0 : SESSION_WORD(i) >> 16);
			assert_int_equal(dvx_cqe_wqe_index(cqe), i);
			dvx_cq_pop(&r.c.cq);
		}
		assert_null(dvx_cq_peek(&r.c.cq));
	}
	dvx_cq_publish(&r.c.cq);
	assert_int_equal(prm_swap32(r.c.dbrec[0]), next);
}

TEST(none, unpacked)
{
	unpacked_as(DVX_CQ_MINI_HASH);
	unpacked_as(DVX_CQ_MINI_CSUM);
	unpacked_as(DVX_CQ_MINI_CSUM_STRIDE);
}

/* Packets come in order: sessions that fit into the caller's array or not, and plain CQEs. */
TEST(none, receives_many)
{
	static struct rx_rig r;
	uint32_t next = 0, i = 0, n, room;
	struct dvx_rx rx[40];
	struct dvx_wc wc;
	int got;

	rx_rig_init(&r, DVX_CQ_MINI_HASH);
	assert_int_equal(dvx_rq_poll_many(&r.rq, rx, 40, &wc), 0);
	assert_int_equal(dvx_rq_poll_many(&r.rq, rx, 0, &wc), 0);
	for (uint32_t burst = 0; burst < 200; burst++) {
		n = 1 + burst * 5 % 30;
		if (n == 1) {
			uint8_t *cqe = r.c.buf[r.c.pi & 63];

			plain_cq_complete(&r.c, PRM_CQE_OPCODE_RESP_SEND, 0);
			prm_cqe64_set_byte_cnt(cqe, SESSION_LEN(next));
			prm_cqe64_set_rss_hash_result(cqe, SESSION_WORD(next));
		} else {
			session(&r.c, next, n);
		}
		next += n;
		room = burst % 3 ? 40 : 1 + burst % 7;
		while ((got = dvx_rq_poll_many(&r.rq, rx, room, &wc)) > 0) {
			assert_true((uint32_t)got <= room);
			for (int k = 0; k < got; k++, i++) {
				assert_int_equal(rx[k].wr_id, i % 64);
				assert_int_equal(rx[k].byte_count, SESSION_LEN(i));
				assert_int_equal(rx[k].info, SESSION_WORD(i));
			}
		}
		assert_int_equal(got, 0);
		assert_int_equal(i, next);
	}
	plain_cq_complete(&r.c, PRM_CQE_OPCODE_RESP_ERR, 0);
	prm_err_cqe_set_syndrome(r.c.buf[(r.c.pi - 1) & 63], PRM_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(dvx_rq_poll_many(&r.rq, rx, 40, &wc), -EIO);
	assert_int_equal(wc.syndrome, PRM_SYNDROME_WR_FLUSH_ERR);
	r.rq.cq = NULL;
	assert_int_equal(
		dvx_rq_init(&r.rq, &(struct dvx_rq_memory){.size = sizeof(struct dvx_rq_memory),
							   .entries = 64,
							   .stride = DVX_SEG,
							   .buf = r.buf,
							   .wr_ids = r.wr_ids,
							   .dbrec = &r.dbrec}),
		0);
	assert_int_equal(dvx_rq_poll_many(&r.rq, rx, 40, &wc), -EINVAL);
}
