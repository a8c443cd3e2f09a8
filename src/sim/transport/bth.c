/* SPDX-License-Identifier: BSD-2-Clause */
#include "bth.h"

const struct bth_row bth_rows[BTH_OPS] = {
	[BTH_SEND_FIRST] = {.op = OP_SEND, .starts = true},
	[BTH_SEND_MIDDLE] = {.op = OP_SEND},
	[BTH_SEND_LAST] = {.op = OP_SEND, .ends = true},
	[BTH_SEND_LAST_IMM] = {.op = OP_SEND, .ends = true, .imm = true},
	[BTH_SEND_ONLY] = {.op = OP_SEND, .starts = true, .ends = true},
	[BTH_SEND_ONLY_IMM] = {.op = OP_SEND, .starts = true, .ends = true, .imm = true},
	[BTH_WRITE_FIRST] = {.op = OP_WRITE, .starts = true, .reth = true},
	[BTH_WRITE_MIDDLE] = {.op = OP_WRITE},
	[BTH_WRITE_LAST] = {.op = OP_WRITE, .ends = true},
	[BTH_WRITE_LAST_IMM] = {.op = OP_WRITE, .ends = true, .imm = true},
	[BTH_WRITE_ONLY] = {.op = OP_WRITE, .starts = true, .ends = true, .reth = true},
	[BTH_WRITE_ONLY_IMM] =
		{.op = OP_WRITE, .starts = true, .ends = true, .reth = true, .imm = true},
	[BTH_READ_REQUEST] = {.op = OP_READ_REQUEST, .starts = true, .ends = true, .reth = true},
	[BTH_READ_RESP_FIRST] = {.op = OP_READ_RESP, .starts = true, .aeth = true},
	[BTH_READ_RESP_MIDDLE] = {.op = OP_READ_RESP},
	[BTH_READ_RESP_LAST] = {.op = OP_READ_RESP, .ends = true, .aeth = true},
	[BTH_READ_RESP_ONLY] = {.op = OP_READ_RESP, .starts = true, .ends = true, .aeth = true},
	[BTH_ACKNOWLEDGE] = {.op = OP_ACK, .starts = true, .ends = true, .aeth = true},
	[BTH_ATOMIC_ACK] = {.op = OP_ATOMIC_ACK,
			    .starts = true,
			    .ends = true,
			    .aeth = true,
			    .atomic = ATOMIC_ACK_LEN},
	[BTH_COMPARE_SWAP] = {.op = OP_ATOMIC,
			      .starts = true,
			      .ends = true,
			      .atomic = ATOMIC_ETH_LEN},
	[BTH_FETCH_ADD] = {.op = OP_ATOMIC, .starts = true, .ends = true, .atomic = ATOMIC_ETH_LEN},
	[BTH_SEND_LAST_INV] = {.op = OP_SEND, .ends = true, .imm = true, .inv = true},
	[BTH_SEND_ONLY_INV] =
		{.op = OP_SEND, .starts = true, .ends = true, .imm = true, .inv = true},
	[BTH_DISCONNECT] = {.op = OP_DISCONNECT, .starts = true, .ends = true},
	[BTH_MASKED_CS] = {.op = OP_ATOMIC, .starts = true, .ends = true, .atomic = MASKED_ETH_LEN},
	[BTH_MASKED_FA] = {.op = OP_ATOMIC, .starts = true, .ends = true, .atomic = MASKED_ETH_LEN},
};

#define BTH_RC_KNOWN                                                                       \
	(((2u << BTH_FETCH_ADD) - 1) | 1u << BTH_SEND_LAST_INV | 1u << BTH_SEND_ONLY_INV | \
	 1u << BTH_MASKED_CS | 1u << BTH_MASKED_FA)

/* By transport, a bit for each operation that its packets can have. */
static const uint32_t bth_known[8] = {
	[BTH_RC] = BTH_RC_KNOWN,
	[BTH_XRC] = BTH_RC_KNOWN,
	[BTH_DC] = BTH_RC_KNOWN | 1u << BTH_DISCONNECT,
	[BTH_UC] = (2u << BTH_WRITE_ONLY_IMM) - 1,
	[BTH_UD] = 1u << BTH_SEND_ONLY | 1u << BTH_SEND_ONLY_IMM,
};

static bool bth_is_known(uint8_t opcode)
{
	return bth_known[BTH_TYPE(opcode)] >> opcode % BTH_OPS & 1;
}

static uint64_t get64(const uint8_t *p)
{
	return (uint64_t)bth_get32(p) << 32 | bth_get32(p + 4);
}

static bool bth_has_deth(uint8_t opcode)
{
	return BTH_TYPE(opcode) == BTH_UD;
}

static bool bth_has_dceth(uint8_t opcode)
{
	return BTH_TYPE(opcode) == BTH_DC;
}

bool bth_has_xrceth(uint8_t opcode)
{
	const uint8_t op = bth_row(opcode)->op;

	return BTH_TYPE(opcode) == BTH_XRC &&
	       (op == OP_SEND || op == OP_WRITE || op == OP_READ_REQUEST || op == OP_ATOMIC);
}

static uint32_t bth_transport_bytes(uint8_t opcode)
{
	if (bth_has_xrceth(opcode))
		return XRCETH_LEN;
	return (bth_has_deth(opcode) ? DETH_LEN : 0) + (bth_has_dceth(opcode) ? DCETH_LEN : 0);
}

static const uint8_t *parse_dceth(struct bth_packet *p, const uint8_t *at)
{
	p->dc_key = get64(at);
	p->channel = at[8];
	p->sqpn = bth_get32(at + 8) & 0xffffff;
	p->connection = bth_get32(at + 12);
	return at + DCETH_LEN;
}

static uint8_t *build_dceth(const struct bth_packet *p, uint8_t *at)
{
	bth_put32(at, (uint32_t)(p->dc_key >> 32));
	bth_put32(at + 4, (uint32_t)p->dc_key);
	bth_put32(at + 8, (uint32_t)p->channel << 24 | (p->sqpn & 0xffffff));
	bth_put32(at + 12, p->connection);
	return at + DCETH_LEN;
}

static void parse_extended(struct bth_packet *p, const uint8_t *at, bool reth, bool aeth,
			   uint8_t atomic, bool imm)
{
	if (bth_has_deth(p->opcode)) {
		p->qkey = bth_get32(at);
		p->sqpn = bth_get32(at + 4) & 0xffffff;
		at += DETH_LEN;
	}
	if (bth_has_dceth(p->opcode))
		at = parse_dceth(p, at);
	if (bth_has_xrceth(p->opcode)) {
		p->srqn = bth_get32(at) & 0xffffff;
		at += XRCETH_LEN;
	}
	if (reth) {
		p->va = get64(at);
		p->rkey = bth_get32(at + 8);
		p->dma_len = bth_get32(at + 12);
		at += RETH_LEN;
	}
	if (aeth) {
		p->syndrome = at[0];
		p->msn = bth_get32(at) & PSN_MASK;
		at += AETH_LEN;
	}
	if (atomic) {
		p->atomic = at;
		at += atomic;
	}
	if (imm)
		memcpy(&p->imm, at, IMM_LEN);
}

/* Parses the headers and finds the payload. A burst's AETH belongs to its first or last packet. */
enum drop bth_parse(struct bth_packet *p, const struct roce_packet *r)
{
	const uint8_t *hdr = r->hdr;
	const uint8_t last_opcode = r->npkts == 1 ? hdr[0] : r->last_opcode;
	const struct bth_row *first, *last;
	uint32_t need;
	bool aeth;

	memset(p, 0, sizeof(*p));
	if (!bth_is_known(hdr[0]) || !bth_is_known(last_opcode))
		return DROP_OPCODE;
	first = bth_row(hdr[0]);
	last = bth_row(last_opcode);
	aeth = first->aeth || last->aeth;
	need = BTH_LEN + bth_transport_bytes(hdr[0]) + (first->reth ? RETH_LEN : 0) +
	       (aeth ? AETH_LEN : 0) + first->atomic + (last->imm ? IMM_LEN : 0);
	p->pad = hdr[1] >> 4 & 3;
	if (r->hdr_len < need + (r->data ? 0u : p->pad))
		return DROP_HEADERS;
	if ((bth_get32(hdr) & 0x7fff) != (PKEY_DEFAULT & 0x7fff))
		return DROP_PKEY;
	p->data = r->data ? r->data : hdr + need;
	p->len = r->data ? r->len : r->hdr_len - need - p->pad;
	if (p->pad != (-p->len & 3))
		return DROP_PADCNT;
	p->opcode = hdr[0];
	p->last_opcode = last_opcode;
	p->op = first->op;
	p->starts = first->starts;
	p->ends = last->ends;
	p->solicited = hdr[1] >> 7;
	p->dqpn = bth_get32(hdr + 4) & 0xffffff;
	p->ack_req = hdr[8] >> 7;
	p->psn = bth_get32(hdr + 8) & PSN_MASK;
	p->npkts = r->npkts;
	parse_extended(p, hdr + BTH_LEN, first->reth, aeth, first->atomic, last->imm);
	return DROP_NONE;
}

static uint8_t *build_extended(const struct bth_packet *p, uint8_t *at, bool reth, bool aeth,
			       uint8_t atomic, bool imm)
{
	if (bth_has_deth(p->opcode)) {
		bth_put32(at, p->qkey);
		bth_put32(at + 4, p->sqpn);
		at += DETH_LEN;
	}
	if (bth_has_dceth(p->opcode))
		at = build_dceth(p, at);
	if (bth_has_xrceth(p->opcode)) {
		bth_put32(at, p->srqn & 0xffffff);
		at += XRCETH_LEN;
	}
	if (reth) {
		bth_put32(at, (uint32_t)(p->va >> 32));
		bth_put32(at + 4, (uint32_t)p->va);
		bth_put32(at + 8, p->rkey);
		bth_put32(at + 12, p->dma_len);
		at += RETH_LEN;
	}
	if (aeth) {
		bth_put32(at, (uint32_t)p->syndrome << 24 | (p->msn & PSN_MASK));
		at += AETH_LEN;
	}
	if (atomic)
		at = mempcpy(at, p->atomic, atomic);
	if (imm) {
		memcpy(at, &p->imm, IMM_LEN);
		at += IMM_LEN;
	}
	return at;
}

void bth_build(const struct bth_packet *p, struct frame *f)
{
	const struct bth_row *first = bth_row(p->opcode);
	const struct bth_row *last = bth_row(p->last_opcode);
	uint8_t *end;

	bth_put32(f->burst.hdr, (uint32_t)p->opcode << 24 | (p->solicited ? 1u << 23 : 0) |
					1u << 22 | (-f->len & 3) << 20 | PKEY_DEFAULT);
	bth_put32(f->burst.hdr + 4, p->dqpn & 0xffffff);
	bth_put32(f->burst.hdr + 8, (p->ack_req ? 1u << 31 : 0) | (p->psn & PSN_MASK));
	end = build_extended(p, f->burst.hdr + BTH_LEN, first->reth, first->aeth || last->aeth,
			     first->atomic, last->imm);
	f->burst.hdr_len = (uint16_t)(end - f->burst.hdr);
	f->burst.last_opcode = p->last_opcode;
	f->burst.npkts = (uint16_t)p->npkts;
}
