/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches of rules by requests, each with one doorbell; the last request of a batch is signaled. They
 * are posted one by one, or all at once.
 */
#ifndef TESTS_PERF_RULE_BATCHES_H
#define TESTS_PERF_RULE_BATCHES_H

#include <string.h>
#include <dvx/dvx.h>

#define RULES	 32u
#define NOINLINE __attribute__((noinline, noclone, externally_visible))
#define INLINE	 static inline __attribute__((always_inline))

/* A flow as packets have it: big-endian. */
struct tuple {
	uint32_t src, dst, ports;
	uint8_t proto;
};

static struct dvx_hws_image image;
static uint8_t tags[RULES][DVX_TAG_BYTES], arguments[RULES][DVX_ARG_BYTES];
static struct tuple tuples[RULES];
/* The tag of any flow, and the bytes where the fields lie: dvx_hws_tag_field(). */
static struct places {
	uint8_t base[DVX_TAG_BYTES];
	uint32_t src, dst, ports, proto;
} places;

/* Posts the rules of a batch by `post(i, flags)`, with one doorbell. */
#define RULE_BATCH(post)                                 \
	struct dvx_sq batch = dvx_sq_begin(&sq);         \
	int err = 0;                                     \
                                                         \
	for (uint32_t i = 0; i < RULES - 1 && !err; i++) \
		err = post(i, 0);                        \
	if (!err)                                        \
		err = post(RULES - 1, DVX_SIGNALED);     \
	dvx_sq_end(&sq, &batch);                         \
	dvx_sq_ring(&sq);                                \
	return err

NOINLINE int post_rules(const uint8_t (*tag)[DVX_TAG_BYTES], uint64_t wr_id)
{
#define RULE(i, flags) dvx_post_rule(&batch, &image, tag[i], wr_id + (i), flags)
	RULE_BATCH(RULE);
#undef RULE
}

NOINLINE int post_deletions(const uint8_t (*tag)[DVX_TAG_BYTES], uint64_t wr_id)
{
#define DELETION(i, flags) dvx_post_rule_del(&batch, &image, tag[i], wr_id + (i), flags)
	RULE_BATCH(DELETION);
#undef DELETION
}

/* Writes the tag of a flow. */
INLINE void tuple_tag(const struct places *at, const struct tuple *t, uint8_t *tag)
{
	memcpy(tag, at->base, DVX_TAG_BYTES);
	memcpy(tag + at->src, &t->src, sizeof(t->src));
	memcpy(tag + at->dst, &t->dst, sizeof(t->dst));
	memcpy(tag + at->ports, &t->ports, sizeof(t->ports));
	tag[at->proto] = t->proto;
}

INLINE int post_tuple(struct dvx_sq *batch, const struct places *at, const struct tuple *t,
		      uint64_t wr_id, uint32_t flags)
{
	struct dvx_sq_place p;
	int err = dvx_post_rule_begin(batch, &image, flags, &p);

	if (err)
		return err;
	tuple_tag(at, t, dvx_rule_tag(&p));
	dvx_sq_commit(batch, &p, wr_id);
	return 0;
}

NOINLINE int post_tuples(const struct tuple *t, uint64_t wr_id)
{
	struct places at = places;

#define TUPLE(i, flags) post_tuple(&batch, &at, &t[i], wr_id + (i), flags)
	RULE_BATCH(TUPLE);
#undef TUPLE
}

/* A rule with a list of rewrites, and the argument that has their values. */
INLINE int post_argument(struct dvx_sq *batch, uint32_t i, const uint8_t *data, const uint8_t *tag,
			 uint64_t wr_id, uint32_t flags)
{
	struct dvx_sq_place p;
	int err = dvx_post_rule_arg(batch, 0x100 + i, data, DVX_ARG_BYTES, 0, 0);

	if (!err)
		err = dvx_post_rule_begin(batch, &image, flags | DVX_SMALL_FENCE, &p);
	if (err)
		return err;
	memcpy(dvx_rule_tag(&p), tag, DVX_TAG_BYTES);
	dvx_hws_image_value(dvx_rule_image(&p), i);
	dvx_sq_commit(batch, &p, wr_id);
	return 0;
}

NOINLINE int post_arguments(const uint8_t (*tag)[DVX_TAG_BYTES],
			    const uint8_t (*data)[DVX_ARG_BYTES], uint64_t wr_id)
{
#define ARGUMENT(i, flags) post_argument(&batch, i, data[i], tag[i], wr_id + (i), flags)
	RULE_BATCH(ARGUMENT);
#undef ARGUMENT
}

/* ---- At once ---- */

/* Announces a batch that was posted, or not. */
INLINE int ring_all(int err)
{
	dvx_sq_ring(&sq);
	return err;
}

NOINLINE int post_all_rules(const uint8_t (*tag)[DVX_TAG_BYTES], uint64_t wr_id)
{
	return ring_all(dvx_post_rules(&sq, &image, tag, RULES, wr_id, DVX_SIGNALED));
}

NOINLINE int post_all_deletions(const uint8_t (*tag)[DVX_TAG_BYTES], uint64_t wr_id)
{
	return ring_all(dvx_post_rules_del(&sq, &image, tag, RULES, wr_id, DVX_SIGNALED));
}

struct tuple_source {
	struct places at;
	const struct tuple *t;
};

INLINE void fill_tuple(const void *from, uint32_t i, const struct dvx_sq_place *p)
{
	const struct tuple_source *s = (const struct tuple_source *)from;

	tuple_tag(&s->at, &s->t[i], dvx_rule_tag(p));
}

NOINLINE int post_all_tuples(const struct tuple *t, uint64_t wr_id)
{
	const struct tuple_source s = {places, t};

	return ring_all(dvx_post_rules_by(&sq, &image, fill_tuple, &s, RULES, wr_id, DVX_SIGNALED));
}

INLINE void fill_number(const void *from, uint32_t i, const struct dvx_sq_place *p)
{
	dvx_rule_fill_tag(from, i, p);
	dvx_hws_image_argument(dvx_rule_image(p), i);
}

NOINLINE int post_all_arguments(const uint8_t (*tag)[DVX_TAG_BYTES],
				const uint8_t (*data)[DVX_ARG_BYTES], uint64_t wr_id)
{
	int err = dvx_post_rule_args(&sq, 0x100, data, RULES, 0, 0);

	return ring_all(err ? err
			    : dvx_post_rules_by(&sq, &image, fill_number, tag, RULES, wr_id,
						DVX_SIGNALED | DVX_SMALL_FENCE));
}

/* An image of a rule with a destination and one rewrite, and tags of IPv4 flows. */
static void rules_init(void)
{
	uint8_t *wqe = (uint8_t *)image.wqe;

	prm_wqe_ctrl_seg_set_general_id(wqe, 0x77);
	prm_wqe_gta_ctrl_seg_set_stcs(wqe + DVX_SEG, 3);
	prm_wqe_gta_ctrl_seg_set_stc_hit(wqe + DVX_SEG, 5);
	prm_wqe_gta_ctrl_seg_set_stc_dw6(wqe + DVX_SEG, 6);
	places = (struct places){.src = 8, .dst = 4, .ports = 12, .proto = 19};
	places.base[17] = 0x18;
	for (uint32_t i = 0; i < RULES; i++) {
		tuples[i] = (struct tuple){prm_swap32(0x0a000000 + i), prm_swap32(0x0a000101),
					   prm_swap32(0x03e80050 + i), 17};
		tuple_tag(&places, &tuples[i], tags[i]);
		memset(arguments[i], (int)i, DVX_ARG_BYTES);
	}
}

#endif
