/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Send queues of raw packets: a WQE is a control segment, an Ethernet segment that may hold the
 * first headers, and data. What it makes goes to the function's TX tables.
 */
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/wqe.h>
#include "csum.h"
#include "priv.h"
#include "base/log.h"
#include "steer/steer.h"

#define DS	       16u
#define INLINE_AT      14u /* in the Ethernet segment */
#define INSERT_VLAN    0x8000u
#define VLAN_BYTES     4u
#define VLAN_AT	       12u
#define TPID_CUSTOMER  0x8100u
#define TPID_SERVICE   0x88a8u
#define INNER_CSUM     (PRM_ETH_CS_FLAG_L3_INNER_CSUM | PRM_ETH_CS_FLAG_L4_INNER_CSUM)

struct raw_wqe {
	const uint8_t *eth;
	const uint8_t *segs, *end;
	uint32_t inl; /* bytes of headers in the Ethernet segment */
	uint32_t len; /* all bytes, before a tag is inserted */
	bool vlan;
};

static void fail(const struct qp *qp, struct send_wr *wr, uint8_t syndrome, uint8_t vendor,
		 const char *why)
{
	sim_refuse("sq 0x%x: send WQE %u: %s", qp->o.id, wr->index, why);
	wr->error = syndrome;
	wr->vendor = vendor;
}

static void refuse(const struct qp *qp, struct send_wr *wr, const char *why)
{
	fail(qp, wr, PRM_SYNDROME_LOCAL_QP_OP_ERR, VENDOR_SEGMENT, why);
}

static bool parse_eth(const struct qp *qp, struct send_wr *wr, struct raw_wqe *w)
{
	uint32_t sz = prm_wqe_eth_seg_get_inline_hdr_sz(wr->wqe + DS), seg;

	w->eth = wr->wqe + DS;
	w->end = wr->wqe + wr->ds * DS;
	w->vlan = sz & INSERT_VLAN;
	w->inl = w->vlan ? 0 : sz;
	seg = (INLINE_AT + w->inl + DS - 1) & ~(DS - 1);
	if (w->vlan && sz != INSERT_VLAN)
		refuse(qp, wr, "insert_type asks for more than a VLAN tag");
	else if (prm_wqe_eth_seg_get_mss(w->eth))
		refuse(qp, wr, "mss is set in a SEND: only a large send is cut");
	else if (prm_wqe_eth_seg_get_cs_flags(w->eth) & INNER_CSUM)
		refuse(qp, wr, "cs_flags asks for inner checksums, but no cap.tunnel_* is set");
	else if (seg > (uint32_t)(w->end - w->eth))
		refuse(qp, wr, "inline_hdr_sz runs past ds");
	w->segs = w->eth + (wr->error ? 0 : seg);
	return !wr->error;
}

static void trace_wqe(const struct qp *qp, const struct send_wr *wr, const struct raw_wqe *w)
{
	const uint8_t *p, *next;
	struct data_seg s;

	sim_trace("wqe", "wqe_eth_seg", w->eth, PRM_WQE_ETH_SEG_BYTES, "qp 0x%x sq %u", qp->o.id,
		  wr->index);
	for (p = w->segs; p < w->end && (next = data_seg_next(p, w->end, &s)); p = next)
		sim_trace("wqe", s.inl ? "wqe_inline_seg" : "wqe_data_seg", p,
			  s.inl ? PRM_WQE_INLINE_SEG_BYTES : PRM_WQE_DATA_SEG_BYTES,
			  "qp 0x%x sq %u", qp->o.id, wr->index);
}

static bool measure(const struct qp *qp, struct send_wr *wr, struct raw_wqe *w)
{
	uint64_t len = w->inl;
	const uint8_t *p, *next;
	struct data_seg s;

	for (p = w->segs; p < w->end; p = next) {
		next = data_seg_next(p, w->end, &s);
		if (!next) {
			refuse(qp, wr, "an inline segment's byte_count runs past ds");
			return false;
		}
		len += s.len;
	}
	if (len < VHCA_FRAME_MIN || len + (w->vlan ? VLAN_BYTES : 0) > VHCA_FRAME_MAX) {
		fail(qp, wr, PRM_SYNDROME_LOCAL_LENGTH_ERR, 0,
		     len < VHCA_FRAME_MIN ? "the packet is shorter than an Ethernet header" :
					    "the packet is longer than the port takes");
		return false;
	}
	w->len = (uint32_t)len;
	return true;
}

static void insert_vlan(struct packet *p, const uint8_t *eth)
{
	bool service = prm_wqe_eth_seg_get_cs_flags(eth) & PRM_ETH_CS_FLAG_SVLAN;
	uint32_t tpid = service ? TPID_SERVICE : TPID_CUSTOMER;

	p->data -= VLAN_BYTES;
	p->len += VLAN_BYTES;
	p->headroom -= VLAN_BYTES;
	memmove(p->data, p->data + VLAN_BYTES, VLAN_AT);
	prm_store16(p->data, VLAN_AT, (uint16_t)tpid);
	prm_store16(p->data, VLAN_AT + 2, (uint16_t)prm_wqe_eth_seg_get_vlan_tci(eth));
}

/* Headers that sqc.min_wqe_inline_mode wants in the WQE itself. */
static uint32_t must_inline(const struct qp *qp, const struct packet_headers *h)
{
	if (qp->min_inline == PRM_INLINE_MODE_NONE)
		return 0;
	if (qp->min_inline == PRM_INLINE_MODE_L2 || !h->l3)
		return VHCA_FRAME_MIN;
	if (qp->min_inline == PRM_INLINE_MODE_IP)
		return h->l4 ? h->l4 : h->end;
	return h->end;
}

static bool fill(struct qp *qp, struct send_wr *wr, const struct raw_wqe *w, struct packet *p)
{
	memcpy(p->data, w->eth + INLINE_AT, w->inl);
	wr->error = segs_gather(qp, w->segs, w->end, 0, w->len - w->inl, p->data + w->inl);
	if (wr->error)
		return false;
	packet_parse_headers(p);
	if (must_inline(qp, &p->outer) > w->inl)
		refuse(qp, wr, "fewer headers are inline than sqc.min_wqe_inline_mode says");
	return !wr->error;
}

static void offload(const struct raw_wqe *w, struct packet *p)
{
	uint32_t cs = prm_wqe_eth_seg_get_cs_flags(w->eth);

	if (cs & PRM_ETH_CS_FLAG_L3_CSUM)
		csum_fill_l3(p, &p->outer);
	if (cs & PRM_ETH_CS_FLAG_L4_CSUM)
		csum_fill_l4(p, &p->outer);
	if (w->vlan)
		insert_vlan(p, w->eth);
	if (cs || w->vlan)
		packet_parse_headers(p);
}

static void transmit(struct qp *qp, struct send_wr *wr)
{
	uint8_t buf[STEER_HEADROOM + VHCA_FRAME_MAX + STEER_HEADROOM];
	struct packet p = {
		.data = buf + STEER_HEADROOM,
		.headroom = STEER_HEADROOM,
		.source_vhca = qp->o.vhca->id,
		.source_sqn = qp->o.id,
	};
	struct raw_wqe w;

	if (!parse_eth(qp, wr, &w))
		return;
	if (sim_tracing)
		trace_wqe(qp, wr, &w);
	if (!measure(qp, wr, &w))
		return;
	p.len = w.len;
	p.tailroom = (uint32_t)sizeof(buf) - STEER_HEADROOM - w.len;
	p.reg_a = prm_wqe_eth_seg_get_flow_table_metadata(w.eth);
	if (!fill(qp, wr, &w, &p))
		return;
	offload(&w, &p);
	qp->o.vhca->raw.sent++;
	if (sim_tracing)
		sim_trace("tx", NULL, NULL, 0, "sq 0x%x -> TX tables: a packet of %u bytes",
			  qp->o.id, p.len);
	steer_tx(qp->o.vhca, &p);
}

void raw_send(struct qp *qp, struct send_wr *wr)
{
	if (!wr->error && wr->opcode == PRM_WQE_OPCODE_SEND)
		transmit(qp, wr);
	if (wr->error)
		sq_failed(qp, wr, wr->error, wr->vendor);
	else
		sq_done(qp, wr);
}

bool raw_room(const struct qp *qp)
{
	const struct dp *dp = dp_of(&qp->o);

	return !dp->port_room || dp->port_room(dp->port);
}

void dp_set_port(struct silicon *si, bool (*room)(void *), void *port)
{
	si->dp->port_room = room;
	si->dp->port = port;
}
