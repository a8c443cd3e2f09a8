/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains a line of a log that reports a failure without its bytes. */
#include "explain.h"

#include <errno.h>
#include <string.h>
#include "errnum.h"
#include "said.h"

static void tell_status_of_verbs(struct finding *f, unsigned int status)
{
	unsigned int synd = wc_syndrome(status);

	fact(f, "wc_status", status);
	if (synd)
		tell(f, "what", NULL,
		     "status %u of libibverbs is IBV_WC_%s; mlx5's syndrome for it is 0x%02x "
		     "%s: %s",
		     status, wc_name(status), synd, prm_syndrome_name(synd),
		     prm_syndrome_text(synd));
	else
		tell(f, "what", NULL,
		     "status %u of libibverbs is IBV_WC_%s; mlx5 has no syndrome of its own "
		     "for it",
		     status, wc_name(status));
}

static void said_tell_queue(struct finding *f, const struct said *s)
{
	if (said_has(s, SAID_QPN))
		fact(f, "qpn", said_value(s, SAID_QPN));
	if (said_has(s, SAID_INDEX)) {
		fact(f, "wqe_counter", said_value(s, SAID_INDEX));
		tell(f, "queue", NULL, "the WQE with index %u of QP 0x%x",
		     said_value(s, SAID_INDEX), said_value(s, SAID_QPN));
	} else if (said_has(s, SAID_QPN)) {
		tell(f, "queue", NULL, "QP 0x%x", said_value(s, SAID_QPN));
	}
}

static void explain_completion(struct finding *f, const struct said *s)
{
	unsigned int synd = said_value(s, SAID_SYNDROME), vendor = said_value(s, SAID_VENDOR);
	const struct prm_enum *syndromes = prm_find_enum("syndrome");

	snprintf(f->what, sizeof(f->what), "failed completion, reported by %s", s->who);
	if (said_has(s, SAID_WC)) {
		tell_status_of_verbs(f, said_value(s, SAID_WC));
		synd = wc_syndrome(said_value(s, SAID_WC));
	} else if (said_has(s, SAID_SYNDROME)) {
		tell_syndrome(f, synd);
		if (*s->call && synd > 0x06)
			tell(f, "words", NULL,
			     "\"%s\" is how the kernel prints syndrome 0x%02x: it takes the "
			     "number for one of ib_wc_status",
			     s->call, synd);
	} else {
		synd = vendor_seen_with(vendor);
		tell(f, "what", NULL, "the line has only the vendor's byte, not the status%s%s",
		     synd ? "; what follows is of the syndrome that it was seen with, " : "",
		     synd ? prm_syndrome_name(synd) : "");
	}
	if (synd)
		fact(f, "syndrome", synd);
	said_tell_queue(f, s);
	tell_cause(f, syndromes, synd);
	if (said_has(s, SAID_VENDOR))
		tell_vendor(f, synd, vendor);
	tell(f, "source", NULL,
	     "statuses: rdma-core, libibverbs/verbs.h; syndromes: Linux, include/linux/mlx5/cq.h; "
	     "vendor bytes: public reports only; remedies: dvx's own advice");
	tell(f, "note", NULL,
	     "of a failed completion only status, vendor_err, qp_num and wr_id are valid; "
	     "opcode and byte_len are undefined");
}

void tell_errno(struct finding *f, const struct said *s)
{
	unsigned int err = said_value(s, SAID_ERRNO);
	const char *name = errnum_name(err);

	fact(f, "errno", err);
	if (*name)
		fact_name(f, "errno_name", name);
	if (errnum_is_internal(err))
		tell(f, "errno", NULL,
		     "errno %u: %s, a number of the kernel's own (include/linux/errno.h) that no "
		     "program should see: %s",
		     err, name, errnum_text(err));
	else
		tell(f, "errno", NULL, "errno %u: %s%s%s%s%s", err, errnum_text(err),
		     err == EREMOTEIO && s->topic != TOPIC_DMABUF
			     ? " - firmware refused; status and syndrome are in the reply's first "
			       "8 bytes"
			     : "",
		     *name ? " (" : "", name, *name ? ")" : "");
}

static void explain_command(struct finding *f, const struct said *s)
{
	unsigned int op = said_value(s, SAID_COMMAND);
	char op_mod[32] = "";

	if (said_has(s, SAID_COMMAND)) {
		const struct prm_struct *in = prm_command_in(op);

		snprintf(f->what, sizeof(f->what), "failed command %s, reported by %s",
			 prm_opcode_name(op), s->who);
		fact(f, "opcode", op);
		fact_name(f, "opcode_name", prm_opcode_name(op));
		if (said_has(s, SAID_OP_MOD))
			snprintf(op_mod, sizeof(op_mod), ", op_mod 0x%x",
				 said_value(s, SAID_OP_MOD));
		tell(f, "command", NULL, "opcode 0x%x %s%s: %s; dvx-prm show %s has its fields", op,
		     prm_opcode_name(op), op_mod, in->text, in->name);
	} else {
		snprintf(f->what, sizeof(f->what), "failed command, reported by %s", s->who);
		if (*s->call)
			tell(f, "command", NULL, "of %s", s->call);
	}
	if (said_has(s, SAID_STATUS))
		tell_status(f, said_value(s, SAID_STATUS));
	else
		tell(f, "status", NULL,
		     "the line lacks the command's status, which says more than "
		     "the syndrome: it is the first byte of the reply");
	tell_firmware(f, said_value(s, SAID_FIRMWARE));
	if (said_has(s, SAID_ERRNO))
		tell_errno(f, s);
	tell(f, "source", NULL,
	     "statuses and errnos: Linux, drivers/net/ethernet/mellanox/mlx5/core/cmd.c; layouts: "
	     "include/linux/mlx5/mlx5_ifc.h; remedies: dvx's own advice");
}

void explain_said(struct finding *f, const struct said *s)
{
	f->known = true;
	f->forced = !s->guess;
	f->score = SCORE_LIKELY;
	json_array_append_new(
		f->why,
		json_pack("{s:i, s:o}", "points", s->guess ? SCORE_LIKELY : 100, "text",
			  s->guess ? json_string("the line reports in words that this failed, "
						 "and names neither program nor call")
				   : json_sprintf("the line has the form of %s", s->who)));
	if (s->topic)
		explain_topic(f, s);
	else if (said_has(s, SAID_FIRMWARE))
		explain_command(f, s);
	else
		explain_completion(f, s);
	if (s->times > 1 && !s->health.has)
		tell(f, "times", NULL, "%zu lines say the same", s->times);
	fact(f, "times", s->times);
}
