/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves large sends of raw packets: one request is cut into packets, each with its own headers. */
#include "tests/test.h"
#include "queue_raw_rig.h"
#include "chip/datapath.h"
#include "obj/sched_elem.h"

#define SEQ  0xfffffe00u
#define MSS  300u
#define L2   14u
#define CSUM (PRM_ETH_CS_FLAG_L3_CSUM | PRM_ETH_CS_FLAG_L4_CSUM)

/* Ethernet, a VLAN tag, IPv4 without fragments and id 0xfffe, TCP with 12 bytes of options: FIN, PSH, ACK, CWR. */
static const uint8_t tcp4[] = "\x02\0\0\0\0\2\x02\0\0\0\0\1\x81\0\0\x05\x08\0"
			      "\x45\0\0\0\xff\xfe\x40\0\x40\6\xab\xcd\xc0\xa8\0\1\xc0\xa8\0\xc7"
			      "\x12\x34\0\x50\xff\xff\xfe\0\0\0\0\1\x80\x99\1\0\xde\xad\0\0"
			      "\1\1\x08\x0a\0\0\0\1\0\0\0\2";
static const uint8_t udp6[] = "\x02\0\0\0\0\2\x02\0\0\0\0\1\x86\xdd"
			      "\x60\0\0\0\0\0\x11\x40\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\1"
			      "\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\2"
			      "\x12\x34\0\x35\0\0\0\0";
#define TCP4 ((uint16_t)(sizeof(tcp4) - 1))
#define UDP6 ((uint16_t)(sizeof(udp6) - 1))

static struct rig_wqe large(struct raw *r, const uint8_t *hdr, uint16_t n, uint16_t mss,
			    uint32_t len)
{
	struct rig_wqe w = raw_begin(r, hdr, n, CSUM);

	prm_wqe_ctrl_seg_set_opcode(w.bytes, PRM_WQE_OPCODE_TSO);
	prm_wqe_eth_seg_set_mss(w.bytes + 16, mss);
	if (len)
		rig_data(&w, r->src, len, rig_key(r->mkey));
	return w;
}

static void receives(struct raw *r, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		raw_recv(r, 1024 * i, 1024);
}

/* Length, id, sequence number and flags are right, and so are checksums for the receiver. */
TEST(raw, tcp_over_ipv4)
{
	const uint32_t total = 3 * MSS + 7;
	struct rig_wqe w = large(r, tcp4, TCP4, MSS, total);
	uint32_t part;

	receives(r, 4);
	rig_go(&w);
	assert_int_equal(prm_cqe64_get_s_wqe_opcode(raw_sent_ok(r)), PRM_WQE_OPCODE_TSO);
	assert_null(rig_poll(&r->scq));
	for (unsigned int i = 0; i < 4; i++) {
		const uint8_t *p = r->dst + 1024 * i, *ip = p + L2 + 4, *tcp = ip + 20;
		const uint8_t *cqe = raw_received(r);

		part = i < 3 ? MSS : 7;
		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), TCP4 + part);
		assert_true(prm_cqe64_get_l3_ok(cqe) && prm_cqe64_get_l4_ok(cqe));
		assert_int_equal(prm_load16(ip, 2), TCP4 - L2 - 4 + part);
		assert_int_equal(prm_load16(ip, 4), (uint16_t)(0xfffe + i));
		assert_int_equal(prm_load32(tcp, 4), SEQ + i * MSS);
		assert_int_equal(tcp[13], 0x10 | (i ? 0 : 0x80) | (i < 3 ? 0 : 9));
		assert_memory_equal(tcp + 20, tcp4 + L2 + 4 + 40, 12);
		assert_memory_equal(p + TCP4, r->src + i * MSS, part);
	}
	assert_int_equal(r->nsent, 4);
}

TEST(raw, udp_over_ipv6)
{
	struct rig_wqe w = large(r, udp6, UDP6, MSS, MSS);

	rig_inline(&w, r->src + MSS, 20);
	receives(r, 2);
	rig_go(&w);
	raw_sent_ok(r);
	for (unsigned int i = 0; i < 2; i++) {
		const uint8_t *p = r->dst + 1024 * i, *cqe = raw_received(r);
		uint32_t part = i ? 20 : MSS;

		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), UDP6 + part);
		assert_true(prm_cqe64_get_l3_ok(cqe) && prm_cqe64_get_l4_ok(cqe));
		assert_int_equal(prm_load16(p + L2, 4), 8 + part);
		assert_int_equal(prm_load16(p + L2 + 40, 4), 8 + part);
		assert_memory_equal(p + UDP6, r->src + i * MSS, part);
	}
}

/* A request of more packets than a turn sends: later requests wait, and leave behind it. */
TEST(raw, many_packets)
{
	struct rig_wqe w = large(r, tcp4, TCP4, 10, 1000);

	r->rq.queue->state = QP_RST; /* it counts what it does not take */
	rig_end(&w);
	raw_send(r, r->src, 77, 0);
	assert_int_equal(r->nsent, 101);
	assert_int_equal(r->sent_len, 77);
	assert_int_equal(prm_cqe64_get_s_wqe_opcode(raw_sent_ok(r)), PRM_WQE_OPCODE_TSO);
	assert_int_equal(prm_cqe64_get_s_wqe_opcode(raw_sent_ok(r)), PRM_WQE_OPCODE_SEND);
}

/* Two large sends share the bandwidth 3 to 1 by their leaves' weights. */
TEST(raw, shares)
{
	static uint8_t payload[200000];
	const uint64_t most = 200000ull * 1024 / 3; /* of sched_elem.sent: bytes by weight */
	struct sched_elem root = {0}, leaf[] = {{.parent = &root, .leaf = true, .bw_share = 3},
						{.parent = &root, .leaf = true, .bw_share = 1}};
	struct sched_leaves shape[2] = {{.requester = &leaf[0], .responder = &leaf[0]},
					{.requester = &leaf[1], .responder = &leaf[1]}};
	struct rig_qp q[2] = {r->sq};

	raw_queue_open(&r->rig, &q[1], OBJ_SQ, &r->scq, 4);
	r->rq.queue->state = QP_RST;
	r->rig.dev.shapes = 2;
	for (unsigned int i = 0; i < 2; i++) {
		struct rig_wqe w;

		q[i].queue->leaves = &shape[i];
		r->sq = q[i];
		w = large(r, tcp4, TCP4, 1000, 0);
		rig_data(&w, payload, sizeof(payload), rig_key(r->mkey));
		rig_end(&w);
		rig_ring(&r->sq);
		q[i] = r->sq;
	}
	while (leaf[0].sent < most)
		assert_true(datapath_run(&r->rig.dev));
	assert_in_range(leaf[1].sent, most / 2, most * 3 / 2);
	rig_settle(&r->rig);
	assert_int_equal(r->nsent, 400);
	q[0].queue->leaves = q[1].queue->leaves = NULL;
	r->rig.dev.shapes = 0;
	r->sq = q[0];
	rig_qp_close(&q[1]);
}

/* A rate holds each packet; errors and resets come while a request is half sent. */
TEST(raw, half_sent)
{
	struct pp_rate *row = &r->rig.dev.vhca[0].pp_rates[1];

	row->rate = (struct pace_rate){.bps = 8000000};
	r->rq.queue->state = QP_RST;
	for (unsigned int i = 0; i < 2; i++) {
		struct rig_wqe w = large(r, tcp4, TCP4, MSS, 5 * MSS);

		r->sq.raw_sq->pp_rate = 1;
		r->nsent = 0;
		rig_go(&w);
		assert_in_range(r->nsent, 1, 2);
		if (!i) {
			rig_pass(&r->rig, 10000000);
			assert_int_equal(r->nsent, 5);
			raw_sent_ok(r);
			continue;
		}
		queue_set_state(r->sq.queue, QP_ERR);
		raw_go(r);
		rig_sent(&r->scq, PRM_SYNDROME_WR_FLUSH_ERR);
		rig_pass(&r->rig, 10000000);
		assert_in_range(r->nsent, 1, 2);
	}
	r->sq.raw_sq->pp_rate = 0;
	raw_reset(&r->sq);
	raw_send(r, r->src, 100, 0);
	raw_sent_ok(r);
}

/* --- bad ones --------------------------------------------------------------------------------- */

/* The headers begin behind the control segment and the first 14 bytes of the Ethernet segment. */
enum { ETH = 16, HDR = 30, IP = HDR + L2 + 4, DATA = 16 * (1 + (14 + TCP4 + 15) / 16) };

static const struct {
	const char *segment, *field; /* NULL: one byte changes */
	unsigned int at;
	uint64_t value;
	uint8_t syndrome;
} bad[] = {
	{"wqe_eth_seg", "mss", ETH, 0, PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{"wqe_eth_seg", "mss", ETH, VHCA_FRAME_MAX - TCP4 + 1, PRM_SYNDROME_LOCAL_LENGTH_ERR},
	{"wqe_eth_seg", "insert_type", ETH, 0x8000, PRM_SYNDROME_LOCAL_QP_OP_ERR},
	/* the headers end 20 bytes before and behind the end of TCP's */
	{NULL, NULL, IP + 20 + 12, 0xd0, PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{NULL, NULL, IP + 20 + 12, 0x50, PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{NULL, NULL, HDR + L2 + 2, 0x07, PRM_SYNDROME_LOCAL_QP_OP_ERR}, /* not IP */
	{NULL, NULL, IP + 6, 0x20, PRM_SYNDROME_LOCAL_QP_OP_ERR},	/* a fragment */
	{NULL, NULL, IP + 9, 132, PRM_SYNDROME_LOCAL_QP_OP_ERR},	/* neither TCP nor UDP */
	{"wqe_data_seg", "lkey", DATA, 0xdead00, PRM_SYNDROME_LOCAL_PROT_ERR},
	{"wqe_data_seg", "byte_count", DATA, (1u << VHCA_LOG_MAX_LSO) + 1,
	 PRM_SYNDROME_LOCAL_LENGTH_ERR},
};

/* Each makes an error CQE and no packet; through RST the queue works again. */
TEST(raw, bad_large_sends)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rig_wqe w = large(r, tcp4, TCP4, MSS, 2 * MSS);

		if (bad[i].field)
			rig_set(&w, bad[i].at, bad[i].segment, bad[i].field, bad[i].value);
		else
			w.bytes[bad[i].at] = (uint8_t)bad[i].value;
		rig_go(&w);
		rig_sent(&r->scq, bad[i].syndrome);
		assert_int_equal(r->nsent, 0);
		raw_reset(&r->sq);
	}
}

/* With any headers there is no crash, and the queue ends in RTS or ERR. */
TEST(raw, garbage)
{
	srand(1);
	for (unsigned int i = 0; i < 10000; i++) {
		struct rig_wqe w = large(r, i & 1 ? tcp4 : udp6, i & 1 ? TCP4 : UDP6, MSS, 2 * MSS);

		for (unsigned int n = (unsigned int)rand() % 6; n; n--)
			w.bytes[16 + rand() % 80] = (uint8_t)rand();
		rig_go(&w);
		rig_drain(&r->scq);
		assert_true(r->sq.queue->state == QP_RTS || r->sq.queue->state == QP_ERR);
		raw_reset(&r->sq);
	}
}
