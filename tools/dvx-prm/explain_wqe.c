/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognises send WQEs: a control segment, then what the opcode requires. */
#include "explain.h"

#include <string.h>

enum { SEG = 16, MOST = 63 * SEG, BB = 64, OP_UMR = 0x25 };

/*
 * Segments between control and data, by opcode. Other fields choose those marked "?"; "@" is the
 * address segment, which depends on the QP's type.
 */
static const struct {
	uint8_t opcode;
	const char *address, *first, *second;
	bool data;
} layouts[] = {
	{0x00, NULL, NULL, NULL, false},
	{0x01, "@", NULL, NULL, true},
	{0x08, "@", "wqe_raddr_seg", NULL, true},
	{0x09, "@", "wqe_raddr_seg", NULL, true},
	{0x0a, "@", NULL, NULL, true},
	{0x0b, "@", NULL, NULL, true},
	{0x0e, NULL, "wqe_eth_seg", "?header", true},
	{0x0f, NULL, "?wait", NULL, false},
	{0x10, "@", "wqe_raddr_seg", NULL, true},
	{0x11, "@", "wqe_raddr_seg", "wqe_atomic_seg", true},
	{0x12, "@", "wqe_raddr_seg", "wqe_atomic_seg", true},
	{0x14, "@", "wqe_raddr_seg", "?atomic", true},
	{0x15, "@", "wqe_raddr_seg", "?atomic", true},
	{0x17, NULL, "wqe_qseg", NULL, false},
	{0x20, NULL, "seg_set_psv", NULL, false},
	{0x21, NULL, "seg_get_psv", NULL, false},
	{0x22, NULL, "seg_check_psv", NULL, false},
	{0x23, NULL, NULL, NULL, true},
	{0x25, NULL, "wqe_umr_ctrl_seg", "mkey_seg", false},
	{0x28, NULL, "wqe_tm_seg", NULL, true},
	{0x29, NULL, "wqe_eth_seg", NULL, true},
	{0x2c, NULL, "wqe_flow_update_ctrl_seg", "wqe_header_modify_argument_update_seg", false},
	{0x2d, NULL, "wqe_aso_ctrl_seg", NULL, true},
	{0x2f, NULL, "mmo_metadata_seg", NULL, true},
};

static unsigned int ctrl(const struct finding *f, const char *path)
{
	return (unsigned int)finding_field(f, "wqe_ctrl_seg", 0, path);
}

static void score_length(struct finding *f, unsigned int ds)
{
	size_t len = f->d->len;

	if (!ds)
		finding_weigh(f, -60, "ds is 0: there is no room for the control segment");
	else if (ds * SEG == len || (ds * SEG + BB - 1) / BB * BB == len)
		finding_weigh(f, 30, "ds (%u units of 16 bytes) agrees with the %zu bytes given",
			      ds, len);
	else if (ds * SEG < len)
		finding_weigh(f, 0, "ds says %u of the %zu bytes given", ds * SEG, len);
	else
		finding_weigh(f, -25, "ds says %u bytes, but %zu are given", ds * SEG, len);
}

static void explain_wqe_score(struct finding *f)
{
	const uint8_t *p = f->d->bytes;
	unsigned int op = ctrl(f, "opcode");

	if (f->d->len % SEG || f->d->len > MOST + SEG || !strcmp(prm_wqe_opcode_name(op), "?"))
		return;
	finding_weigh(f, op ? 20 : 0, "the opcode in byte 3 is %s", prm_wqe_opcode_name(op));
	score_length(f, ctrl(f, "ds"));
	if (p[7] & 0xc0 || p[11] & 0x10)
		finding_weigh(f, -30, "reserved bits of the control segment are set");
	else
		finding_weigh(f, 10, "reserved bits of the control segment are 0");
	finding_weigh(f, ctrl(f, "qpn") ? 15 : -30, "it names %s QP", ctrl(f, "qpn") ? "a" : "no");
	if (p[0] && op != 0x0f && op != 0x14 && op != 0x15 && op != 0x2f && op < 0x20)
		finding_weigh(f, -30, "its opmod 0x%02x is not usual for %s", p[0],
			      prm_wqe_opcode_name(op));
	if (!p[8] && !p[9] && !p[10])
		finding_weigh(f, 10, "signature and stream are 0");
	if (!op && !all_zero(p + 8, 8))
		finding_weigh(
			f, -30,
			"a NOP has nothing in bytes 8 to 15, where a receive WQE has an address");
}

/*
 * Chooses the segment of an extended atomic by its size, which is in opmod; public sources define 4
 * and 8 bytes.
 */
static const char *choose_atomic(struct finding *f)
{
	bool swap = ctrl(f, "opcode") == 0x14;

	switch (ctrl(f, "opmod")) {
	case 0:
		return "wqe_masked_atomic_seg";
	case 0x08:
		return swap ? "atomic_masked_cswap32_seg" : "atomic_masked_fadd32_seg";
	case 0x09:
		return swap ? "atomic_masked_cswap64_seg" : "atomic_masked_fadd64_seg";
	default:
		finding_add(f, "unknown", "opmod",
			    "an atomic with opmod 0x%x (%s bytes): no public source has "
			    "the layout of its operands",
			    ctrl(f, "opmod"),
			    prm_enum_name(prm_find_enum("ext_atomic_opmod"), ctrl(f, "opmod")));
		return NULL;
	}
}

/* Returns the bytes of the inline header behind the two that the Ethernet segment itself holds. */
static size_t header_rest(const struct finding *f)
{
	return wqe_header_rest((size_t)finding_field(f, "wqe_eth_seg", SEG, "inline_hdr_sz"));
}

static size_t explain_wqe_one(struct finding *f, const char *name, size_t at, size_t end)
{
	const struct prm_struct *s;

	if (!name || at >= end)
		return at;
	if (!strcmp(name, "?header"))
		return at + header_rest(f);
	if (!strcmp(name, "?wait"))
		name = ctrl(f, "opmod") ? "wqe_wseg" : "wqe_qseg";
	else if (!strcmp(name, "?atomic"))
		name = choose_atomic(f);
	s = name ? prm_find_struct(name) : NULL;
	if (!s)
		return at;
	finding_part(f, s, at, end - at < s->bytes ? end - at : s->bytes);
	return at + s->bytes;
}

/* Adds pointers and inline data, up to the end of the WQE. */
static void wqe_data(struct finding *f, size_t at, size_t end)
{
	while (at < end) {
		bool in = finding_field(f, "wqe_inline_seg", at, "is_inline");
		size_t n = (size_t)finding_field(f, "wqe_inline_seg", at, "byte_count");

		finding_part(f, prm_find_struct(in ? "wqe_inline_seg" : "wqe_data_seg"), at,
			     in		      ? 4
			     : end - at < SEG ? end - at
					      : SEG);
		if (in)
			finding_add(f, "inline", NULL,
				    "%zu bytes of data are in the WQE itself, from 0x%zx on", n,
				    at + 4);
		at += in ? (n + 4 + SEG - 1) / SEG * SEG : SEG;
	}
}

/* ---- a UMR WQE behind the mkey: translations, then signature descriptions ---- */

enum { CTRL = 16, MKEY = 64, FLAG_INLINE = 0x80, MASK_BSF = 0x1000 };
enum { MODE_MTT = 1, MODE_KSM = 3, STRIDED = 0x400 };

static uint64_t umr(const struct finding *f, const char *path)
{
	return finding_field(f, "wqe_umr_ctrl_seg", CTRL, path);
}

static void umr_entries(struct finding *f, const char *name, size_t at, size_t end)
{
	const struct prm_struct *s = prm_find_struct(name);

	for (; at + s->bytes <= end; at += s->bytes)
		if (!all_zero(f->d->bytes + at, s->bytes))
			finding_part(f, s, at, s->bytes);
}

static void inline_list(struct finding *f, size_t at, size_t end)
{
	unsigned int mode = (unsigned int)finding_field(f, "mkey_seg", MKEY, "flags") & 3;

	if (finding_field(f, "stride_block_ctrl_seg", at, "op") == STRIDED) {
		size_t n = (size_t)finding_field(f, "stride_block_ctrl_seg", at, "num_entries");

		finding_add(
			f, "translations", "op",
			"strided: %u rounds through %zu entries, %u bytes a round",
			(unsigned int)finding_field(f, "stride_block_ctrl_seg", at, "repeat_count"),
			n,
			(unsigned int)finding_field(f, "stride_block_ctrl_seg", at,
						    "bcount_per_cycle"));
		finding_part(f, prm_find_struct("stride_block_ctrl_seg"), at, SEG);
		at += SEG;
		umr_entries(f, "stride_block_entry", at, at + n * SEG < end ? at + n * SEG : end);
		return;
	}
	finding_add(f, "translations", "xlt_octowords", "%zu bytes of %s entries are in the WQE",
		    end - at,
		    mode == MODE_MTT   ? "MTT"
		    : mode == MODE_KSM ? "KSM"
				       : "KLM");
	umr_entries(f, mode == MODE_MTT ? "mtt" : mode == MODE_KSM ? "ksm" : "klm", at, end);
}

/* Adds the descriptions. Each one has its length in it; the second may be the crypto one. */
static void descriptions(struct finding *f, size_t at, size_t end)
{
	for (; at + BB <= end; at += BB)
		finding_part(f,
			     prm_find_struct(finding_field(f, "crypto_bsf", at, "bsf_type")
						     ? "crypto_bsf"
						     : "bsf"),
			     at, BB);
}

/* Adds a UMR's data for the mkey: KLM, KSM, MTT or strided entries, signature descriptions. */
static void wqe_translations(struct finding *f, size_t at, size_t end)
{
	size_t list = (size_t)umr(f, "xlt_octowords") * SEG, stop;

	if (at >= end)
		return;
	if (!(umr(f, "flags") & FLAG_INLINE)) {
		finding_add(f, "translations", "flags",
			    "they are in memory, behind the pointer in the WQE");
		wqe_data(f, at, end);
		return;
	}
	stop = at + list < end ? at + list : end;
	if (list)
		inline_list(f, at, stop);
	if (umr(f, "mkey_mask") & MASK_BSF)
		descriptions(f, at + (list + BB - 1) / BB * BB, end);
}

/* ---- all WQEs ---- */

static void segments(struct finding *f, size_t end)
{
	unsigned int op = ctrl(f, "opcode");

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		size_t at = SEG;

		if (layouts[i].opcode != op)
			continue;
		if (layouts[i].address)
			at = wqe_address(f, op, end);
		at = explain_wqe_one(f, layouts[i].first, at, end);
		at = explain_wqe_one(f, layouts[i].second, at, end);
		if (op == OP_UMR)
			wqe_translations(f, at, end);
		if (layouts[i].data)
			wqe_data(f, at, end);
		return;
	}
	if (end > SEG)
		finding_add(f, "unknown", NULL, "no table has the segments of %s",
			    prm_wqe_opcode_name(op));
}

static void explain_wqe_explain(struct finding *f)
{
	unsigned int op = ctrl(f, "opcode"), ds = ctrl(f, "ds");
	size_t end = ds * SEG < f->d->len ? ds * SEG : f->d->len;

	snprintf(f->what, sizeof(f->what), "send WQE, %s", prm_wqe_opcode_name(op));
	finding_fact(f, "opcode", op);
	finding_fact_name(f, "opcode_name", prm_wqe_opcode_name(op));
	finding_fact(f, "qpn", ctrl(f, "qpn"));
	finding_fact(f, "wqe_index", ctrl(f, "wqe_index"));
	finding_fact(f, "ds", ds);
	finding_add(f, "what", "opcode", "opcode 0x%02x %s: %s", op, prm_wqe_opcode_name(op),
		    prm_enum_text(prm_find_enum("wqe_opcode"), op));
	finding_add(f, "wqe", "wqe_index",
		    "it has index %u in queue 0x%x, and is %u bytes long (ds %u)",
		    ctrl(f, "wqe_index"), ctrl(f, "qpn"), ds * SEG, ds);
	if (ds * SEG > f->d->len)
		finding_add(f, "cut", "ds", "the dump ends after %zu of them", f->d->len);
	finding_part(f, prm_find_struct("wqe_ctrl_seg"), 0, SEG);
	segments(f, end);
}

const struct recogniser recognise_wqe = {
	"wqe",
	"a send WQE (known opcode in byte 3, a length in ds that fits; up to 1024 bytes)",
	SEG,
	explain_wqe_score,
	explain_wqe_explain,
};
