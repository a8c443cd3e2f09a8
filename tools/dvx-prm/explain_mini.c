/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds compressed completions. Basic layout: a title with the number in byte_cnt, then an array of
 * 8 in the next entry of the ring; further arrays are 8, 16, ... entries after the title. Enhanced
 * layout: the completion before is the title; a block with format COMPRESSED has the number less 1
 * in place of the opcode.
 */
#include "explain.h"

#include <string.h>

enum { CQE = 64, MINI = 8, PER_ARRAY = 8, MOST_IN_BLOCK = 7, COMPRESSED = 3 };
enum { OP_REQ = 0, OP_RESP_SEND_INV = 4, OP_INVALID = 15 };

struct minis {
	bool enhanced;
	size_t claimed; /* the number in the title */
	size_t count;	/* the number in the dump */
	size_t at[CQE_MINIS_MOST];
};

static unsigned int cqe(const struct finding *f, size_t at, const char *path)
{
	return (unsigned int)finding_field(f, "cqe64", at, path);
}

static void explain_mini_add(struct minis *m, const struct finding *f, size_t at)
{
	if (at + MINI <= f->d->len && m->count < CQE_MINIS_MOST)
		m->at[m->count++] = at;
}

static void find_basic(struct minis *m, const struct finding *f)
{
	m->claimed = cqe_minis(f, 0);
	for (size_t i = 0; i < m->claimed; i++) {
		size_t slot = i < PER_ARRAY ? 1 : i / PER_ARRAY * PER_ARRAY;

		explain_mini_add(m, f, slot * CQE + i % PER_ARRAY * MINI);
	}
}

static bool is_block(const struct finding *f, size_t at)
{
	return at + CQE <= f->d->len && cqe(f, at, "cqe_format") == COMPRESSED &&
	       cqe(f, at, "opcode") < MOST_IN_BLOCK;
}

static void find_enhanced(struct minis *m, const struct finding *f)
{
	m->enhanced = true;
	for (size_t at = CQE, n; is_block(f, at); at += n * CQE) {
		n = cqe(f, at, "opcode") + 1;
		m->claimed += n;
		for (size_t i = 0; i < n; i++)
			explain_mini_add(m, f, at + i * MINI);
	}
}

static void explain_mini_find(struct minis *m, const struct finding *f)
{
	memset(m, 0, sizeof(*m));
	find_basic(m, f);
	if (!m->claimed && cqe(f, 0, "cqe_format") != COMPRESSED &&
	    cqe(f, 0, "opcode") <= OP_RESP_SEND_INV)
		find_enhanced(m, f);
}

static bool lengths_fit(const struct minis *m, const struct finding *f)
{
	for (size_t i = 0; i < m->count; i++)
		if (finding_field(f, "mini_cqe8", m->at[i], "byte_cnt") > 1u << 30)
			return false;
	return true;
}

static void explain_mini_score(struct finding *f)
{
	struct minis m;

	if (f->d->len % CQE)
		return;
	explain_mini_find(&m, f);
	if (!m.count)
		return;
	cqe_weigh(f, 0);
	if (m.enhanced)
		finding_weigh(f, 10, "the entry after it has format COMPRESSED and counts %zu",
			      m.claimed);
	else
		finding_weigh(f, 20, "its format is COMPRESSED: it is the title of %zu completions",
			      m.claimed);
	finding_weigh(f, lengths_fit(&m, f) ? 15 : -40, "the mini completions have %s for byte_cnt",
		      lengths_fit(&m, f) ? "lengths" : "what is no length");
}

/* Decodes a mini completion's first word under each mini_cqe_res_format. */
static json_t *explain_mini_entry_json(const struct finding *f, size_t at, size_t index, bool send)
{
	uint64_t bytes = finding_field(f, "mini_cqe8", at, "byte_cnt");
	json_t *o = json_pack("{s:I, s:I}", "at", (json_int_t)at, "byte_cnt", (json_int_t)bytes);

	if (send) {
		json_object_set_new(o, "wqe_counter",
				    json_number(finding_field(f, "mini_cqe8", at, "wqe_counter")));
		json_object_set_new(o, "s_wqe_opcode",
				    json_number(finding_field(f, "mini_cqe8", at, "s_wqe_opcode")));
		return o;
	}
	json_object_set_new(o, "wqe_counter", json_integer((json_int_t)(index & 0xffff)));
	json_object_set_new(o, "rx_hash_result",
			    json_number(finding_field(f, "mini_cqe8", at, "rx_hash_result")));
	json_object_set_new(o, "checksum",
			    json_number(finding_field(f, "mini_cqe8", at, "checksum")));
	json_object_set_new(o, "stridx", json_number(finding_field(f, "mini_cqe8", at, "stridx")));
	return o;
}

static unsigned int num(const json_t *o, const char *key)
{
	return (unsigned int)json_integer_value(json_object_get(o, key));
}

static void finding_add_entry(struct finding *f, size_t i, const json_t *o, bool send)
{
	if (send)
		finding_add(f, "entry", NULL, "%zu at 0x%x: send WQE with index %u, %s, %u bytes",
			    i, num(o, "at"), num(o, "wqe_counter"),
			    prm_wqe_opcode_name(num(o, "s_wqe_opcode")), num(o, "byte_cnt"));
	else
		finding_add(f, "entry", NULL,
			    "%zu at 0x%x: %u bytes into receive WQE %u; hash 0x%08x, or checksum "
			    "0x%04x "
			    "(and "
			    "stride %u)",
			    i, num(o, "at"), num(o, "byte_cnt"), num(o, "wqe_counter"),
			    num(o, "rx_hash_result"), num(o, "checksum"), num(o, "stridx"));
}

static void finding_add_entries(struct finding *f, const struct minis *m, bool send)
{
	size_t index = cqe(f, 0, "wqe_counter") + m->enhanced;
	json_t *list = json_array();

	for (size_t i = 0; i < m->count; i++) {
		json_t *o = explain_mini_entry_json(f, m->at[i], index + i, send);

		finding_add_entry(f, i, o, send);
		json_array_append_new(list, o);
	}
	json_object_set_new(f->facts, "entries", list);
}

static void explain_mini_explain(struct finding *f)
{
	struct minis m;
	bool send = cqe(f, 0, "opcode") == OP_REQ;

	explain_mini_find(&m, f);
	snprintf(f->what, sizeof(f->what), "compressed completions, %zu of a %s queue", m.claimed,
		 send ? "send" : "receive");
	finding_fact(f, "layout_enhanced", m.enhanced);
	finding_fact(f, "count", m.claimed);
	if (m.enhanced)
		finding_add(f, "what", "cqe_format",
			    "a completion, and after it %zu more in mini form (enhanced "
			    "layout); all other fields are those of the first",
			    m.claimed);
	else
		finding_add(f, "what", "byte_cnt",
			    "the title stands for %zu completions (basic layout): each "
			    "is the title with the fields of its mini form",
			    m.claimed);
	if (m.count < m.claimed)
		finding_add(f, "cut", NULL,
			    "the dump has %zu of them; arrays of 8 lie in entries 1, 8, 16, ... "
			    "after the title",
			    m.count);
	if (!send)
		finding_add(
			f, "format", NULL,
			"whether the first word is a hash, a checksum, or a checksum and "
			"a stride depends on the CQ's mini_cqe_res_format, not on these bytes; WQE "
			"indices "
			"increase by one unless the queue is striding");
	finding_add_entries(f, &m, send);
	finding_part(f, prm_find_struct("cqe64"), 0, CQE);
}

const struct recogniser recognise_mini = {
	"mini",
	"compressed completions (a title and arrays of 8)",
	2 * CQE,
	explain_mini_score,
	explain_mini_explain,
};
