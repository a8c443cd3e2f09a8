/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves receive queues whose buffers are strides: each packet's place, and a buffer's end. */
#include "tests/test.h"
#include "lib_flow_rig.h"

#define STRIDES	     8u
#define STRIDE_BYTES 64u
#define STRIDED	     (STRIDES * STRIDE_BYTES)

/* Packets of one to three strides, over laps: each at its place, buffers used to the end. */
static void strided_as(struct flow_rig *f, uint32_t flags, uint32_t mini)
{
	struct dvx_cq_attr ca = {
		.size = sizeof(ca), .entries = 4 * STRIDES, .flags = flags, .mini = mini};
	struct dvx_rxq_attr ra = {.size = sizeof(ra),
				  .entries = 4,
				  .strides = STRIDES,
				  .stride_bytes = STRIDE_BYTES,
				  .user_index = 5};
	struct inbox in;
	struct way w;
	struct dvx_strided at;
	struct frame frame;
	struct dvx_wc wc;
	uint32_t lasts = 0, used = 0;
	const void *cqe;
	int n;

	inbox_open_as(f, &in, 1, ca, ra);
	way_open(f, &w, in.rxq);
	for (uint64_t i = 0; i < 4; i++) {
		struct dvx_sge sge = {(uintptr_t)in.buf + i * STRIDED, STRIDED, f->r.key};

		OK(dvx_rq_post(in.rq, &sge, 1, i));
	}
	dvx_rq_ring(in.rq);
	for (uint32_t i = 0; i < 200; i++) {
		frame_build(&frame, (struct frame_spec){.payload = 20 + i * 37 % 130,
							.sport = (uint16_t)(i + 1)});
		frame_send(f, &frame);
		do {
			cqe = wait_cqe(in.cq);
			assert_int_equal(dvx_cq_poll(in.cq, &wc), -EINVAL);
			n = dvx_rxq_take(in.rxq, cqe, &at);
			assert_true(n >= 0);
			assert_int_equal(at.wr_id, lasts % 4);
			assert_int_equal(at.offset, used * STRIDE_BYTES);
			used = at.last ? 0 : used + (at.bytes + STRIDE_BYTES - 1) / STRIDE_BYTES;
			dvx_cq_pop(in.cq);
			if (!at.last)
				continue;
			lasts++;
			dvx_rq_repost(in.rq);
			dvx_rq_ring(in.rq);
		} while (!n);
		assert_int_equal(at.bytes, frame.len < 60 ? 60 : frame.len);
		assert_memory_equal(in.buf + at.wr_id * STRIDED + at.offset, frame.bytes,
				    frame.len);
	}
	assert_true(lasts > 40);
	way_close(&w);
	inbox_close(&in);
}

TEST(flow, strided)
{
	strided_as(f, 0, 0);
	strided_as(f, DVX_CQ_COMPRESSED, DVX_CQ_MINI_CSUM_STRIDE);
}

TEST(flow, strides_refused)
{
	static const struct {
		uint32_t strides, bytes, sge;
		const char *field, *why;
	} rows[] = {{12, 64, 0, "attr.strides is 12", "from 8"},
		    {16, 32, 0, "attr.stride_bytes is 32", "from 64"},
		    {16, 64, 2, "attr.sge", "one piece"},
		    {64, 64, 1, "may need", "256 more"}};
	struct dvx_rxq *rxq;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dvx_rxq_attr ra = {.size = sizeof(ra),
					  .pd = f->r.pd,
					  .cq = f->tx_cq,
					  .entries = 4,
					  .strides = rows[i].strides,
					  .stride_bytes = rows[i].bytes,
					  .sge = rows[i].sge};

		refused(dvx_rxq_create(f->r.dev, &ra, &rxq), -EINVAL, rows[i].field, rows[i].why);
	}
}

TEST_GROUP(flow_open, flow_close)
