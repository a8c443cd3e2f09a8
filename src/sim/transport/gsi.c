/* SPDX-License-Identifier: BSD-2-Clause */
#include "gsi.h"

#include <string.h>
#include "base/probe.h"
#include "bth.h"
#include "obj/device.h"
#include "obj/queue.h"
#include "roce_port.h"
#include "transport.h"

#define GSI_QKEY 0x80010000u /* IBTA vol. 1, 10.2.5 */

void gsi_send(struct roce_path *path, const uint8_t mad[GSI_BYTES])
{
	struct vhca *v = path->from;
	const uint8_t opcode = BTH_UD << 5 | BTH_SEND_ONLY;
	const struct bth_packet p = {
		.opcode = opcode,
		.last_opcode = opcode,
		.npkts = 1,
		.psn = v->gsi_psn++ & PSN_MASK,
		.dqpn = GSI_QPN,
		.sqpn = GSI_QPN,
		.qkey = GSI_QKEY,
	};
	struct frame *f = roce_port_frame(path, GSI_BYTES, GSI_BYTES);

	if (!f)
		return;
	memcpy(f->data, mad, GSI_BYTES);
	bth_build(&p, f);
	probe(PROBE_FRAME_OUT, .frame = {.bth = &p, .mad = mad, .len = GSI_BYTES});
	roce_port_put(path, f, true);
}

enum drop gsi_receive(struct vhca *v, struct bth_packet *p)
{
	if (BTH_TYPE(p->opcode) != BTH_UD)
		return DROP_TRANSPORT;
	if (v->qp1)
		return v->qp1->transport->receive(v->qp1, p);
	if (p->qkey != GSI_QKEY) {
		v->qkey_violations++;
		return DROP_QKEY;
	}
	if (p->len != GSI_BYTES)
		return DROP_MAD;
	if (v->dev->front->mad)
		v->dev->front->mad(v->dev->front_ctx, v, p->roce, p->data);
	return DROP_NONE;
}
