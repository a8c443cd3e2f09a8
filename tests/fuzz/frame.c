/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames from outside: RoCE packets of each kind, changed, cut and sealed again or not, and any
 * bytes, on a connection that is up. */
#include "fuzz.h"
#include "obj/mcg.h"
#include "port/port.h"
#include "queue/queue.h"
#include "tests/queue/queue_rig.h"
#include "transport/transport.h"

static void keep_frame(void *ctx, struct port *port, struct frame *f)
{
	struct frame **kept = ctx;

	(void)port;
	frame_free(*kept);
	*kept = f;
}

static void post_datagram(struct rig_pair *p)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_SEND, SIGNALED, 0);

	rig_av(&w, &p->b);
	if (any(2))
		rig_av_group(&w);
	rig_data(&w, p->src, 1 + any(900), rig_key(p->ms));
	rig_end(&w);
}

/* The last packet of a message between the two, over any of their GIDs. */
static struct frame *good_frame(struct rig_pair *p)
{
	static const uint8_t ops[] = {0x08, 0x0a, 0x10};
	const bool uc = p->a.queue->transport == &transport_uc;
	struct frame *f = NULL;

	queue_set_state(&p->a.qp->q, QP_RST);
	queue_set_state(&p->b.qp->q, QP_RST);
	p->a.sq_pi = p->b.sq_pi = p->a.rq_pi = p->b.rq_pi = 0;
	p->a.qp->gid_index = p->b.qp->gid_index = (uint8_t)any(VHCA_OWN_GIDS);
	rig_connect(&p->a, &p->b);
	port_set_hook(p->rig.dev.port, keep_frame, &f);
	if (p->a.queue->transport->datagrams)
		post_datagram(p);
	else
		rig_post(p, ops[any(uc ? 2 : 3)], any(1000), 1 + any(3000));
	rig_ring(&p->a);
	rig_settle(&p->rig);
	port_set_hook(p->rig.dev.port, NULL, NULL);
	assert_non_null(f);
	return f;
}

static void change(struct frame *f)
{
	uint32_t len, at;
	uint8_t *bth = rig_bth(f, &len);

	for (unsigned int i = any(4); i; i--) {
		at = any(len < FRAME_HDR ? len : FRAME_HDR);
		any_bytes(bth + at, 1);
	}
	if (any(2))
		len = ROCE_BTH + any(len - ROCE_BTH + 1);
	if (any(4))
		rig_reseal(f, len);
	for (unsigned int i = any(3) / 2; i; i--)
		any_bytes(f->data + any(f->len), 1);
	if (!any(4))
		f->len = PORT_PACKET_MIN + any(f->len - PORT_PACKET_MIN + 1);
}

/* Memory ends with the frame, so that a sanitizer sees a byte too far. */
static void check_decode(const struct frame *f)
{
	uint8_t *copy = malloc(f->len);
	struct roce_bytes r;

	assert_non_null(copy);
	memcpy(copy, f->data, f->len);
	if (roce_decode(copy, f->len, &r)) {
		assert_true(r.len >= ROCE_BTH && r.bth + r.len + 4 <= copy + f->len);
		roce_icrc_good(&r);
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static const struct rig_kind *const kinds[] = {&rig_rc_dpu, &rig_uc, &rig_ud_dpu};
	struct rig_pair *p;
	struct frame *f;

	fuzz_begin(bytes, len);
	p = rig_pair_open(kinds[any(3)]);
	if (p->a.queue->transport->datagrams)
		assert_int_equal(mcg_attach(p->b.queue->o.vhca, rig_mgid, p->b.qp), 0);
	f = good_frame(p);
	rig_recv(&p->b, p->dst, RIG_BUF, rig_key(p->md));
	for (unsigned int i = 0; i < 64 && fuzz_more(); i++) {
		struct frame *bad = frame_copy(f);

		change(bad);
		check_decode(bad);
		assert_int_equal(port_inject(p->rig.dev.port, bad->data, bad->len), 0);
		frame_free(bad);
		rig_settle(&p->rig);
	}
	frame_free(f);
	rig_pass(&p->rig, 1000000000ull);
	mcg_leave(p->b.queue->o.vhca, p->b.qp);
	rig_pair_close(p);
	return 0;
}

const struct fuzz_target fuzz_target = {.inputs = 300, .longest = 256};
