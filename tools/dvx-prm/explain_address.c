/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guesses the address segment of a WQE. It depends on the QP's type, which is not in the WQE. Each
 * reading is scored by how well the bytes fit; the best one is reported as a guess.
 */
#include "explain.h"

enum { SEG = 16, OP_SEND_INVAL = 0x01, OP_SEND = 0x0a, OP_SEND_IMM = 0x0b };
enum { GOOD = 10, BAD = -40 };

size_t wqe_header_rest(size_t n)
{
	return n > 2 ? (n - 2 + SEG - 1) / SEG * SEG : 0;
}

bool wqe_is_pointer(const struct finding *f, size_t at)
{
	uint64_t addr = finding_field(f, "wqe_data_seg", at, "addr");

	return at + SEG <= f->d->len &&
	       finding_field(f, "wqe_data_seg", at, "byte_count") < 1u << 31 &&
	       finding_field(f, "wqe_data_seg", at, "lkey") &&
	       (addr >> 48 == 0 || addr >> 48 == 0xffff);
}

static int score_data(const struct finding *f, size_t at, size_t end)
{
	int score = 0;

	while (at < end) {
		size_t n = (size_t)finding_field(f, "wqe_inline_seg", at, "byte_count");

		if (finding_field(f, "wqe_inline_seg", at, "is_inline")) {
			at += (n + 4 + SEG - 1) / SEG * SEG;
			score += at <= end && n ? GOOD : BAD;
		} else {
			score += wqe_is_pointer(f, at) ? GOOD : BAD;
			at += SEG;
		}
	}
	return score;
}

static bool is_send(unsigned int op)
{
	return op == OP_SEND || op == OP_SEND_IMM || op == OP_SEND_INVAL;
}

/* Scores the segments behind the address. Operands of atomics may have any value. */
static int score_rest(const struct finding *f, unsigned int op, size_t at, size_t end)
{
	if (is_send(op))
		return score_data(f, at, end);
	if (at + SEG > end)
		return BAD;
	if (!finding_field(f, "wqe_raddr_seg", at, "rkey") || !all_zero(f->d->bytes + at + 12, 4))
		return BAD;
	return GOOD + (op <= 0x10 ? score_data(f, at + SEG, end) : 0);
}

static int score_none(const struct finding *f, unsigned int op)
{
	(void)f;
	(void)op;
	return GOOD;
}

static int score_xrc(const struct finding *f, unsigned int op)
{
	const uint8_t *p = f->d->bytes + SEG;

	(void)op;
	return !p[0] && finding_field(f, "wqe_xrc_seg", SEG, "xrc_srqn") && all_zero(p + 4, 12)
		       ? GOOD
		       : BAD;
}

/* Scores an address vector. The bit ext distinguishes a long one from a short one (16 bytes). */
static int score_av(const struct finding *f, bool ext)
{
	const uint8_t *p = f->d->bytes + SEG;

	if (!!finding_field(f, "base_av", SEG, "ext") != ext || p[8] & 0x7f ||
	    !finding_field(f, "base_av", SEG, "dqp_dct"))
		return BAD;
	return ext && !all_zero(p + 16, 4) ? BAD : GOOD;
}

static int score_long_av(const struct finding *f, unsigned int op)
{
	(void)op;
	return f->d->len >= 4 * SEG ? score_av(f, true) + GOOD : BAD;
}

static int score_short_av(const struct finding *f, unsigned int op)
{
	(void)op;
	return score_av(f, false) + (wqe_is_pointer(f, SEG) ? -GOOD : 0);
}

/* Scores an Ethernet segment. Parser hints are rare; only a large send has a segment size. */
static int score_eth(const struct finding *f, unsigned int op)
{
	const uint8_t *p = f->d->bytes + SEG;

	if (!is_send(op) || !all_zero(p, 4) || p[4] & 0x0e || p[6] || p[7] ||
	    finding_field(f, "wqe_eth_seg", SEG, "inline_hdr_sz") > 256)
		return BAD;
	return GOOD;
}

static const struct reading {
	const char *seg;
	size_t bytes;
	int (*score)(const struct finding *f, unsigned int op);
	const char *text;
} readings[] = {
	{NULL, 0, score_none, "a connected queue (RC, UC)"},
	{"wqe_datagram_seg", 48, score_long_av,
	 "a datagram or DC queue (an extended address vector follows)"},
	{"wqe_eth_seg", SEG, score_eth, "a raw queue (an Ethernet segment follows)"},
	{"wqe_xrc_seg", SEG, score_xrc, "an XRC queue (an XRC segment follows)"},
	{"base_av", SEG, score_short_av,
	 "a datagram or DC queue on InfiniBand (a short address vector follows)"},
};
enum { READINGS = sizeof(readings) / sizeof(readings[0]) };

static size_t rest_at(const struct finding *f, const struct reading *r)
{
	size_t header = r->score == score_eth
				? (size_t)finding_field(f, "wqe_eth_seg", SEG, "inline_hdr_sz")
				: 0;

	return SEG + r->bytes + wqe_header_rest(header);
}

static int score_reading(const struct finding *f, const struct reading *r, unsigned int op,
			 size_t end)
{
	size_t at = rest_at(f, r);

	return at > end ? 2 * BAD : r->score(f, op) + score_rest(f, op, at, end);
}

/* Ranks the readings: *best and *next are their indices. */
static void rank(const struct finding *f, unsigned int op, size_t end, size_t *best, size_t *next,
		 int score[READINGS])
{
	*best = 0;
	*next = 1;
	for (size_t i = 0; i < READINGS; i++)
		score[i] = score_reading(f, &readings[i], op, end);
	for (size_t i = 1; i < READINGS; i++)
		if (score[i] > score[*best])
			*best = i;
	*next = !*best;
	for (size_t i = 0; i < READINGS; i++)
		if (i != *best && score[i] > score[*next])
			*next = i;
}

size_t wqe_address(struct finding *f, unsigned int op, size_t end)
{
	int score[READINGS];
	size_t best, next;

	if (end <= SEG)
		return SEG;
	rank(f, op, end, &best, &next, score);
	if (score[best] - score[next] > -BAD)
		finding_add(f, "queue", NULL, "read as the WQE of %s: the bytes fit no other type",
			    readings[best].text);
	else
		finding_add(
			f, "queue", NULL,
			"a guess, since a WQE does not carry its queue's type: %s; less likely: "
			"%s",
			readings[best].text, readings[next].text);
	finding_fact_name(f, "queue", readings[best].seg ? readings[best].seg : "connected");
	if (readings[best].seg)
		finding_part(f, prm_find_struct(readings[best].seg), SEG, readings[best].bytes);
	return rest_at(f, &readings[best]);
}
