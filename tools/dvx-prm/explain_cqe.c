/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognises completions: successful, failed and never written. */
#include "explain.h"

#include <string.h>
#include "failure.h"

enum {
	CQE = 64,
	OP_REQ = 0,
	OP_WR_IMM = 1,
	OP_SEND_IMM = 3,
	OP_SEND_INV = 4,
	OP_RESIZE = 5,
	OP_SIG_ERR = 12,
	OP_REQ_ERR = 13,
	OP_RESP_ERR = 14,
	OP_INVALID = 15,
	INLINE32 = 1,
	INLINE64 = 2,
	COMPRESSED = 3,
	TAG_MATCHING = 1
};

/* Returns the offset of the fields: in the second half of a completion of 128 bytes. */
static size_t cqe_at(const struct finding *f)
{
	return f->d->len == 2 * CQE ? CQE : 0;
}

static uint64_t explain_cqe_get(const struct finding *f, const char *s, const char *path)
{
	return finding_field(f, s, cqe_at(f), path);
}

static void score_opcode_of_wqe(struct finding *f, unsigned int op)
{
	const char *name = prm_wqe_opcode_name(op);

	if (strcmp(name, "?") && op)
		finding_weigh(f, 15, "s_wqe_opcode is an opcode: %s", name);
	else if (op)
		finding_weigh(f, -30, "s_wqe_opcode 0x%x is no opcode", op);
}

static void score_error(struct finding *f, size_t at, unsigned int opcode)
{
	const uint8_t *p = f->d->bytes + at;
	unsigned int synd = (unsigned int)finding_field(f, "err_cqe", at, "syndrome");
	bool known = strcmp(prm_syndrome_name(synd), "?") != 0;

	finding_weigh(f, 30, "the opcode in byte 0x3f is %s", prm_cqe_opcode_name(opcode));
	finding_weigh(f, known ? 30 : -20, "syndrome 0x%02x is %s", synd,
		      known ? prm_syndrome_name(synd) : "in no table");
	if (all_zero(p, 32))
		finding_weigh(f, 20, "the first 32 bytes are 0, as in every error completion");
	else
		finding_weigh(f, -20,
			      "the first 32 bytes, reserved in error completions, are not 0");
	if (finding_field(f, "err_cqe", at, "qpn"))
		finding_weigh(f, 10, "it names a QP");
	if (opcode == OP_REQ_ERR)
		score_opcode_of_wqe(f,
				    (unsigned int)finding_field(f, "err_cqe", at, "s_wqe_opcode"));
}

static void score_good(struct finding *f, size_t at, unsigned int opcode)
{
	const uint8_t *p = f->d->bytes + at;

	finding_weigh(f, 15, "the opcode in byte 0x3f is %s", prm_cqe_opcode_name(opcode));
	if (opcode == OP_RESIZE && all_zero(p, 56)) {
		finding_weigh(f, 45, "nothing else is set, as when a CQ is resized");
		return;
	}
	finding_weigh(f, finding_field(f, "cqe64", at, "timestamp") ? 20 : -20,
		      "there is %s timestamp",
		      finding_field(f, "cqe64", at, "timestamp") ? "a" : "no");
	if (opcode == OP_REQ) {
		finding_weigh(f, finding_field(f, "cqe64", at, "qpn") ? 15 : -30, "it names %s QP",
			      finding_field(f, "cqe64", at, "qpn") ? "a" : "no");
		score_opcode_of_wqe(f, (unsigned int)finding_field(f, "cqe64", at, "s_wqe_opcode"));
	}
	if (p[1] || p[18] || p[19])
		finding_weigh(f, finding_field(f, "cqe64", at, "cqe_format") == INLINE32 ? 0 : -15,
			      "reserved bytes are not 0");
	else
		finding_weigh(f, 15, "reserved bytes are 0");
	if (finding_field(f, "cqe64", at, "app") > 1)
		finding_weigh(f, -25, "app 0x%02x is unknown",
			      (unsigned int)finding_field(f, "cqe64", at, "app"));
	if (finding_field(f, "cqe64", at, "byte_cnt") &&
	    finding_field(f, "cqe64", at, "byte_cnt") <= 1u << 31)
		finding_weigh(f, 15, "byte_cnt is a length that a message can have");
}

void cqe_weigh(struct finding *f, size_t at)
{
	unsigned int opcode = (unsigned int)finding_field(f, "cqe64", at, "opcode");

	if (opcode == OP_REQ_ERR || opcode == OP_RESP_ERR)
		score_error(f, at, opcode);
	else if (opcode <= OP_RESIZE || opcode == OP_SIG_ERR)
		score_good(f, at, opcode);
	else if (opcode == OP_INVALID && all_zero(f->d->bytes + at, CQE - 1))
		finding_weigh(f, SCORE_LIKELY, "nothing but the opcode INVALID is set");
}

size_t cqe_minis(const struct finding *f, size_t at)
{
	const uint8_t *p = f->d->bytes + at;
	size_t n = (size_t)finding_field(f, "cqe64", at, "byte_cnt");

	if (f->d->len - at < CQE || finding_field(f, "cqe64", at, "cqe_format") != COMPRESSED ||
	    finding_field(f, "cqe64", at, "opcode") > OP_SEND_INV || p[1] || p[18] || p[19])
		return 0;
	return n <= CQE_MINIS_MOST ? n : 0;
}

static void explain_cqe_score(struct finding *f)
{
	if (f->d->len == CQE || f->d->len == 2 * CQE)
		cqe_weigh(f, cqe_at(f));
}

static void finding_add_verbs(struct finding *f, unsigned int syndrome)
{
	unsigned int status = wc_of_syndrome(syndrome);

	if (!status)
		return;
	finding_fact(f, "wc_status", status);
	finding_add(f, "verbs", NULL, "libibverbs reports it as IBV_WC_%s (%u)", wc_name(status),
		    status);
}

static void finding_add_wqe(struct finding *f, bool send)
{
	unsigned int op = (unsigned int)explain_cqe_get(f, "err_cqe", "s_wqe_opcode");
	unsigned int index = (unsigned int)explain_cqe_get(f, "err_cqe", "wqe_counter");
	unsigned int qpn = (unsigned int)explain_cqe_get(f, "err_cqe", "qpn");

	finding_fact(f, "qpn", qpn);
	finding_fact(f, "wqe_counter", index);
	if (!send) {
		finding_add(f, "wqe", "wqe_counter", "the receive WQE has index %u, of QP 0x%x",
			    index, qpn);
		return;
	}
	finding_fact(f, "s_wqe_opcode", op);
	finding_fact_name(f, "s_wqe_opcode_name", prm_wqe_opcode_name(op));
	finding_add(f, "wqe", "wqe_counter",
		    "the send WQE has index %u in QP 0x%x; its opcode is 0x%02x %s", index, qpn, op,
		    prm_wqe_opcode_name(op));
}

static void explain_error(struct finding *f, unsigned int opcode)
{
	unsigned int synd = (unsigned int)explain_cqe_get(f, "err_cqe", "syndrome");
	bool send = opcode == OP_REQ_ERR;

	snprintf(f->what, sizeof(f->what), "error completion of a %s WQE",
		 send ? "send" : "receive");
	finding_fact(f, "syndrome", synd);
	finding_fact_name(f, "syndrome_name", prm_syndrome_name(synd));
	finding_add_syndrome(f, synd);
	finding_add_verbs(f, synd);
	finding_add_wqe(f, send);
	finding_add_cause(f, prm_find_enum("syndrome"), synd);
	finding_add_vendor(f, synd, (unsigned int)explain_cqe_get(f, "err_cqe", "vendor_err_synd"));
	finding_part(f, prm_find_struct("err_cqe"), cqe_at(f), CQE);
}

static void explain_sig(struct finding *f)
{
	snprintf(f->what, sizeof(f->what), "signature error completion");
	finding_fact(f, "mkey", explain_cqe_get(f, "sig_err_cqe", "mkey"));
	finding_add(f, "what", "mkey", "data behind mkey 0x%x have a wrong signature at byte %llu",
		    (unsigned int)explain_cqe_get(f, "sig_err_cqe", "mkey"),
		    (unsigned long long)explain_cqe_get(f, "sig_err_cqe", "err_offset"));
	finding_part(f, prm_find_struct("sig_err_cqe"), cqe_at(f), CQE);
}

static void finding_add_tm(struct finding *f)
{
	unsigned int op = (unsigned int)explain_cqe_get(f, "cqe64", "app_op");
	const struct prm_enum *ops = prm_find_enum("cqe_app_op");

	finding_fact(f, "app_op", op);
	finding_fact_name(f, "app_op_name", prm_enum_name(ops, op));
	finding_add(f, "tag", "app_op",
		    "tag matching 0x%x %s: %s; index %u in the list of tags, %u unexpected "
		    "messages so far",
		    op, prm_enum_name(ops, op), prm_enum_text(ops, op),
		    (unsigned int)explain_cqe_get(f, "cqe64", "app_info"),
		    (unsigned int)explain_cqe_get(f, "cqe64", "hw_phase_cnt"));
}

/* Explains inline data: 32 bytes fit into the completion itself; more are in the half before it. */
static void finding_add_inline(struct finding *f)
{
	unsigned int format = (unsigned int)explain_cqe_get(f, "cqe64", "cqe_format");
	unsigned int n = (unsigned int)explain_cqe_get(f, "cqe64", "byte_cnt");

	if (format == INLINE32)
		finding_add(f, "inline", "cqe_format",
			    "its %u bytes of data are bytes 0x%zx and following of "
			    "the completion itself, not in the receive buffer",
			    n, cqe_at(f));
	else if (format == INLINE64 && cqe_at(f))
		finding_add(f, "inline", "cqe_format",
			    "its %u bytes of data are the first of these 128 bytes, "
			    "not in the receive buffer",
			    n);
	else if (format == INLINE64)
		finding_add(f, "inline", "cqe_format",
			    "its %u bytes of data are in the 64 bytes before these: "
			    "the CQ has entries of 128 bytes",
			    n);
}

static void finding_add_receive(struct finding *f, unsigned int opcode)
{
	unsigned int word = (unsigned int)explain_cqe_get(f, "cqe64", "immediate");

	finding_add(f, "wqe", "byte_cnt", "%u bytes went into the receive WQE with index %u",
		    (unsigned int)explain_cqe_get(f, "cqe64", "byte_cnt"),
		    (unsigned int)explain_cqe_get(f, "cqe64", "wqe_counter"));
	if (opcode == OP_WR_IMM || opcode == OP_SEND_IMM)
		finding_add(f, "immediate", "immediate", "immediate data 0x%08x", word);
	else if (opcode == OP_SEND_INV)
		finding_add(f, "invalidated", "inval_rkey", "the peer invalidated rkey 0x%08x",
			    word);
	if (explain_cqe_get(f, "cqe64", "cqe_format") != INLINE32 &&
	    explain_cqe_get(f, "cqe64", "g"))
		finding_add(f, "grh", "g",
			    "40 bytes of GRH (or an IP header in their place) precede the data");
	finding_add_inline(f);
}

static void explain_good(struct finding *f, unsigned int opcode)
{
	snprintf(f->what, sizeof(f->what), "completion, no error");
	finding_add(f, "what", "opcode", "opcode 0x%x %s: %s", opcode, prm_cqe_opcode_name(opcode),
		    prm_enum_text(prm_find_enum("cqe_opcode"), opcode));
	finding_fact(f, "wqe_counter", explain_cqe_get(f, "cqe64", "wqe_counter"));
	if (opcode == OP_REQ)
		finding_add_wqe(f, true);
	else if (opcode < OP_RESIZE)
		finding_add_receive(f, opcode);
	else if (opcode == OP_RESIZE)
		finding_add(f, "resize", "opcode",
			    "what follows is in the new ring; software copies what it has not "
			    "polled yet");
	if (explain_cqe_get(f, "cqe64", "app") == TAG_MATCHING)
		finding_add_tm(f);
	if (cqe_minis(f, cqe_at(f)))
		finding_add(f, "compressed", "cqe_format",
			    "it is a title: byte_cnt counts %zu completions, whose "
			    "mini forms are in the entries after it; dump those too",
			    cqe_minis(f, cqe_at(f)));
	finding_part(f, prm_find_struct(cqe_at(f) ? "cqe128" : "cqe64"), 0, cqe_at(f) + CQE);
}

static void explain_cqe_explain(struct finding *f)
{
	unsigned int opcode = (unsigned int)explain_cqe_get(f, "cqe64", "opcode");

	finding_fact(f, "opcode", opcode);
	finding_fact_name(f, "opcode_name", prm_cqe_opcode_name(opcode));
	if (opcode == OP_REQ_ERR || opcode == OP_RESP_ERR)
		explain_error(f, opcode);
	else if (opcode == OP_SIG_ERR)
		explain_sig(f);
	else
		explain_good(f, opcode);
}

const struct recogniser recognise_cqe = {
	"cqe",
	"a completion, failed or good (64 or 128 bytes, opcode in the last byte)",
	CQE,
	explain_cqe_score,
	explain_cqe_explain,
};
