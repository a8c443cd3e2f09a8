/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that each atomic, plain or masked, of 4 or 8 bytes, changes memory exactly once and
 * returns the old value, also on a wire that loses and doubles packets; and how bad ones end. */
#include "tests/test.h"
#include <endian.h>
#include <dvx/prm/qp.h>
#include "queue_rig.h"
#include "queue/queue.h"
#include "transport/rc/rc.h"

#define SECOND 1000000000ull
#define CS     PRM_WQE_OPCODE_ATOMIC_CS
#define FA     PRM_WQE_OPCODE_ATOMIC_FA
#define MCS    PRM_WQE_OPCODE_ATOMIC_MASKED_CS
#define MFA    PRM_WQE_OPCODE_ATOMIC_MASKED_FA

struct op {
	uint8_t opcode;
	unsigned int size;
	uint64_t value, compare, mask, compare_mask;
};

/* A pair whose queues do atomics of both sizes. */
static struct rig_pair *atomic_open(void)
{
	struct rig_pair *p = rig_pair_open(&rig_rc);

	p->b.qp->rae = p->a.qp->rae = true;
	p->b.qp->atomic_mode = p->a.qp->atomic_mode = PRM_QPC_ATOMIC_MODE_UP_TO_8B;
	return p;
}

static int atomic_setup(void **state)
{
	*state = atomic_open();
	return 0;
}
#define FIXTURE_atomic(name) FIXTURE(name, struct rig_pair *p, atomic_setup, rig_teardown)

static void put_operands(uint8_t *at, const struct op *o)
{
	if (o->opcode == CS || o->opcode == FA)
		prm_wqe_atomic_seg_pack(at, .swap_add = o->value, .compare = o->compare);
	else if (o->opcode == MCS && o->size == 8)
		prm_atomic_masked_cswap64_seg_pack(at, .swap = o->value, .compare = o->compare,
						   .swap_mask = o->mask,
						   .compare_mask = o->compare_mask);
	else if (o->opcode == MCS)
		prm_atomic_masked_cswap32_seg_pack(
			at, .swap = (uint32_t)o->value, .compare = (uint32_t)o->compare,
			.swap_mask = (uint32_t)o->mask, .compare_mask = (uint32_t)o->compare_mask);
	else if (o->size == 8)
		prm_atomic_masked_fadd64_seg_pack(at, .add = o->value, .field_boundary = o->mask);
	else
		prm_atomic_masked_fadd32_seg_pack(at, .add = (uint32_t)o->value,
						  .field_boundary = (uint32_t)o->mask);
}

/* Posts an atomic; the old value goes to src + to. */
static void post(struct rig_pair *p, const struct op *o, uint32_t at, uint32_t to, uint8_t flags)
{
	struct rig_wqe w = rig_begin(&p->a, o->opcode, flags, 0);

	rig_raddr(&w, p->dst + at, rig_key(p->md));
	put_operands(w.bytes + 16 * w.ds, o);
	w.ds += o->opcode == MCS && o->size == 8 ? 2 : 1;
	rig_data(&w, p->src + to, o->size, rig_key(p->ms));
	if (o->opcode == MCS || o->opcode == MFA)
		prm_wqe_ctrl_seg_set_opmod(w.bytes, o->size == 8 ? 9 : 8);
	rig_end(&w);
	rig_ring(&p->a);
}

/* Computes the result bit by bit, from the specification's text. */
static uint64_t model(const struct op *o, uint64_t old)
{
	const bool masked = o->opcode == MCS || o->opcode == MFA;
	const uint64_t all = o->size == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t sum = 0, carry = 0;

	if (o->opcode == CS || o->opcode == MCS) {
		uint64_t compare_mask = masked ? o->compare_mask : all,
			 mask = masked ? o->mask : all;

		if ((old & compare_mask & all) != (o->compare & compare_mask & all))
			return old;
		return (old & ~mask & all) | (o->value & mask & all);
	}
	for (unsigned int bit = 0; bit < 8 * o->size; bit++) {
		uint64_t digits = (old >> bit & 1) + (o->value >> bit & 1) + carry;

		sum |= (digits & 1) << bit;
		carry = masked && o->mask >> bit & 1 ? 0 : digits >> 1;
	}
	return sum;
}

static uint64_t any64(void)
{
	static const uint64_t some[] = {0,	    1,		UINT64_MAX,
					1ull << 63, 1ull << 31, 0xff00ff00ff00ffull};
	uint64_t r = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();

	return rand() % 2 ? r : some[r % 6];
}

static struct op any_op(uint64_t old)
{
	static const uint8_t opcodes[] = {CS, FA, MCS, MFA};
	struct op o = {.opcode = opcodes[rand() % 4],
		       .value = any64(),
		       .compare = rand() % 2 ? old : any64(),
		       .mask = any64(),
		       .compare_mask = any64()};

	o.size = o.opcode == CS || o.opcode == FA || rand() % 2 ? 8 : 4;
	return o;
}

static void load(void *to, const uint8_t *at, unsigned int size)
{
	memset(to, 0, 8);
	memcpy(to, at, size);
}

static const uint8_t *one_cqe(struct rig_pair *p)
{
	const uint8_t *cqe;

	rig_pass(&p->rig, 5 * SECOND);
	cqe = rig_cqe(&p->ca);
	return cqe;
}

static void some_atomics(struct rig_pair *p, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		uint64_t old, now, found;
		struct op o;

		load(&old, p->dst + 64, 8);
		o = any_op(old);
		load(&old, p->dst + 64, o.size);
		post(p, &o, 64, 8, SIGNALED);
		assert_int_equal(prm_cqe64_get_opcode(one_cqe(p)), PRM_CQE_OPCODE_REQ);
		load(&now, p->dst + 64, o.size);
		load(&found, p->src + 8, o.size);
		if (o.size == 4)
			found = be32toh((uint32_t)found);
		assert_int_equal(found, old);
		assert_int_equal(now, model(&o, old));
	}
}

TEST(atomic, every_kind)
{
	srand(1);
	some_atomics(p, 2000);
	assert_int_equal(p->rig.dev.vhca[0].stats->queues.rx_atomic_requests, 2000);
}

/* --- a bad wire --------------------------------------------------------------------------------
 */

static void lossy(void *ctx, struct port *w, struct frame *f)
{
	unsigned int *count = ctx;

	(*count)++;
	if (rand() % 4 == 0) {
		frame_free(f);
		return;
	}
	if (rand() % 4 == 0)
		port_queue(w, frame_copy(f));
	port_queue(w, f);
}

/* A repeated request is done once, and its repeated answer equals the first. */
TEST(atomic, once_each)
{
	unsigned int frames = 0;
	uint64_t sum = 0;

	srand(2);
	p->a.qp->retry_count = 7;
	memset(p->dst, 0, 8);
	port_set_hook(p->rig.dev.port, lossy, &frames);
	for (unsigned int i = 0; i < 60; i++) {
		uint64_t found[4];

		for (unsigned int k = 0; k < 4; k++)
			post(p, &(struct op){FA, 8, 1 + k, 0, 0, 0}, 0, 8 * k,
			     k == 3 ? SIGNALED : 0);
		assert_int_equal(prm_cqe64_get_opcode(one_cqe(p)), PRM_CQE_OPCODE_REQ);
		memcpy(found, p->src, sizeof(found));
		for (unsigned int k = 0; k < 4; k++) {
			assert_int_equal(found[k], sum);
			sum += 1 + k;
		}
	}
	some_atomics(p, 50);
	assert_true(frames > 600);
}

/* At most max_rd_atomic READs and atomics are under way, and their answers keep the order. */
static unsigned int waiting, most;

static void count_waiting(void *ctx, struct port *w, struct frame *f)
{
	uint32_t len;
	uint8_t op = rig_bth(f, &len)[0];

	(void)ctx;
	if (op == BTH_READ_REQUEST || op == BTH_FETCH_ADD)
		waiting++;
	else if (op == BTH_READ_RESP_ONLY || op == BTH_ATOMIC_ACK)
		waiting--;
	if (waiting > most)
		most = waiting;
	port_queue(w, f);
}

TEST(atomic, as_many_as_allowed)
{
	p->a.qp->log_sra_max = 1;
	memset(p->dst, 0, 8);
	waiting = most = 0;
	port_set_hook(p->rig.dev.port, count_waiting, NULL);
	for (unsigned int i = 0; i < 8; i++) {
		post(p, &(struct op){FA, 8, 1, 0, 0, 0}, 0, 16 * i, SIGNALED);
		rig_post(p, PRM_WQE_OPCODE_RDMA_READ, 0, 8); /* overwrites src[0] each time */
	}
	rig_run(&p->a);
	for (unsigned int i = 0; i < 16; i++) {
		const uint8_t *cqe = rig_cqe(&p->ca);

		assert_int_equal(prm_cqe64_get_wqe_counter(cqe), i);
		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), 8);
	}
	assert_int_equal(most, 2);
	assert_int_equal(p->src[16 * 7], 7);
}

/* --- repeated ones ----------------------------------------------------------------------------
 */

/* The responses that b sends, in order. */
struct responses {
	unsigned int n;
	uint8_t opcode[8];
	uint64_t found;
};

static void keep_response(void *ctx, struct port *w, struct frame *f)
{
	struct responses *h = ctx;
	const uint8_t *bth = rig_bth(f, NULL);

	(void)w;
	h->opcode[h->n++ % 8] = bth[0];
	if (bth[0] == BTH_ATOMIC_ACK)
		h->found = (uint64_t)bth_get32(bth + 16) << 32 | bth_get32(bth + 20);
	frame_free(f);
}

/* Keeps what b sends from a. Returns the PSN that b expects. */
static uint32_t keep_responses(struct rig_pair *p, struct responses *h)
{
	*h = (struct responses){0};
	port_set_hook(p->rig.dev.port, keep_response, h);
	return p->b.qp->next_rcv_psn;
}

static enum drop b_takes(struct rig_pair *p, uint8_t opcode, uint32_t psn)
{
	uint8_t hdr[64] = {opcode, 0x40, 0xff, 0xff}, *eth = hdr + BTH_LEN;
	const uint64_t va = htobe64((uintptr_t)p->dst), add = htobe64(1);
	struct roce_packet r = {.sgid = p->b.qp->rgid, .hdr = hdr, .npkts = 1};
	struct bth_packet packet;

	bth_put32(hdr + 8, 1u << 31 | psn);
	memcpy(eth, &va, 8);
	bth_put32(eth + 8, rig_key(p->md));
	if (opcode == BTH_FETCH_ADD)
		memcpy(eth + 12, &add, 8);
	else if (opcode == BTH_READ_REQUEST)
		bth_put32(eth + 12, 8);
	r.hdr_len = BTH_LEN + (opcode == BTH_FETCH_ADD ? ATOMIC_ETH_LEN : RETH_LEN);
	assert_int_equal(bth_parse(&packet, &r), DROP_NONE);
	return p->b.queue->transport->receive(p->b.queue, &packet);
}

/*
 * A repeat of an atomic no longer kept is dropped; a waiting READ and the ACK behind it still go.
 */
TEST(atomic, not_kept)
{
	struct responses h;
	uint32_t psn = keep_responses(p, &h);

	assert_int_equal(b_takes(p, BTH_READ_REQUEST, psn), DROP_NONE);
	assert_int_equal(b_takes(p, BTH_WRITE_ONLY, psn + 1), DROP_NONE);
	assert_int_equal(b_takes(p, BTH_FETCH_ADD, (psn - 1) & PSN_MASK), DROP_ANSWERED);
	rig_settle(&p->rig);
	assert_int_equal(h.n, 2);
	assert_int_equal(h.opcode[0], BTH_READ_RESP_ONLY);
	assert_int_equal(h.opcode[1], BTH_ACKNOWLEDGE);
}

/* Repeated READs wait for their turn; one more than there is room for is dropped and noted. */
TEST(atomic, too_many_repeated)
{
	struct responses h;
	uint32_t psn = keep_responses(p, &h);

	for (uint32_t i = READ_JOBS; i; i--)
		assert_int_equal(b_takes(p, BTH_READ_REQUEST, (psn - i - 1) & PSN_MASK), DROP_NONE);
	assert_int_equal(b_takes(p, BTH_READ_REQUEST, (psn - 1) & PSN_MASK), DROP_BUSY);
	rig_settle(&p->rig);
}

static bool out_of_memory;
static unsigned int buffers_left; /* buffers that can still be had */
void *__real_queue_buffer_get(struct queues *);
void *__wrap_queue_buffer_get(struct queues *);
void *__wrap_queue_buffer_get(struct queues *qs)
{
	if (out_of_memory && !buffers_left)
		return NULL;
	buffers_left -= out_of_memory;
	return __real_queue_buffer_get(qs);
}

/* A request without memory for it acts as lost: the peer repeats it, and it is done once. */
TEST(atomic, no_memory)
{
	struct responses h;
	uint32_t psn = keep_responses(p, &h);
	uint64_t *word = (uint64_t *)(void *)p->dst;

	*word = 5;
	out_of_memory = true;
	buffers_left = 0;
	assert_int_equal(b_takes(p, BTH_FETCH_ADD, psn), DROP_MEMORY);
	assert_int_equal(b_takes(p, BTH_READ_REQUEST, psn), DROP_MEMORY);
	assert_int_equal(b_takes(p, BTH_READ_REQUEST, (psn - 1) & PSN_MASK), DROP_MEMORY);
	assert_int_equal(*word, 5);
	out_of_memory = false;
	assert_int_equal(b_takes(p, BTH_FETCH_ADD, psn), DROP_NONE);
	assert_int_equal(b_takes(p, BTH_READ_REQUEST, psn + 1), DROP_NONE);
	rig_settle(&p->rig);
	assert_int_equal(*word, 6);
	assert_int_equal(h.n, 2);
}

/* Like no_memory, without packets; the one buffer is the send queue's. */
TEST(atomic, no_memory_directly)
{
	const struct op add = {.opcode = FA, .size = 8, .value = 1};

	p->b.qp->rae = false; /* the responder has to refuse it */
	out_of_memory = true;
	buffers_left = 1;
	post(p, &add, 64, 8, SIGNALED);
	rig_settle(&p->rig);
	out_of_memory = false;
	assert_int_equal(p->b.queue->o.vhca->drops.n[DROP_MEMORY], 1);
	assert_int_equal(prm_err_cqe_get_syndrome(one_cqe(p)), PRM_SYNDROME_REMOTE_ACCESS_ERR);
}

/* After 2^24 packets a PSN repeats: a repeated request means the newer one. */
TEST(atomic, same_psn_again)
{
	struct responses h;
	uint32_t psn = keep_responses(p, &h);

	memset(p->dst, 0, 8);
	for (unsigned int i = 0; i < 2; i++) {
		rc_of(p->b.queue)->resp.epsn = psn;
		assert_int_equal(b_takes(p, BTH_FETCH_ADD, psn), DROP_NONE);
		rig_settle(&p->rig);
	}
	assert_int_equal(b_takes(p, BTH_FETCH_ADD, psn), DROP_NONE);
	rig_settle(&p->rig);
	assert_int_equal(h.n, 3);
	assert_int_equal(h.found, 1);
}

/* --- bad ones ------------------------------------------------------------------------------------
 */

static void ends(struct rig_pair *p, uint8_t syndrome, unsigned int event)
{
	const uint8_t *cqe = one_cqe(p);

	assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_REQ_ERR);
	assert_int_equal(prm_err_cqe_get_syndrome(cqe), syndrome);
	assert_int_equal(p->a.qp->q.state, QP_ERR);
	assert_int_equal(p->b.qp->q.state, event ? QP_ERR : QP_RTS);
	if (event)
		assert_int_equal(rig_count(&p->rig, (uint8_t)event), 1);
}

static const struct op add_8 = {FA, 8, 1, 0, 0, 0}, add_4 = {MFA, 4, 1, 0, 0, 0};

/* A word that is not aligned, by its address or in memory; a queue or a key without atomics; memory
 * that is gone. No byte changes. */
TEST(none, refusals)
{
	static const struct {
		uint32_t at;
		bool queue_without, key_without;
		uint64_t moved; /* the key's memory lies this much behind its addresses */
		bool invalid;	/* the request is invalid: no error of access */
	} bad[] = {
		{.at = 4, .invalid = true},    {.queue_without = true}, {.key_without = true},
		{.moved = 4, .invalid = true}, {.moved = 1ull << 46},
	};

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		static const uint8_t zeros[16];
		struct rig_pair *p = atomic_open();

		p->b.qp->rae = !bad[i].queue_without;
		if (bad[i].key_without)
			p->md->rights &= (uint8_t)~MKEY_ATOMIC;
		p->md->entries[0] += bad[i].moved;
		mkey_place(p->md);
		post(p, &add_8, bad[i].at, 0, SIGNALED);
		ends(p,
		     bad[i].invalid ? PRM_SYNDROME_REMOTE_INVAL_REQ_ERR
				    : PRM_SYNDROME_REMOTE_ACCESS_ERR,
		     bad[i].invalid ? PRM_EVENT_WQ_INVAL_REQ_ERROR : PRM_EVENT_WQ_ACCESS_ERROR);
		assert_memory_equal(p->dst, zeros, sizeof(zeros));
		rig_pair_close(p);
	}
}

TEST(atomic, queue_of_8_bytes_only)
{
	p->b.qp->atomic_mode = PRM_QPC_ATOMIC_MODE_IB_SPEC;
	post(p, &add_8, 0, 0, SIGNALED);
	assert_int_equal(prm_cqe64_get_opcode(one_cqe(p)), PRM_CQE_OPCODE_REQ);
	post(p, &add_4, 0, 0, SIGNALED);
	ends(p, PRM_SYNDROME_REMOTE_INVAL_REQ_ERR, PRM_EVENT_WQ_INVAL_REQ_ERROR);
}

/* The memory may lie in any number of pieces. */
TEST(atomic, memory_in_pieces)
{
	bus_t *one = p->md->entries, at = one[0] + (uintptr_t)p->dst,
	      pieces[] = {at, at + 8, at + 16, at + 24};

	p->md->entries = pieces;
	p->md->nentries = 4;
	p->md->log_entity = 1;
	mkey_place(p->md);
	post(p, &add_8, 0, 0, SIGNALED);
	ends(p, PRM_SYNDROME_REMOTE_INVAL_REQ_ERR, PRM_EVENT_WQ_INVAL_REQ_ERROR);
	p->md->entries = one;
}

TEST(atomic, nowhere_to_put_it)
{
	struct rig_wqe w = rig_begin(&p->a, FA, SIGNALED, 0);

	rig_raddr(&w, p->dst, rig_key(p->md));
	put_operands(w.bytes + 16 * w.ds++, &add_8);
	rig_data(&w, p->src, 4, rig_key(p->ms));
	rig_end(&w);
	rig_ring(&p->a);
	ends(p, PRM_SYNDROME_LOCAL_LENGTH_ERR, 0);
}

TEST(atomic, unknown_size)
{
	struct rig_wqe w = rig_begin(&p->a, MFA, SIGNALED, 0);

	rig_raddr(&w, p->dst, rig_key(p->md));
	put_operands(w.bytes + 16 * w.ds++, &(struct op){MFA, 8, 1, 0, 0, 0});
	rig_data(&w, p->src, 16, rig_key(p->ms));
	prm_wqe_ctrl_seg_set_opmod(w.bytes, PRM_EXT_ATOMIC_OPMOD_16);
	rig_end(&w);
	rig_ring(&p->a);
	ends(p, PRM_SYNDROME_LOCAL_QP_OP_ERR, 0);
}
