/* SPDX-License-Identifier: BSD-2-Clause */
#include "packet.h"

const struct opcode_row rc_opcodes[RC_OPCODES] = {
	[RC_SEND_FIRST] = { .op = OP_SEND, .starts = true },
	[RC_SEND_MIDDLE] = { .op = OP_SEND },
	[RC_SEND_LAST] = { .op = OP_SEND, .ends = true },
	[RC_SEND_LAST_IMM] = { .op = OP_SEND, .ends = true, .imm = true },
	[RC_SEND_ONLY] = { .op = OP_SEND, .starts = true, .ends = true },
	[RC_SEND_ONLY_IMM] = { .op = OP_SEND, .starts = true, .ends = true, .imm = true },
	[RC_WRITE_FIRST] = { .op = OP_WRITE, .starts = true, .reth = true },
	[RC_WRITE_MIDDLE] = { .op = OP_WRITE },
	[RC_WRITE_LAST] = { .op = OP_WRITE, .ends = true },
	[RC_WRITE_LAST_IMM] = { .op = OP_WRITE, .ends = true, .imm = true },
	[RC_WRITE_ONLY] = { .op = OP_WRITE, .starts = true, .ends = true, .reth = true },
	[RC_WRITE_ONLY_IMM] = { .op = OP_WRITE, .starts = true, .ends = true, .reth = true,
				.imm = true },
	[RC_READ_REQUEST] = { .op = OP_READ_REQUEST, .starts = true, .ends = true, .reth = true },
	[RC_READ_RESP_FIRST] = { .op = OP_READ_RESP, .starts = true, .aeth = true },
	[RC_READ_RESP_MIDDLE] = { .op = OP_READ_RESP },
	[RC_READ_RESP_LAST] = { .op = OP_READ_RESP, .ends = true, .aeth = true },
	[RC_READ_RESP_ONLY] = { .op = OP_READ_RESP, .starts = true, .ends = true, .aeth = true },
	[RC_ACKNOWLEDGE] = { .op = OP_ACK, .starts = true, .ends = true, .aeth = true },
};

static uint64_t get64(const uint8_t *p)
{
	return (uint64_t)packet_get32(p) << 32 | packet_get32(p + 4);
}

static void parse_extended(struct packet *p, const uint8_t *at, bool reth, bool aeth, bool imm)
{
	if (reth) {
		p->va = get64(at);
		p->rkey = packet_get32(at + 8);
		p->dma_len = packet_get32(at + 12);
		at += RETH_LEN;
	}
	if (aeth) {
		p->syndrome = at[0];
		p->msn = packet_get32(at) & PSN_MASK;
		at += AETH_LEN;
	}
	if (imm)
		memcpy(&p->imm, at, IMM_LEN);
}

/* A burst's AETH is its first or last packet's; both say the same. */
bool packet_parse(struct packet *p, const struct frame *f, const char **why)
{
	const struct opcode_row *first, *last;
	bool aeth;
	size_t need;

	memset(p, 0, sizeof(*p));
	*why = "BTH.opcode is not an RC opcode of this device";
	if (f->hdr_len < BTH_LEN || f->hdr[0] >= RC_OPCODES || f->last_opcode >= RC_OPCODES)
		return false;
	first = &rc_opcodes[f->hdr[0]];
	last = f->npkts == 1 ? first : &rc_opcodes[f->last_opcode];
	aeth = first->aeth || last->aeth;
	need = BTH_LEN + (first->reth ? RETH_LEN : 0) + (aeth ? AETH_LEN : 0) +
	       (last->imm ? IMM_LEN : 0);
	*why = "the headers end too early";
	if (f->hdr_len < need)
		return false;
	*why = "BTH.pkey is not the default partition";
	if ((packet_get32(f->hdr) & 0x7fff) != (PKEY_DEFAULT & 0x7fff))
		return false;
	*why = "BTH.padcnt does not fit the payload";
	p->pad = f->hdr[1] >> 4 & 3;
	if (p->pad != (-f->len & 3))
		return false;
	p->opcode = f->hdr[0];
	p->last_opcode = f->npkts == 1 ? f->hdr[0] : f->last_opcode;
	p->op = first->op;
	p->starts = first->starts;
	p->ends = last->ends;
	p->solicited = f->hdr[1] >> 7;
	p->dqpn = packet_get32(f->hdr + 4) & 0xffffff;
	p->ack_req = f->hdr[8] >> 7;
	p->psn = packet_get32(f->hdr + 8) & PSN_MASK;
	p->npkts = f->npkts;
	p->data = f->data;
	p->len = f->len;
	parse_extended(p, f->hdr + BTH_LEN, first->reth, aeth, last->imm);
	return true;
}

static uint8_t *build_extended(const struct packet *p, uint8_t *at, bool reth, bool aeth, bool imm)
{
	if (reth) {
		packet_put32(at, (uint32_t)(p->va >> 32));
		packet_put32(at + 4, (uint32_t)p->va);
		packet_put32(at + 8, p->rkey);
		packet_put32(at + 12, p->dma_len);
		at += RETH_LEN;
	}
	if (aeth) {
		packet_put32(at, (uint32_t)p->syndrome << 24 | (p->msn & PSN_MASK));
		at += AETH_LEN;
	}
	if (imm) {
		memcpy(at, &p->imm, IMM_LEN);
		at += IMM_LEN;
	}
	return at;
}

void packet_build(const struct packet *p, struct frame *f)
{
	const struct opcode_row *first = &rc_opcodes[p->opcode];
	const struct opcode_row *last = &rc_opcodes[p->last_opcode];
	uint8_t *end;

	packet_put32(f->hdr, (uint32_t)p->opcode << 24 | (p->solicited ? 1u << 23 : 0) | 1u << 22 |
				     (-f->len & 3) << 20 | PKEY_DEFAULT);
	packet_put32(f->hdr + 4, p->dqpn & 0xffffff);
	packet_put32(f->hdr + 8, (p->ack_req ? 1u << 31 : 0) | (p->psn & PSN_MASK));
	end = build_extended(p, f->hdr + BTH_LEN, first->reth, first->aeth || last->aeth,
			     last->imm);
	f->hdr_len = (uint16_t)(end - f->hdr);
	f->last_opcode = p->last_opcode;
	f->npkts = (uint16_t)p->npkts;
}
