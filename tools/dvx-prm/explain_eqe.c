/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognises events. */
#include "explain.h"

#include <string.h>

enum { EQE = 64 };

static void explain_eqe_score(struct finding *f)
{
	const uint8_t *p = f->d->bytes;
	unsigned int type = (unsigned int)finding_field(f, "eqe", 0, "type");

	if (f->d->len != EQE || !strcmp(prm_event_name(type), "?"))
		return;
	finding_weigh(f, type ? 25 : 5, "type 0x%02x is %s", type, prm_event_name(type));
	if (!all_zero(p + 4, 28) || p[0] || p[2])
		finding_weigh(f, -40, "bytes that events reserve are not 0");
	else
		finding_weigh(f, 25, "byte 0, byte 2 and bytes 4 to 31, reserved in events, are 0");
	finding_weigh(f, p[63] & 0xfe ? -30 : 20, "the last byte has %s the owner bit",
		      p[63] & 0xfe ? "more than" : "at most");
	if (!type && (!all_zero(p + 32, 25) || p[60] || p[61]))
		finding_weigh(f, -40, "a completion event has nothing but the CQ's number");
	if (!all_zero(p + 32, 28))
		finding_weigh(f, 20, "there are event data in bytes 32 to 59");
}

static void finding_add_queue(struct finding *f, unsigned int type)
{
	unsigned int n = (unsigned int)finding_field(f, "eqe", 0, "qp_srq_n");

	if ((type >= 0x01 && type <= 0x03) || type == 0x05 || type == 0x07 || type == 0x10 ||
	    type == 0x11 || type == 0x13)
		finding_add(f, "object", "qp_srq_n", "it is about QP 0x%x", n);
	else if (type == 0x12 || type == 0x14)
		finding_add(f, "object", "qp_srq_n", "it is about SRQ 0x%x", n);
	else if (!type)
		finding_add(f, "object", "cqn", "it is about CQ 0x%x", n);
	else
		return;
	finding_fact(f, type ? "qp_srq_n" : "cqn", n);
}

static void explain_eqe_explain(struct finding *f)
{
	unsigned int type = (unsigned int)finding_field(f, "eqe", 0, "type");
	unsigned int cause = (unsigned int)finding_field(f, "eqe", 0, "cq_err_syndrome");
	const struct prm_enum *events = prm_find_enum("event");

	snprintf(f->what, sizeof(f->what), "event (EQE)");
	finding_fact(f, "type", type);
	finding_fact_name(f, "type_name", prm_event_name(type));
	finding_add(f, "what", "type", "type 0x%02x %s: %s", type, prm_event_name(type),
		    prm_enum_text(events, type));
	finding_add_queue(f, type);
	if (type == 0x04)
		finding_add(f, "reason", "cq_err_syndrome", "CQ 0x%x, reason %u: %s",
			    (unsigned int)finding_field(f, "eqe", 0, "cq_err_cqn"), cause,
			    prm_enum_text(prm_find_enum("cq_error"), cause));
	finding_add_cause(f, events, type);
	finding_part(f, prm_find_struct("eqe"), 0, EQE);
}

const struct recogniser recognise_eqe = {
	"eqe",
	"an event (64 bytes, known type in byte 1)",
	EQE,
	explain_eqe_score,
	explain_eqe_explain,
};
