/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains a line of a log that reports a failure without its bytes. */
#include "explain.h"

#include <string.h>
#include "failure.h"

static void finding_add_status_of_verbs(struct finding *f, unsigned int status)
{
	unsigned int synd = wc_syndrome(status);

	finding_fact(f, "wc_status", status);
	if (synd)
		finding_add(
			f, "what", NULL,
			"status %u of libibverbs is IBV_WC_%s; mlx5's syndrome for it is 0x%02x "
			"%s: %s",
			status, wc_name(status), synd, prm_syndrome_name(synd),
			prm_syndrome_text(synd));
	else
		finding_add(f, "what", NULL,
			    "status %u of libibverbs is IBV_WC_%s; mlx5 has no syndrome of its own "
			    "for it",
			    status, wc_name(status));
}

static void failure_tell_queue(struct finding *f, const struct failure *s)
{
	if (failure_has(s, FAILURE_QPN))
		finding_fact(f, "qpn", failure_value(s, FAILURE_QPN));
	if (failure_has(s, FAILURE_INDEX)) {
		finding_fact(f, "wqe_counter", failure_value(s, FAILURE_INDEX));
		finding_add(f, "queue", NULL, "the WQE with index %u of QP 0x%x",
			    failure_value(s, FAILURE_INDEX), failure_value(s, FAILURE_QPN));
	} else if (failure_has(s, FAILURE_QPN)) {
		finding_add(f, "queue", NULL, "QP 0x%x", failure_value(s, FAILURE_QPN));
	}
}

static void explain_completion(struct finding *f, const struct failure *s)
{
	unsigned int synd = failure_value(s, FAILURE_SYNDROME),
		     vendor = failure_value(s, FAILURE_VENDOR);
	const struct prm_enum *syndromes = prm_find_enum("syndrome");

	snprintf(f->what, sizeof(f->what), "failed completion, reported by %s", s->program);
	if (failure_has(s, FAILURE_WC)) {
		finding_add_status_of_verbs(f, failure_value(s, FAILURE_WC));
		synd = wc_syndrome(failure_value(s, FAILURE_WC));
	} else if (failure_has(s, FAILURE_SYNDROME)) {
		finding_add_syndrome(f, synd);
		if (*s->call && synd > 0x06)
			finding_add(f, "words", NULL,
				    "\"%s\" is how the kernel prints syndrome 0x%02x: it takes the "
				    "number for one of ib_wc_status",
				    s->call, synd);
	} else {
		synd = vendor_seen_with(vendor);
		finding_add(f, "what", NULL,
			    "the line has only the vendor's byte, not the status%s%s",
			    synd ? "; what follows is of the syndrome that it was seen with, " : "",
			    synd ? prm_syndrome_name(synd) : "");
	}
	if (synd)
		finding_fact(f, "syndrome", synd);
	failure_tell_queue(f, s);
	finding_add_cause(f, syndromes, synd);
	if (failure_has(s, FAILURE_VENDOR))
		finding_add_vendor(f, synd, vendor);
	finding_add(f, "source", NULL,
		    "statuses: rdma-core, libibverbs/verbs.h; syndromes: Linux, "
		    "include/linux/mlx5/cq.h; "
		    "vendor bytes: public reports only; remedies: dvx's own advice");
	finding_add(f, "note", NULL,
		    "of a failed completion only status, vendor_err, qp_num and wr_id are valid; "
		    "opcode and byte_len are undefined");
}

static void explain_command(struct finding *f, const struct failure *s)
{
	unsigned int op = failure_value(s, FAILURE_COMMAND);
	char op_mod[32] = "";

	if (failure_has(s, FAILURE_COMMAND)) {
		const struct prm_struct *in = prm_command_in(op);

		snprintf(f->what, sizeof(f->what), "failed command %s, reported by %s",
			 prm_opcode_name(op), s->program);
		finding_fact(f, "opcode", op);
		finding_fact_name(f, "opcode_name", prm_opcode_name(op));
		if (failure_has(s, FAILURE_OP_MOD))
			snprintf(op_mod, sizeof(op_mod), ", op_mod 0x%x",
				 failure_value(s, FAILURE_OP_MOD));
		finding_add(f, "command", NULL,
			    "opcode 0x%x %s%s: %s; dvx-prm show %s has its fields", op,
			    prm_opcode_name(op), op_mod, in->text, in->name);
	} else {
		snprintf(f->what, sizeof(f->what), "failed command, reported by %s", s->program);
		if (*s->call)
			finding_add(f, "command", NULL, "of %s", s->call);
	}
	if (failure_has(s, FAILURE_STATUS))
		finding_add_status(f, failure_value(s, FAILURE_STATUS));
	else
		finding_add(f, "status", NULL,
			    "the line lacks the command's status, which says more than "
			    "the syndrome: it is the first byte of the reply");
	finding_add_firmware(f, failure_value(s, FAILURE_FIRMWARE));
	if (failure_has(s, FAILURE_ERRNO))
		finding_add_errno(f, s);
	finding_add(f, "source", NULL,
		    "statuses and errnos: Linux, drivers/net/ethernet/mellanox/mlx5/core/cmd.c; "
		    "layouts: "
		    "include/linux/mlx5/mlx5_ifc.h; remedies: dvx's own advice");
}

void explain_failure(struct finding *f, const struct failure *s)
{
	f->known = true;
	f->forced = !s->guess;
	f->score = SCORE_LIKELY;
	json_array_append_new(
		f->why,
		json_pack("{s:i, s:o}", "points", s->guess ? SCORE_LIKELY : 100, "text",
			  s->guess ? json_string("the line reports in words that this failed, "
						 "and names neither program nor call")
				   : json_sprintf("the line has the form of %s", s->program)));
	if (s->topic)
		explain_topic(f, s);
	else if (failure_has(s, FAILURE_FIRMWARE))
		explain_command(f, s);
	else
		explain_completion(f, s);
	if (s->times > 1 && !s->health.has)
		finding_add(f, "times", NULL, "%zu lines say the same", s->times);
	finding_fact(f, "times", s->times);
}
