/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/mman.h>
#include "prm/reflect.h"
#include "cases.h"

const uint8_t golden_payload[256] =
	"eight by"
	"tes, and then some more of them so that the data of an inline "
	"request goes beyond its first block, and beyond the second too: "
	"this text has to be longer than one hundred and ninety bytes, "
	"which it now is.";

const struct dvx_sge golden_pieces[4] = {
	{0x00007f0000001000, 4096, 0x00000a01},
	{0x00007f0000100000, 1, 0x00000b02},
	{0xfffffffffffff000, 0x7fffffff, 0xfffffe03},
	{0x0000000000000008, 65536, 0x00000d04},
};

const struct dvx_stride golden_columns[4] = {
	{0x00007f0000001000, 0x00000a01, 8, 64},
	{0x00007f0000100000, 0x00000b02, 1, 65535},
	{0x00007f0000200003, 0x00000c03, 65535, 65535},
	{0x00007f0000300000, 0xfffffe04, 512, 520},
};

#define SIDE(kind, bits, bytes)                                                       \
	{                                                                             \
		.type = (kind), .flags = (bits), .block = (bytes), .app_tag = 0x1234, \
		.ref_tag = 0x56789abc                                                 \
	}
#define CRC_SIDE(kind, bits, bytes)                               \
	{                                                         \
		.type = (kind), .flags = (bits), .block = (bytes) \
	}
#define CRYPT(bytes, bits)                                                              \
	{                                                                               \
		.data_unit = (bytes), .flags = (bits), .tweak = {1, 2, 3, [15] = 0xff}, \
		.keytag = 0x1122334455667788                                            \
	}

enum {
	SIG_CRC32_MEMORY,
	SIG_CRC64_WIRE,
	SIG_CRC32C_BOTH,
	SIG_DIF_BOTH,
	SIG_DIF_COPIED,
	SIG_DIF_TO_CRC32,
	CRYPT_WIRE,
	CRYPT_MEMORY,
	CRYPT_WIRE_SIGNED,
	CRYPT_MEMORY_SIGNED
};

static const struct golden_sig sigs[] = {
	[SIG_CRC32_MEMORY] = {{.memory = CRC_SIDE(DVX_SIG_CRC32, DVX_SIG_ONES, 512),
			       .check = DVX_SIG_ALL},
			      {0}},
	[SIG_CRC64_WIRE] = {{.wire = CRC_SIDE(DVX_SIG_CRC64, 0, 4096), .check = DVX_SIG_ALL}, {0}},
	[SIG_CRC32C_BOTH] = {{.memory = CRC_SIDE(DVX_SIG_CRC32C, DVX_SIG_ONES, 520),
			      .wire = CRC_SIDE(DVX_SIG_CRC32C, DVX_SIG_ONES, 520),
			      .check = DVX_SIG_CRC},
			     {0}},
	[SIG_DIF_BOTH] =
		{{.memory = SIDE(DVX_SIG_DIF_CRC, DVX_SIG_REF_GROWS | DVX_SIG_APP_ESCAPE, 4160),
		  .wire = SIDE(DVX_SIG_DIF_CSUM, DVX_SIG_ONES | DVX_SIG_APP_REF_ESCAPE, 4160),
		  .check = DVX_SIG_GUARD | DVX_SIG_REF_TAG},
		 {0}},
	[SIG_DIF_COPIED] = {{.memory = SIDE(DVX_SIG_DIF_CRC, DVX_SIG_ONES, 512),
			     .wire = SIDE(DVX_SIG_DIF_CRC, DVX_SIG_ONES, 512),
			     .check = DVX_SIG_GUARD,
			     .copy = DVX_SIG_APP_TAG | DVX_SIG_REF_TAG,
			     .copy_given = true},
			    {0}},
	[SIG_DIF_TO_CRC32] = {{.memory = SIDE(DVX_SIG_DIF_CRC, 0, 512),
			       .wire = CRC_SIDE(DVX_SIG_CRC32, DVX_SIG_ONES, 4048),
			       .check = DVX_SIG_ALL},
			      {0}},
	[CRYPT_WIRE] = {{.check = 0}, CRYPT(512, DVX_CRYPT_WIRE)},
	[CRYPT_MEMORY] = {{.check = 0}, CRYPT(520, DVX_CRYPT_SIGNED)},
	[CRYPT_WIRE_SIGNED] = {{.wire = CRC_SIDE(DVX_SIG_CRC32, DVX_SIG_ONES, 512),
				.check = DVX_SIG_ALL},
			       CRYPT(4096, DVX_CRYPT_WIRE | DVX_CRYPT_SIGNED)},
	[CRYPT_MEMORY_SIGNED] = {{.memory = SIDE(DVX_SIG_DIF_CRC, 0, 512),
				  .wire = CRC_SIDE(DVX_SIG_CRC64, 0, 512),
				  .check = DVX_SIG_ALL},
				 CRYPT(512, DVX_CRYPT_SIGNED)},
};

const struct golden_case golden_cases[] = {
	{"send", G_SEND, 0, 0, 1, 0, NULL},
	{"send_none", G_SEND, DVX_SIGNALED, 0, 0, 0, NULL},
	{"send_four", G_SEND, DVX_SIGNALED, 0, 4, 0, NULL},
	{"send_solicited", G_SEND, DVX_SIGNALED | DVX_SOLICITED, 0, 2, 0, NULL},
	{"send_inline", G_SEND, DVX_SIGNALED, 8, 0, 0, NULL},
	{"send_inline_two_blocks", G_SEND, 0, 100, 0, 0, NULL},
	{"send_imm", G_SEND_IMM, DVX_SIGNALED, 0, 1, 0, NULL},
	{"send_imm_inline", G_SEND_IMM, DVX_SOLICITED, 44, 0, 0, NULL},
	{"write", G_WRITE, DVX_SIGNALED, 0, 1, 0, NULL},
	{"write_three", G_WRITE, 0, 0, 3, 0, NULL},
	{"write_fence", G_WRITE, DVX_FENCE, 0, 2, 0, NULL},
	{"write_inline8", G_WRITE, DVX_SIGNALED, 8, 0, 0, NULL},
	{"write_inline_full_block", G_WRITE, DVX_SIGNALED, 28, 0, 0, NULL},
	{"write_inline_over_block", G_WRITE, DVX_SIGNALED, 29, 0, 0, NULL},
	{"write_inline_four_blocks", G_WRITE, 0, 200, 0, 0, NULL},
	{"write_imm", G_WRITE_IMM, DVX_SIGNALED | DVX_SOLICITED, 0, 1, 0, NULL},
	{"write_imm_inline", G_WRITE_IMM, 0, 12, 0, 0, NULL},
	{"send_inval", G_SEND_INVAL, DVX_SIGNALED, 0, 2, 0, NULL},
	{"send_inval_inline", G_SEND_INVAL, DVX_SIGNALED | DVX_SOLICITED, 16, 0, 0, NULL},
	{"cas", G_CAS, DVX_SIGNALED, 0, 0, 0, NULL},
	{"faa", G_FAA, DVX_SIGNALED, 0, 0, 0, NULL},
	{"faa_fence", G_FAA, DVX_FENCE, 0, 0, 0, NULL},
	{"umr_list_two", G_UMR_LIST, DVX_SIGNALED, 0, 2, 0, NULL},
	/* libmlx5 adds up more than 2 GiB wrongly */
	{"umr_list_one_fence", G_UMR_LIST, DVX_FENCE, 0, 1, 0, NULL},
	{"umr_strides_one", G_UMR_STRIDES, DVX_SIGNALED, 0, 1, 0, NULL},
	{"umr_strides_four", G_UMR_STRIDES, DVX_FENCE, 0, 4, 0, NULL},
	{"bind", G_BIND, DVX_SIGNALED, 0, 0, 0, NULL},
	{"bind_fence", G_BIND, DVX_FENCE, 0, 0, 0, NULL},
	{"unbind", G_UNBIND, DVX_SIGNALED, 0, 0, 0, NULL},
	{"ud_send", G_UD_SEND, DVX_SIGNALED, 0, 1, 0, NULL},
	{"ud_send_none", G_UD_SEND, DVX_SIGNALED, 0, 0, 0, NULL},
	{"ud_send_four", G_UD_SEND, 0, 0, 4, 0, NULL},
	{"ud_send_inline", G_UD_SEND, DVX_SIGNALED | DVX_SOLICITED, 8, 0, 0, NULL},
	{"ud_send_inline_three_blocks", G_UD_SEND, 0, 100, 0, 0, NULL},
	{"ud_send_imm", G_UD_SEND_IMM, DVX_SIGNALED, 0, 2, 0, NULL},
	{"ud_send_imm_inline", G_UD_SEND_IMM, 0, 44, 0, 0, NULL},
	{"read", G_READ, DVX_SIGNALED, 0, 1, 0, NULL},
	{"read_two_fence", G_READ, DVX_SIGNALED | DVX_FENCE, 0, 2, 0, NULL},
	{"dma", G_DMA, DVX_SIGNALED, 0, 0, 0, NULL},
	{"dma_fence", G_DMA, DVX_FENCE, 0, 0, 0, NULL},
	{"nop", G_NOP, 0, 0, 0, 0, NULL},
	{"recv", G_RECV, 0, 0, 1, 0, NULL},
	{"recv_three_of_four", G_RECV, 0, 0, 3, 0, NULL},
	{"recv_four_of_four", G_RECV, 0, 0, 4, 0, NULL},
	{"srq_recv", G_SRQ_RECV, 0, 0, 1, 0, NULL},
	{"srq_recv_three_of_three", G_SRQ_RECV, 0, 0, 3, 0, NULL},
	{"eth", G_ETH, DVX_SIGNALED, 0, 1, 0, NULL},
	{"eth_three", G_ETH, 0, 0, 3, 0, NULL},
	{"eth_inline", G_ETH, DVX_SIGNALED, 60, 0, 0, NULL},
	{"eth_inline_long", G_ETH, 0, 190, 0, 0, NULL},
	{"eth_checksums", G_ETH, DVX_SIGNALED | DVX_ETH_L3_CSUM | DVX_ETH_L4_CSUM, 0, 1, 0, NULL},
	{"sig_crc32_memory", G_SIG, DVX_SIGNALED, 0, 2, 0, &sigs[SIG_CRC32_MEMORY]},
	{"sig_crc64_wire", G_SIG, DVX_FENCE, 0, 1, 0, &sigs[SIG_CRC64_WIRE]},
	{"sig_crc32c_both", G_SIG, DVX_SIGNALED, 0, 1, 0, &sigs[SIG_CRC32C_BOTH]},
	{"sig_dif_both", G_SIG, DVX_SIGNALED | DVX_FENCE, 0, 2, 0, &sigs[SIG_DIF_BOTH]},
	{"sig_dif_copied", G_SIG, DVX_SIGNALED, 0, 1, 0, &sigs[SIG_DIF_COPIED]},
	{"sig_dif_to_crc32", G_SIG, 0, 0, 1, 0, &sigs[SIG_DIF_TO_CRC32]},
	{"crypt_wire", G_SIG, DVX_SIGNALED, 0, 1, 0, &sigs[CRYPT_WIRE]},
	{"crypt_memory", G_SIG, 0, 0, 2, 0, &sigs[CRYPT_MEMORY]},
	{"crypt_wire_signed", G_SIG, DVX_SIGNALED, 0, 1, 0, &sigs[CRYPT_WIRE_SIGNED]},
	{"crypt_memory_signed", G_SIG, DVX_SIGNALED, 0, 1, 0, &sigs[CRYPT_MEMORY_SIGNED]},
	{"tso", G_TSO, DVX_SIGNALED, 0, 1, 54, NULL},
	{"tso_vlan_checksums", G_TSO, DVX_ETH_L3_CSUM | DVX_ETH_L4_CSUM, 0, 2, 70, NULL},
	{"dc_send", G_DC_SEND, DVX_SIGNALED, 0, 2, 0, NULL},
	{"dc_send_inline", G_DC_SEND, DVX_SOLICITED, 60, 0, 0, NULL},
	{"dc_write", G_DC_WRITE, DVX_SIGNALED | DVX_FENCE, 0, 1, 0, NULL},
	{"dc_read", G_DC_READ, DVX_SIGNALED, 0, 2, 0, NULL},
	{"dc_cas", G_DC_CAS, DVX_SIGNALED, 0, 0, 0, NULL},
	{"dc_faa", G_DC_FAA, DVX_FENCE, 0, 0, 0, NULL},
	{"xrc_send", G_XRC_SEND, DVX_SIGNALED, 0, 3, 0, NULL},
	{"xrc_send_inline", G_XRC_SEND, 0, 20, 0, 0, NULL},
	{"xrc_write", G_XRC_WRITE, DVX_SIGNALED, 0, 1, 0, NULL},
	{"xrc_read", G_XRC_READ, DVX_SIGNALED | DVX_FENCE, 0, 2, 0, NULL},
	{"eth_multi", G_ETH_MULTI, 0, 0, 4, 0, NULL},
	{"eth_vlan", G_ETH_VLAN, 0, 0, 1, 0, NULL},
	/* inline_len: the index */
	{"wait", G_WAIT, 0, 0x2000, 0, 0, NULL},
	{"send_enable", G_SEND_EN, DVX_SIGNALED, 0x4000, 0, 0, NULL},
	{"recv_enable", G_RECV_EN, DVX_FENCE, 3, 0, 0, NULL},
	{"rule", G_RULE, DVX_SIGNALED, 0, 0, 0, NULL},
	{"rule_fenced", G_RULE, DVX_SIGNALED | DVX_SMALL_FENCE, 0, 1, 0, NULL},
	{"rule_del", G_RULE_DEL, DVX_SIGNALED, 0, 0, 0, NULL},
	{"rule_fdb_tx", G_RULE, 0, 0, 2, 0, NULL},
	{"rule_fdb_rx", G_RULE, DVX_SIGNALED, 0, 3, 0, NULL},
	{"rule_at", G_RULE_AT, 0, 0, 4, 0, NULL},
	/* a device that wants layer 2 in the WQE */
	{"eth_l2", G_ETH, DVX_SIGNALED, 0, 1, DVX_ETH_HEADER, NULL},
	{"eth_l2_three", G_ETH, 0, 0, 3, DVX_ETH_HEADER, NULL},
	{"eth_l2_inline", G_ETH, DVX_SIGNALED, 60, 0, DVX_ETH_HEADER, NULL},
	{"eth_l2_inline_long", G_ETH, 0, 190, 0, DVX_ETH_HEADER, NULL},
};

const size_t golden_count = sizeof(golden_cases) / sizeof(golden_cases[0]);
_Static_assert(sizeof(golden_cases) / sizeof(golden_cases[0]) <= GOLDEN_CASES, "GOLDEN_CASES");

const uint8_t golden_group[16] = {0xff, 0x0e, [15] = 9};

struct dvx_ah golden_ah(uint32_t udp_sport)
{
	struct dvx_ah ah = {{0}};
	void *av = ah.av;

	prm_av_set_qkey(av, GOLDEN_Q_KEY);
	prm_av_set_ext(av, 1);
	prm_av_set_dqp_dct(av, GOLDEN_QPN);
	prm_av_set_sl(av, GOLDEN_SL << 1);
	prm_av_set_udp_sport(av, udp_sport);
	prm_av_set_rmac(av, GOLDEN_MAC);
	prm_av_set_tclass(av, GOLDEN_TCLASS);
	prm_av_set_hop_limit(av, GOLDEN_HOPS);
	prm_av_set_src_addr_index(av, 1);
	memcpy(prm_av_at_rgid(av), golden_group, sizeof(golden_group));
	return ah;
}

struct ring {
	struct dvx_sq sq;
	struct dvx_sq_slot slots[GOLDEN_BLOCKS];
	uint64_t wr_ids[GOLDEN_BLOCKS];
	_Alignas(64) uint8_t buf[GOLDEN_BYTES];
	uint64_t reg[64];
	uint32_t dbrec[2];
};

const uint8_t *golden_frame(void)
{
	static uint8_t *frame;

	if (frame)
		return frame;
	frame = mmap((void *)GOLDEN_FRAME, 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_true((uintptr_t)frame == GOLDEN_FRAME);
	memcpy(frame, golden_payload, sizeof(golden_payload));
	return frame;
}

static int post_eth(struct dvx_sq *sq, const struct golden_case *c)
{
	const uint8_t *frame = golden_frame();
	struct dvx_sge sge[4];

	if (c->inline_len)
		return dvx_post_eth_inline(sq, frame, c->header, frame + c->header,
					   c->inline_len - c->header, 1, c->flags);
	memcpy(sge, golden_pieces, sizeof(sge));
	sge[0].addr = GOLDEN_FRAME + c->header;
	sge[0].length = GOLDEN_FIRST - c->header;
	return dvx_post_eth(sq, frame, c->header, sge, c->n, 1, c->flags);
}

static int post_tso(struct dvx_sq *sq, const struct golden_case *c)
{
	return dvx_post_eth_tso(sq, golden_frame(), c->header, GOLDEN_MSS, golden_pieces, c->n, 1,
				c->flags);
}

/* Requests that say where they go; key: the source port of their packets. */
static int post_to(struct dvx_sq *sq, const struct golden_case *c)
{
	struct dvx_ah ah = golden_ah(sq->mmo_lkey);
	const struct dvx_sge *sge = golden_pieces;
	uint32_t n = c->n, len = c->inline_len;

	dvx_ah_set_dct(&ah, GOLDEN_QPN, GOLDEN_DC_KEY);
	switch (c->kind) {
	case G_DC_SEND:
		return len ? dvx_post_dc_send_inline(sq, &ah, 0, golden_payload, len, 1, c->flags)
			   : dvx_post_dc_send(sq, &ah, 0, sge, n, 1, c->flags);
	case G_DC_WRITE:
		return dvx_post_dc_write(sq, &ah, 0, GOLDEN_RADDR, GOLDEN_RKEY, sge, n, 1,
					 c->flags);
	case G_DC_READ:
		return dvx_post_dc_read(sq, &ah, 0, GOLDEN_RADDR, GOLDEN_RKEY, sge, n, 1, c->flags);
	case G_DC_CAS:
		return dvx_post_dc_cas(sq, &ah, 0, GOLDEN_RADDR, GOLDEN_RKEY, GOLDEN_COMPARE,
				       GOLDEN_SWAP, (uint64_t *)sge->addr, sge->lkey, 1, c->flags);
	case G_DC_FAA:
		return dvx_post_dc_faa(sq, &ah, 0, GOLDEN_RADDR, GOLDEN_RKEY, GOLDEN_COMPARE,
				       (uint64_t *)sge->addr, sge->lkey, 1, c->flags);
	case G_XRC_READ:
		return dvx_post_xrc_read(sq, GOLDEN_SRQN, GOLDEN_RADDR, GOLDEN_RKEY, sge, n, 1,
					 c->flags);
	case G_XRC_SEND:
		return len ? dvx_post_xrc_send_inline(sq, GOLDEN_SRQN, golden_payload, len, 1,
						      c->flags)
			   : dvx_post_xrc_send(sq, GOLDEN_SRQN, sge, n, 1, c->flags);
	default:
		return dvx_post_xrc_write(sq, GOLDEN_SRQN, GOLDEN_RADDR, GOLDEN_RKEY, sge, n, 1,
					  c->flags);
	}
}

static int post(struct dvx_sq *sq, const struct golden_case *c)
{
	const struct dvx_sge *sge = golden_pieces;
	const uint8_t *data = golden_payload;
	uint32_t n = c->n, len = c->inline_len;
	struct dvx_ah ah;

	switch (c->kind) {
	case G_SEND:
		return len ? dvx_post_send_inline(sq, data, len, 1, c->flags)
			   : dvx_post_send(sq, sge, n, 1, c->flags);
	case G_SEND_IMM:
		return len ? dvx_post_send_imm_inline(sq, GOLDEN_IMM, data, len, 1, c->flags)
			   : dvx_post_send_imm(sq, GOLDEN_IMM, sge, n, 1, c->flags);
	case G_WRITE:
		return len ? dvx_post_write_inline(sq, GOLDEN_RADDR, GOLDEN_RKEY, data, len, 1,
						   c->flags)
			   : dvx_post_write(sq, GOLDEN_RADDR, GOLDEN_RKEY, sge, n, 1, c->flags);
	case G_WRITE_IMM:
		return len ? dvx_post_write_imm_inline(sq, GOLDEN_IMM, GOLDEN_RADDR, GOLDEN_RKEY,
						       data, len, 1, c->flags)
			   : dvx_post_write_imm(sq, GOLDEN_IMM, GOLDEN_RADDR, GOLDEN_RKEY, sge, n,
						1, c->flags);
	case G_SEND_INVAL:
		return len ? dvx_post_send_inval_inline(sq, GOLDEN_RKEY, data, len, 1, c->flags)
			   : dvx_post_send_inval(sq, GOLDEN_RKEY, sge, n, 1, c->flags);
	case G_CAS:
		return dvx_post_cas(sq, GOLDEN_RADDR, GOLDEN_RKEY, GOLDEN_COMPARE, GOLDEN_SWAP,
				    (uint64_t *)golden_pieces[0].addr, golden_pieces[0].lkey, 1,
				    c->flags);
	case G_FAA:
		return dvx_post_faa(sq, GOLDEN_RADDR, GOLDEN_RKEY, GOLDEN_COMPARE,
				    (uint64_t *)golden_pieces[0].addr, golden_pieces[0].lkey, 1,
				    c->flags);
	case G_UMR_LIST:
		return dvx_post_umr_list(sq, sq->mmo_lkey,
					 DVX_LOCAL_WRITE | DVX_REMOTE_READ | DVX_REMOTE_ATOMIC, sge,
					 n, 1, c->flags);
	case G_UMR_STRIDES:
		return dvx_post_umr_strides(sq, sq->mmo_lkey, DVX_LOCAL_WRITE | DVX_REMOTE_WRITE,
					    GOLDEN_ROWS, golden_columns, n, 1, c->flags);
	case G_BIND:
		return dvx_post_bind(sq, sq->mmo_lkey, dvx_key_next(sq->mmo_lkey),
				     DVX_REMOTE_WRITE | DVX_REMOTE_ATOMIC, sge, sge->addr, 1,
				     c->flags);
	case G_UNBIND:
		return dvx_post_unbind(sq, GOLDEN_RKEY, 1, c->flags);
	case G_UD_SEND:
		ah = golden_ah(sq->mmo_lkey);
		return len ? dvx_post_ud_send_inline(sq, &ah, data, len, 1, c->flags)
			   : dvx_post_ud_send(sq, &ah, sge, n, 1, c->flags);
	case G_UD_SEND_IMM:
		ah = golden_ah(sq->mmo_lkey);
		return len ? dvx_post_ud_send_imm_inline(sq, &ah, GOLDEN_IMM, data, len, 1,
							 c->flags)
			   : dvx_post_ud_send_imm(sq, &ah, GOLDEN_IMM, sge, n, 1, c->flags);
	case G_READ:
		return dvx_post_read(sq, GOLDEN_RADDR, GOLDEN_RKEY, sge, n, 1, c->flags);
	case G_DMA:
		return dvx_post_dma(sq, GOLDEN_DMA_DST, sge[0].lkey, GOLDEN_DMA_SRC, sge[1].lkey,
				    GOLDEN_DMA_LEN, 1, c->flags);
	case G_ETH:
		return post_eth(sq, c);
	case G_TSO:
		return post_tso(sq, c);
	case G_DC_SEND:
	case G_DC_WRITE:
	case G_DC_READ:
	case G_DC_CAS:
	case G_DC_FAA:
	case G_XRC_SEND:
	case G_XRC_WRITE:
	case G_XRC_READ:
		return post_to(sq, c);
	default:
		return dvx_post_nop(sq, 1, c->flags);
	}
}

static void receive(const struct golden_case *c, struct ring *r, struct golden_wqe *out)
{
	struct dvx_rq rq;
	struct dvx_rq_memory m = {.size = sizeof(m),
				  .entries = 4,
				  .buf = r->buf,
				  .wr_ids = r->wr_ids,
				  .dbrec = r->dbrec,
				  .stride = 64};

	assert_int_equal(dvx_rq_init(&rq, &m), 0);
	assert_int_equal(dvx_rq_post(&rq, golden_pieces, c->n, 1), 0);
	/* Pieces up to the one that ends the list, if there is one. */
	out->len = DVX_SEG * (c->n < 4 ? c->n + 1 : 4);
	memcpy(out->bytes, r->buf, out->len);
}

/* With the link to the next entry before it. */
static void receive_shared(const struct golden_case *c, struct ring *r, struct golden_wqe *out)
{
	struct dvx_srq srq;
	struct dvx_srq_memory m = {.size = sizeof(m),
				   .entries = 4,
				   .buf = r->buf,
				   .wr_ids = r->wr_ids,
				   .dbrec = r->dbrec,
				   .stride = 64};

	assert_int_equal(dvx_srq_init(&srq, &m), 0);
	assert_int_equal(dvx_srq_post(&srq, golden_pieces, c->n, 1), 0);
	out->len = DVX_SEG * (1 + (c->n < 3 ? c->n + 1 : 3));
	memcpy(out->bytes, r->buf, out->len);
}

bool golden_signs(const struct golden_case *c)
{
	return c->sig && (c->sig->sig.memory.type || c->sig->sig.wire.type);
}

static int post_sig(struct dvx_sq *sq, const struct golden_case *c, const struct golden_given *g)
{
	struct dvx_sig_key key = {.key = g->key,
				  .psv = {g->psv[0], g->psv[1]},
				  .signs = golden_signs(c),
				  .encrypts = c->sig->crypt.data_unit != 0,
				  .unanswered = golden_signs(c),
				  .errors = 1};
	struct dvx_crypt crypt = c->sig->crypt;

	crypt.dek = g->dek;
	return dvx_post_umr_sig(sq, &key, DVX_LOCAL_WRITE | DVX_REMOTE_READ, golden_pieces, c->n,
				key.signs ? &c->sig->sig : NULL, key.encrypts ? &crypt : NULL, 1,
				c->flags);
}

bool golden_of_dpdk(enum golden_kind kind)
{
	return kind == G_ETH_MULTI || kind == G_ETH_VLAN || kind >= G_WAIT;
}

static int post_given(struct dvx_sq *sq, const struct golden_case *c, const struct golden_given *g)
{
	switch (c->kind) {
	case G_SIG:
		return post_sig(sq, c, g);
	case G_ETH_MULTI:
		return dvx_post_eth_multi(sq, g->packets, c->n, 1, c->flags);
	case G_ETH_VLAN:
		return dvx_post_eth_vlan(sq, GOLDEN_TCI, g->packets, c->n, 1, c->flags);
	case G_WAIT:
		return dvx_post_wait(sq, GOLDEN_CQN, c->inline_len, 1, c->flags);
	case G_SEND_EN:
		return dvx_post_send_enable(sq, GOLDEN_MANAGED, c->inline_len, 1, c->flags);
	case G_RECV_EN:
		return dvx_post_recv_enable(sq, GOLDEN_MANAGED, c->inline_len, 1, c->flags);
	default:
		return c->kind >= G_RULE ? golden_post_rule(sq, c) : post(sq, c);
	}
}

void golden_dvx(const struct golden_case *c, const struct golden_given *g, struct golden_wqe *out)
{
	struct ring r;
	struct dvx_sq_memory m = {.size = sizeof(m),
				  .blocks = GOLDEN_BLOCKS,
				  .buf = r.buf,
				  .slots = r.slots,
				  .dbrec = r.dbrec,
				  .reg = r.reg,
				  .qpn = g->qpn};

	memset(&r, 0, sizeof(r));
	memset(out, 0, sizeof(*out));
	if (c->kind == G_RECV || c->kind == G_SRQ_RECV) {
		(c->kind == G_RECV ? receive : receive_shared)(c, &r, out);
		return;
	}
	assert_int_equal(dvx_sq_init(&r.sq, &m), 0);
	r.sq.mmo_lkey = g->key;
	r.sq.mmo_addr = g->mmo_addr;
	assert_int_equal(post_given(&r.sq, c, g), 0);
	out->len =
		c->kind == G_SIG ? r.sq.pi * DVX_BLOCK : DVX_SEG * prm_wqe_ctrl_seg_get_ds(r.buf);
	memcpy(out->bytes, r.buf, out->len);
}

/* The numbers that the descriptions behind a UMR's list have. */
static void given_of_sig(const struct golden_case *c, const uint8_t *wqe, struct golden_given *g)
{
	const uint8_t *bsf = wqe + (DVX_UMR_DS + dvx_umr_room(c->n)) * DVX_SEG;

	if (golden_signs(c)) {
		g->psv[0] = prm_bsf_get_m_psv(bsf);
		g->psv[1] = prm_bsf_get_w_psv(bsf);
		bsf += PRM_BSF_BYTES;
	}
	if (c->sig->crypt.data_unit)
		g->dek = prm_crypto_bsf_get_dek_ptr(bsf);
}

/* Both segments are as long as ours; then its packets. */
static void given_of_dpdk(const struct golden_case *c, const uint8_t *wqe, struct golden_given *g)
{
	const uint8_t *seg = wqe + 2 * DVX_SEG;

	for (uint32_t i = 0; i < c->n; i++, seg += DVX_SEG)
		g->packets[i] = (struct dvx_sge){prm_wqe_data_seg_get_addr(seg),
						 prm_wqe_data_seg_get_byte_count(seg),
						 prm_wqe_data_seg_get_lkey(seg)};
}

void golden_dvx_like(const struct golden_case *c, const struct golden_wqe *theirs,
		     struct golden_wqe *out)
{
	const uint8_t *meta = theirs->bytes + DVX_SEG;
	struct golden_given g = {.qpn = prm_wqe_ctrl_seg_get_qpn(theirs->bytes)};

	switch (c->kind) {
	case G_SIG:
		given_of_sig(c, theirs->bytes, &g);
		/* fallthrough */
	case G_UMR_LIST:
	case G_UMR_STRIDES:
	case G_BIND:
		g.key = prm_wqe_ctrl_seg_get_umr_mkey(theirs->bytes);
		break;
	case G_UD_SEND:
	case G_UD_SEND_IMM:
	case G_DC_SEND:
	case G_DC_WRITE:
	case G_DC_READ:
	case G_DC_CAS:
	case G_DC_FAA:
		g.key = prm_av_get_udp_sport(meta);
		break;
	case G_DMA:
		g.key = prm_mmo_metadata_seg_get_local_key(meta);
		g.mmo_addr = prm_mmo_metadata_seg_get_local_address(meta);
		break;
	case G_ETH_MULTI:
	case G_ETH_VLAN:
		given_of_dpdk(c, theirs->bytes, &g);
		break;
	default:
		break;
	}
	golden_dvx(c, &g, out);
	/* DPDK wants the first error only: which errors make a CQE is no part of the request. */
	if (golden_of_dpdk(c->kind) &&
	    prm_wqe_ctrl_seg_get_ce(theirs->bytes) == PRM_WQE_CE_ON_FIRST_ERROR)
		prm_wqe_ctrl_seg_set_ce(out->bytes, PRM_WQE_CE_ON_FIRST_ERROR);
}

static void show(const char *who, const struct golden_wqe *w)
{
	char line[512];
	size_t i;

	prm_print_line(line, sizeof(line), prm_find_struct("wqe_ctrl_seg"), w->bytes, DVX_SEG);
	print_message("# %s: %zu bytes; %s\n", who, w->len, line);
	for (i = 0; i < w->len; i += 4)
		print_message("%s%08x",
			      i % 16 ? " "
			      : i    ? "\n#   "
				     : "#   ",
			      prm_load32(w->bytes, i));
	print_message("\n");
}

void golden_compare(const char *name, const struct golden_wqe *theirs,
		    const struct golden_wqe *ours)
{
	if (theirs->len == ours->len && !memcmp(theirs->bytes, ours->bytes, ours->len))
		return;
	show("libmlx5", theirs);
	show("libdvx ", ours);
	fail_msg("%s: the WQEs differ", name);
}

int golden_read(const char *path, struct golden_wqe *out)
{
	FILE *f = fopen(path, "re");
	char line[256], *p;
	unsigned int byte;
	int used;

	memset(out, 0, sizeof(*out));
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || !(p = strchr(line, ':')))
			continue;
		for (p++; out->len < GOLDEN_BYTES && sscanf(p, "%2x%n", &byte, &used) == 1;
		     p += used)
			out->bytes[out->len++] = (uint8_t)byte;
	}
	fclose(f);
	return out->len ? 0 : -1;
}

int golden_write(const char *path, const char *source, const struct golden_wqe *w)
{
	FILE *f = fopen(path, "we");
	size_t i;

	if (!f)
		return -1;
	fprintf(f, "# SPDX-License-Identifier: BSD-2-Clause\n# source: %s\n", source);
	for (i = 0; i < w->len; i++) {
		if (i % 16 == 0)
			fprintf(f, "%s%08zx:", i ? "\n" : "", i);
		fprintf(f, " %02x", w->bytes[i]);
	}
	fprintf(f, "\n");
	return fclose(f);
}
