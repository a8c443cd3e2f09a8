/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recognises receive WQEs: pointers, maybe behind the segment that links an SRQ's free list or
 * holds a signature. They have no distinctive field, so the result is never better than possible.
 */
#include "explain.h"

enum { SEG = 16, MOST = 64 * SEG, NO_MORE = 0x100, LEAST_SURE = SCORE_LIKELY - 1 };

static unsigned int explain_rwqe_word(const struct finding *f, size_t at, const char *path)
{
	return (unsigned int)finding_field(f, "wqe_data_seg", at, path);
}

/* Whether a list ends here: libmlx5 terminates one that is not full with this key. */
static bool ends_here(const struct finding *f, size_t at)
{
	return explain_rwqe_word(f, at, "lkey") == NO_MORE &&
	       !explain_rwqe_word(f, at, "byte_count") &&
	       !finding_field(f, "wqe_data_seg", at, "addr");
}

static bool has_head(const struct finding *f)
{
	const uint8_t *p = f->d->bytes;

	return f->d->len > SEG && !p[0] && !p[1] && all_zero(p + 5, 11);
}

/*
 * Returns the number of pointers from `at` on; 0 if there is anything else. *ended: key 0x100 ends
 * them.
 */
static size_t pointers(const struct finding *f, size_t at, bool *ended)
{
	size_t n = 0;

	for (*ended = false; at < f->d->len; at += SEG, n++) {
		*ended = ends_here(f, at);
		if (*ended)
			return n;
		if (!wqe_is_pointer(f, at) || !finding_field(f, "wqe_data_seg", at, "addr") ||
		    !explain_rwqe_word(f, at, "byte_count"))
			return 0;
	}
	return n;
}

static void explain_rwqe_score(struct finding *f)
{
	size_t at = has_head(f) ? SEG : 0, n;
	bool ended;

	if (f->d->len % SEG || f->d->len > MOST)
		return;
	n = pointers(f, at, &ended);
	if (!n)
		return;
	finding_weigh(
		f, 45,
		"from byte 0x%zx on there %s %zu pointer%s: length, key, an address that a program "
		"can have",
		at, n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
	if (ended)
		finding_weigh(f, 15, "key 0x100 ends the list, as libmlx5 writes it");
	else if (n > 1)
		finding_weigh(f, 10, "and nothing else");
	if (f->score > LEAST_SURE)
		f->score = LEAST_SURE;
}

static void explain_head(struct finding *f)
{
	if (all_zero(f->d->bytes, 4))
		finding_add(f, "head", "signature",
			    "16 bytes before the pointers: an SRQ's link (next WQE 0) or a "
			    "signature (0x%02x)",
			    f->d->bytes[4]);
	else
		finding_add(
			f, "head", "next_wqe_index",
			"it belongs to an SRQ: the next free WQE is %u",
			(unsigned int)finding_field(f, "wqe_srq_next_seg", 0, "next_wqe_index"));
	finding_part(f, prm_find_struct("wqe_srq_next_seg"), 0, SEG);
}

static void explain_rwqe_explain(struct finding *f)
{
	size_t at = has_head(f) ? SEG : 0, n;
	unsigned long long room = 0;
	bool ended;

	n = pointers(f, at, &ended);
	snprintf(f->what, sizeof(f->what), "receive WQE");
	if (at)
		explain_head(f);
	for (size_t i = 0; i < n; i++) {
		room += explain_rwqe_word(f, at + i * SEG, "byte_count");
		finding_part(f, prm_find_struct("wqe_data_seg"), at + i * SEG, SEG);
	}
	finding_fact(f, "pointers", n);
	finding_fact(f, "room", room);
	finding_add(f, "what", "byte_count", "room for a message of %llu bytes in %zu piece%s",
		    room, n, n == 1 ? "" : "s");
	if (ended)
		finding_add(f, "end", "lkey",
			    "key 0x100 at byte 0x%zx ends the list; the device reads no further",
			    at + n * SEG);
}

const struct recogniser recognise_rwqe = {
	"rwqe",
	"a receive WQE (pointers to memory, maybe after an SRQ's link)",
	SEG,
	explain_rwqe_score,
	explain_rwqe_explain,
};
