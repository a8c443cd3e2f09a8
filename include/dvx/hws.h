/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_HWS_H
#define DVX_HWS_H

/*
 * Hardware steering: rules written by work requests. A domain with DVX_FLOW_HARDWARE has its tables,
 * matchers and actions from flow.h. Its rules can come from flow.h, too, or at the speed of a ring
 * from the calls of this header: one request of 128 bytes writes a rule, and its completion says
 * whether the rule is in effect.
 *
 *	dvx_flow_matcher_create(table, &(struct dvx_flow_matcher_attr){
 *		.size = sizeof(struct dvx_flow_matcher_attr), .match = &m, .expected_rules = 1 << 20},
 *		&matcher);
 *	dvx_hws_image_make(&(struct dvx_flow_rule_attr){ .size = ..., .matcher = matcher,
 *		.match = &m, .actions = &to_queue, .action_count = 1}, 0, &image);
 *	dvx_hws_tag_field(matcher, "outer_headers.udp_dport", &bit);
 *
 *	prm_store16(tag, bit / 8, port);
 *	if (dvx_post_rule(sq, &image, tag, cookie, DVX_SIGNALED) == -ENOSPC)
 *		poll first: the ring is full, nothing was written
 *	dvx_sq_ring(sq);
 *	if (dvx_cq_poll(cq, &wc) == 1 && dvx_rule_failed(&wc))
 *		there was no room: post it again with the image of the spill table
 *
 * An image is a request ready to be posted: a matcher's table and the actions of its rules. A tag is
 * a rule's values, as the device compares them. Nothing is allocated or remembered by a post: the
 * caller keeps the tag, and in which of two tables the rule is, for its deletion. A matcher's rules
 * come either all from dvx_flow_rule_create(), or all from these calls. `sq` is a dvx_txq with
 * DVX_TXQ_RULES and the domain's PD.
 *
 * A rule that finds no room completes as failed also without DVX_SIGNALED [I]. So a batch needs one
 * signaled request, its last one: when that has completed, all rules before it are in effect but for
 * those whose failures came first.
 */
#include <dvx/flow.h>
#include <dvx/poll.h>
#include <dvx/post.h>
#include <dvx/prm/hws.h>

DVX_BEGIN_DECLS

#define DVX_RULE_BYTES	   128u /* of a request */
#define DVX_TAG_BYTES	   32u
#define DVX_LONG_TAG_BYTES 44u
#define DVX_ARG_BYTES	   64u /* of an argument */

/* ---- Slow calls ---- */

/* Returns the PD of the domain's objects, for the queues that write rules; NULL: no DVX_FLOW_HARDWARE. */
struct dvx_pd *dvx_flow_domain_pd(const struct dvx_flow_domain *domain);

/*
 * Returns how many bytes the tags of this matcher have: DVX_TAG_BYTES, or DVX_LONG_TAG_BYTES if its
 * fields do not fit there; 0: its rules are not written by requests. Rules with long tags have a
 * destination and a counter, but no other action.
 */
uint32_t dvx_hws_tag_bytes(const struct dvx_flow_matcher *matcher);
/* Writes the tag of a rule: `value` as in dvx_flow_rule_attr. Bits outside the fields are 0. */
int dvx_hws_tag_make(struct dvx_flow_matcher *matcher, const struct dvx_flow_match *value,
		     void *tag);
/*
 * Finds the place of a field in tags: its first bit, as prm_bits_set() counts them. Fields have the
 * names of dvx_flow_match_set(); an address of 32 or 128 bits is in one piece, a MAC address in its
 * two parts. -ENOENT: the matcher does not compare all of the field.
 */
int dvx_hws_tag_field(const struct dvx_flow_matcher *matcher, const char *field, uint32_t *bit);

/* A request without its tag; the device's numbers in it are valid while matcher and actions are. */
struct dvx_hws_image {
	uint64_t wqe[DVX_RULE_BYTES / 8];
};

enum dvx_hws_image_flags {
	DVX_HWS_SPILL = 1 << 0, /* for the table behind, which has rules whose rows were full */
	DVX_HWS_TX =
		1 << 1, /* for packets from functions, in the FDB; else for those from the wire */
};

/* Makes the image of rules with these actions. Of `rule`, match has the values of one of them. */
int dvx_hws_image_make(const struct dvx_flow_rule_attr *rule, uint32_t flags,
		       struct dvx_hws_image *out);

/* These set a value that differs from rule to rule, in a copy of an image whose actions have one. */
/* The number of the counter, in the bulk that has the action's. */
DVX_INLINE void dvx_hws_image_counter(struct dvx_hws_image *image, uint32_t number)
{
	prm_wqe_gta_data_seg_ste_set_counter_id((uint8_t *)image->wqe + DVX_BLOCK, number);
}

/* Templates that every domain has, and that do nothing. */
#define DVX_HWS_NOPS 4u
/*
 * The tag action's tag, in dword 5. In an entry of three actions of one dword it is in dword 6 if that
 * has one: a decap, or the removal of a VLAN tag, comes first.
 */
DVX_INLINE void dvx_hws_image_flow_tag(struct dvx_hws_image *image, uint32_t tag)
{
	uint8_t *wqe = (uint8_t *)image->wqe;
	const bool second = prm_wqe_gta_ctrl_seg_get_stcs(wqe + DVX_SEG) == 4 &&
			    prm_wqe_gta_ctrl_seg_get_stc_dw6(wqe + DVX_SEG) >= DVX_HWS_NOPS;

	prm_store32(wqe, DVX_BLOCK + 4 * (second ? 6u : 5u), tag);
}

/* The value of a modify action that sets or adds to one field, in the field's low bits. */
DVX_INLINE void dvx_hws_image_value(struct dvx_hws_image *image, uint32_t value)
{
	prm_wqe_gta_data_seg_ste_set_dw7((uint8_t *)image->wqe + DVX_BLOCK, value);
}

/*
 * Makes n arguments, of DVX_ARG_BYTES each, numbered from 0: values that
 * dvx_post_rule_arg() writes, and that rules name. Several rules may name one. PRM: general object
 * MODIFY_HEADER_ARG.
 */
struct dvx_hws_args;
int dvx_hws_args_create(struct dvx_flow_domain *domain, uint32_t n, struct dvx_hws_args **out);
int dvx_hws_args_destroy(struct dvx_hws_args *args);
/*
 * Returns the device's number of an argument, for dvx_post_rule_arg(). Returns UINT32_MAX, with a sentence
 * (dvx_last_error()), if args has fewer.
 */
uint32_t dvx_hws_args_id(const struct dvx_hws_args *args, uint32_t number);
/*
 * Makes an action that rewrites up to eight fields, as dvx_flow_action_create_modify() does, with the
 * values of a rule's argument. An argument's bytes are list.action with the values of its rules.
 */
int dvx_hws_action_create_modify(struct dvx_flow_domain *domain,
				 const struct dvx_flow_rewrites *list, struct dvx_hws_args *args,
				 struct dvx_flow_action **out);
/* Sets the number of the argument in a copy of an image that has such an action. */
DVX_INLINE void dvx_hws_image_argument(struct dvx_hws_image *image, uint32_t number)
{
	prm_wqe_gta_data_seg_ste_set_dw7((uint8_t *)image->wqe + DVX_BLOCK, number);
}

/*
 * Makes a matcher whose rules have an index, from 0 to rules - 1, and no tag: a packet's register C3
 * is the index of its rule. Packets whose entry is empty go on behind it. It has at most 2^16 rules,
 * which come from dvx_post_rule_at(); the match of their image is empty.
 */
int dvx_hws_matcher_create_linear(struct dvx_flow_table *table, uint32_t priority, uint32_t rules,
				  struct dvx_flow_matcher **out);

/*
 * A matcher with ranges: its rules compare the fields of the mask, and besides up to DVX_HWS_RANGES fields of at most 32
 * bits with a least and a most value. A command writes such a rule, which takes as long as any command, and a packet
 * compares the rules of a row one by one. Rules of prefixes (dvx_flow_range()) are faster if there are few of them.
 */
#define DVX_HWS_RANGES 4u
/* Both values are in the range. */
struct dvx_hws_range {
	uint32_t least, most;
};
/* `fields` has n names as of dvx_flow_match_set(), of fields that attr.match does not mask. */
int dvx_hws_matcher_create_ranges(struct dvx_flow_table *table,
				  const struct dvx_flow_matcher_attr *attr,
				  const char *const *fields, uint32_t n,
				  struct dvx_flow_matcher **out);
/*
 * Writes a rule: an image of the matcher, a tag of DVX_TAG_BYTES, and a range for each field, in their order. A rule
 * that the image's table has with this tag and these ranges is replaced. -ENOMEM: its row is full.
 */
int dvx_hws_range_rule_write(const struct dvx_flow_matcher *matcher,
			     const struct dvx_hws_image *image, const void *tag,
			     const struct dvx_hws_range *ranges);
/* Removes the rule with this tag and these ranges from the image's table. -ENOENT: it has none. */
int dvx_hws_range_rule_remove(const struct dvx_flow_matcher *matcher,
			      const struct dvx_hws_image *image, const void *tag,
			      const struct dvx_hws_range *ranges);

/* ---- Rules ---- */

#define DVX_RULE_DS (DVX_RULE_BYTES / DVX_SEG)

/*
 * Begins a request about an entry: writes all but its tag. `op` and `index` are of PRM
 * wqe_gta_ctrl_seg; a removal needs nothing of the image but its table. Programs use the calls below.
 */
DVX_INLINE int dvx_rule_claim(struct dvx_sq *sq, const struct dvx_hws_image *image,
			      enum prm_gta_op op, uint32_t index, uint32_t tag_bytes,
			      uint32_t flags, struct dvx_sq_place *p)
{
	const uint32_t head = DVX_RULE_BYTES - tag_bytes - DVX_SEG;
	const uint8_t *from = (const uint8_t *)image->wqe;
	int err = dvx_post_claim(sq, DVX_RULE_DS, flags, p);
	uint64_t table;

	if (DVX_UNLIKELY(err))
		return err;
	table = prm_take64(from, DVX_SEG / 2);
	dvx_sq_ctrl(sq, p, PRM_WQE_OPCODE_FLOW_TBL_ACCESS, PRM_GTA_OPMOD_STE, DVX_RULE_DS, flags,
		    0);
	prm_put64(p->wqe, DVX_SEG / 2, prm_take64(p->wqe, DVX_SEG / 2) | table);
	if (op == PRM_GTA_OP_ACTIVATE)
		__builtin_memcpy(p->wqe + DVX_SEG, from + DVX_SEG, head);
	else
		__builtin_memset(p->wqe + DVX_SEG, 0, head);
	if (op != PRM_GTA_OP_ACTIVATE || index)
		prm_store32(p->wqe, DVX_SEG, (uint32_t)op << 28 | index);
	return 0;
}

/* Posts a request about an entry. */
DVX_INLINE int dvx_rule_post(struct dvx_sq *sq, const struct dvx_hws_image *image,
			     enum prm_gta_op op, uint32_t index, const void *tag,
			     uint32_t tag_bytes, uint64_t wr_id, uint32_t flags)
{
	struct dvx_sq_place p;
	int err = dvx_rule_claim(sq, image, op, index, tag_bytes, flags, &p);

	if (DVX_UNLIKELY(err))
		return err;
	__builtin_memcpy(p.wqe + DVX_RULE_BYTES - tag_bytes, tag, tag_bytes);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/* Writes a rule; one that the table has with this tag is replaced. `tag` has DVX_TAG_BYTES. */
DVX_INLINE int dvx_post_rule(struct dvx_sq *sq, const struct dvx_hws_image *image, const void *tag,
			     uint64_t wr_id, uint32_t flags)
{
	return dvx_rule_post(sq, image, PRM_GTA_OP_ACTIVATE, 0, tag, DVX_TAG_BYTES, wr_id, flags);
}

/* Deletes the rule with this tag from the image's table. It fails if there is none. */
DVX_INLINE int dvx_post_rule_del(struct dvx_sq *sq, const struct dvx_hws_image *image,
				 const void *tag, uint64_t wr_id, uint32_t flags)
{
	return dvx_rule_post(sq, image, PRM_GTA_OP_DEACTIVATE, 0, tag, DVX_TAG_BYTES, wr_id, flags);
}

/* These do the same with tags of DVX_LONG_TAG_BYTES. */
DVX_INLINE int dvx_post_rule_jumbo(struct dvx_sq *sq, const struct dvx_hws_image *image,
				   const void *tag, uint64_t wr_id, uint32_t flags)
{
	return dvx_rule_post(sq, image, PRM_GTA_OP_ACTIVATE, 0, tag, DVX_LONG_TAG_BYTES, wr_id,
			     flags);
}

DVX_INLINE int dvx_post_rule_jumbo_del(struct dvx_sq *sq, const struct dvx_hws_image *image,
				       const void *tag, uint64_t wr_id, uint32_t flags)
{
	return dvx_rule_post(sq, image, PRM_GTA_OP_DEACTIVATE, 0, tag, DVX_LONG_TAG_BYTES, wr_id,
			     flags);
}

/* Posts a request about the entry of this index. */
DVX_INLINE int dvx_rule_post_at(struct dvx_sq *sq, const struct dvx_hws_image *image,
				enum prm_gta_op op, uint32_t index, uint64_t wr_id, uint32_t flags)
{
	struct dvx_sq_place p;
	int err = dvx_rule_claim(sq, image, op, index, DVX_TAG_BYTES, flags, &p);

	if (DVX_UNLIKELY(err))
		return err;
	__builtin_memset(p.wqe + DVX_RULE_BYTES - DVX_TAG_BYTES, 0, DVX_TAG_BYTES);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/* Writes the rule of this index; one that is there is replaced. It fails outside the table. */
DVX_INLINE int dvx_post_rule_at(struct dvx_sq *sq, const struct dvx_hws_image *image,
				uint32_t index, uint64_t wr_id, uint32_t flags)
{
	return dvx_rule_post_at(sq, image, PRM_GTA_OP_ACTIVATE, index, wr_id, flags);
}

/* Deletes the rule of this index. It fails if there is none. */
DVX_INLINE int dvx_post_rule_at_del(struct dvx_sq *sq, const struct dvx_hws_image *image,
				    uint32_t index, uint64_t wr_id, uint32_t flags)
{
	return dvx_rule_post_at(sq, image, PRM_GTA_OP_DEACTIVATE, index, wr_id, flags);
}

/*
 * Begins a rule whose tag or values are made in the request itself. A tag that is made in other
 * memory and copied at once costs twice the cycles: the copy waits for the stores.
 *
 *	if (!dvx_post_rule_begin(sq, &image, DVX_SIGNALED, &p)) {
 *		memcpy(dvx_rule_tag(&p), base, DVX_TAG_BYTES);
 *		prm_store16(dvx_rule_tag(&p), bit / 8, port);
 *		dvx_hws_image_value(dvx_rule_image(&p), value);
 *		dvx_sq_commit(sq, &p, cookie);
 *	}
 */
DVX_INLINE int dvx_post_rule_begin(struct dvx_sq *sq, const struct dvx_hws_image *image,
				   uint32_t flags, struct dvx_sq_place *p)
{
	return dvx_rule_claim(sq, image, PRM_GTA_OP_ACTIVATE, 0, DVX_TAG_BYTES, flags, p);
}

/* Return the place of the tag, DVX_TAG_BYTES, and the request as an image. */
DVX_INLINE uint8_t *dvx_rule_tag(const struct dvx_sq_place *p)
{
	return p->wqe + DVX_RULE_BYTES - DVX_TAG_BYTES;
}

DVX_INLINE struct dvx_hws_image *dvx_rule_image(const struct dvx_sq_place *p)
{
	return (struct dvx_hws_image *)__builtin_assume_aligned(p->wqe, DVX_BLOCK);
}

/* Tells whether a completed request wrote or deleted no rule; dvx_cq_poll() set *wc. */
DVX_INLINE bool dvx_rule_failed(const struct dvx_wc *wc)
{
	return wc->byte_count >> 31;
}

/* ---- Arguments ---- */

/*
 * Writes an argument: len bytes, up to DVX_ARG_BYTES; the rest becomes 0. A rule that uses it has
 * DVX_SMALL_FENCE, if it comes behind in the same queue.
 */
DVX_INLINE int dvx_post_rule_arg(struct dvx_sq *sq, uint32_t id, const void *data, uint32_t len,
				 uint64_t wr_id, uint32_t flags)
{
	struct dvx_sq_place p;
	int err;

	if (DVX_UNLIKELY(len > DVX_ARG_BYTES))
		return -EMSGSIZE;
	err = dvx_post_claim(sq, DVX_RULE_DS, flags, &p);
	if (DVX_UNLIKELY(err))
		return err;
	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_FLOW_TBL_ACCESS, PRM_GTA_OPMOD_ARGUMENT, DVX_RULE_DS,
		    flags, id);
	__builtin_memset(p.wqe + DVX_SEG, 0, DVX_BLOCK - DVX_SEG);
	if (len < DVX_ARG_BYTES)
		__builtin_memset(p.wqe + DVX_BLOCK, 0, DVX_ARG_BYTES);
	dvx_wqe_copy(p.wqe + DVX_BLOCK, data, len);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/* ---- Many at once ----
 *
 * These post n requests with one check for room, or none of them: -ENOSPC if fewer than n fit. They
 * are faster than n posts. The cookie of request i is wr_id + i. Of `flags`, fences are of the first
 * request; DVX_SIGNALED and DVX_SOLICITED of the last one.
 */

/* Writes what differs from request to request into request i: dvx_rule_tag(), dvx_rule_image(). */
typedef void (*dvx_rule_fill)(const void *from, uint32_t i, const struct dvx_sq_place *p);

/* Two words that one instruction stores: stores bound the rate of rules. */
typedef uint64_t dvx_rule_words __attribute__((vector_size(16), aligned(8), may_alias));

#define DVX_RULE_BLOCKS (DVX_RULE_BYTES / DVX_BLOCK)
/* Behind the control segment, before a tag (which may write the last one, too) or an argument. */
#define DVX_RULE_WORDS 5u
#define DVX_ARG_WORDS  3u

/* Finds room from an even block on, so that none of the n requests crosses the ring's end. */
DVX_INLINE int dvx_rule_claim_many(struct dvx_sq *sq, uint32_t n, uint32_t flags)
{
	uint32_t odd = sq->pi % DVX_RULE_BLOCKS;

	if (DVX_UNLIKELY(flags & ~(uint32_t)DVX_POST_FLAGS))
		return -EBADR;
	if (DVX_UNLIKELY(!dvx_sq_fits(sq, DVX_RULE_DS)))
		return -EMSGSIZE;
	if (DVX_UNLIKELY(dvx_sq_has_second_user(sq) ||
			 (uint64_t)n * DVX_RULE_BLOCKS + odd > dvx_sq_free(sq)))
		return dvx_sq_refuse(sq);
	if (DVX_UNLIKELY(odd))
		dvx_sq_pad_block(sq);
	return 0;
}

/* Adds flags to a request that was written. */
DVX_INLINE void dvx_rule_flag(const struct dvx_sq *sq, uint32_t index, uint32_t flags)
{
	uint8_t *wqe = dvx_sq_place_at(sq, index, DVX_RULE_BLOCKS).wqe;

	prm_wqe_ctrl_seg_set_fm_ce_se(wqe, prm_wqe_ctrl_seg_get_fm_ce_se(wqe) | flags >> 8);
}

/* Returns the control segment of request number p->index. */
DVX_INLINE dvx_rule_words dvx_rule_ctrl(const struct dvx_sq *sq, struct dvx_sq_place p,
					enum prm_gta_opmod opmod, uint32_t id)
{
	uint64_t seg[2];
	dvx_rule_words words;

	p.wqe = (uint8_t *)seg;
	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_FLOW_TBL_ACCESS, (uint8_t)opmod, DVX_RULE_DS, 0, id);
	words[0] = seg[0];
	words[1] = seg[1];
	return words;
}

/*
 * Posts n requests that are equal but for their tags or arguments, which `fill` writes; each argument
 * has the next number.
 */
DVX_INLINE int dvx_rule_post_many(struct dvx_sq *sq, const struct dvx_hws_image *image,
				  enum prm_gta_opmod opmod, dvx_rule_fill fill, const void *from,
				  uint32_t n, uint64_t wr_id, uint32_t flags)
{
	const bool argument = opmod == PRM_GTA_OPMOD_ARGUMENT;
	const uint32_t words = argument ? DVX_ARG_WORDS : DVX_RULE_WORDS;
	const uint32_t ends = DVX_SIGNALED | DVX_SOLICITED;
	const uint32_t id = prm_wqe_ctrl_seg_get_general_id(image->wqe);
	int err = n ? dvx_rule_claim_many(sq, n, flags) : 0;
	const struct dvx_sq ring = *sq;
	dvx_rule_words body[DVX_RULE_WORDS] = PRM_NOTHING,
		       slot = {wr_id, ring.pi + DVX_RULE_BLOCKS};
	const dvx_rule_words next = {1, DVX_RULE_BLOCKS};
	uint64_t head = 0;

	if (DVX_UNLIKELY(err) || !n)
		return err;
#pragma GCC unroll 5
	for (uint32_t i = 0; i < words; i++)
		body[i] = ((const dvx_rule_words *)image->wqe)[i + 1];
	for (uint32_t i = 0; i < n; i++, slot += next) {
		struct dvx_sq_place p =
			dvx_sq_place_at(&ring, ring.pi + i * DVX_RULE_BLOCKS, DVX_RULE_BLOCKS);
		dvx_rule_words *to = (dvx_rule_words *)p.wqe;

		const dvx_rule_words ctrl = dvx_rule_ctrl(&ring, p, opmod, id + (argument ? i : 0));

		to[0] = ctrl;
		head = ctrl[0];
#pragma GCC unroll 5
		for (uint32_t j = 0; j < words; j++)
			to[j + 1] = body[j];
		fill(from, i, &p);
		*(dvx_rule_words *)p.slot = slot;
	}
	dvx_rule_flag(sq, ring.pi, flags & ~ends);
	dvx_rule_flag(sq, ring.pi + (n - 1) * DVX_RULE_BLOCKS, flags & ends);
	sq->head = head;
	sq->pi = ring.pi + n * DVX_RULE_BLOCKS;
	return 0;
}

/* Copies a tag, from an array of tags. */
DVX_INLINE void dvx_rule_fill_tag(const void *from, uint32_t i, const struct dvx_sq_place *p)
{
	__builtin_memcpy(dvx_rule_tag(p), (const uint8_t *)from + (size_t)i * DVX_TAG_BYTES,
			 DVX_TAG_BYTES);
}

/* Copies an argument, from an array of arguments. */
DVX_INLINE void dvx_rule_fill_arg(const void *from, uint32_t i, const struct dvx_sq_place *p)
{
	__builtin_memcpy(p->wqe + DVX_BLOCK, (const uint8_t *)from + (size_t)i * DVX_ARG_BYTES,
			 DVX_ARG_BYTES);
}

/* Writes n rules; `tags` has DVX_TAG_BYTES for each. */
DVX_INLINE int dvx_post_rules(struct dvx_sq *sq, const struct dvx_hws_image *image,
			      const void *tags, uint32_t n, uint64_t wr_id, uint32_t flags)
{
	return dvx_rule_post_many(sq, image, PRM_GTA_OPMOD_STE, dvx_rule_fill_tag, tags, n, wr_id,
				  flags);
}

/*
 * Writes n rules whose tags, and values, fill() writes into the requests: a tag that is made there
 * need not be copied.
 *
 *	static inline void fill(const void *from, uint32_t i, const struct dvx_sq_place *p)
 *	{
 *		const struct flows *f = from;
 *
 *		memcpy(dvx_rule_tag(p), f->base, DVX_TAG_BYTES);
 *		prm_store16(dvx_rule_tag(p), f->bit / 8, f->flow[i].port);
 *	}
 */
DVX_INLINE int dvx_post_rules_by(struct dvx_sq *sq, const struct dvx_hws_image *image,
				 dvx_rule_fill fill, const void *from, uint32_t n, uint64_t wr_id,
				 uint32_t flags)
{
	return dvx_rule_post_many(sq, image, PRM_GTA_OPMOD_STE, fill, from, n, wr_id, flags);
}

/* Deletes the rules with these tags from the image's table. */
DVX_INLINE int dvx_post_rules_del(struct dvx_sq *sq, const struct dvx_hws_image *image,
				  const void *tags, uint32_t n, uint64_t wr_id, uint32_t flags)
{
	struct dvx_hws_image del = PRM_NOTHING;

	del.wqe[1] = image->wqe[1];
	prm_wqe_gta_ctrl_seg_set_op(&del.wqe[2], PRM_GTA_OP_DEACTIVATE);
	return dvx_rule_post_many(sq, &del, PRM_GTA_OPMOD_STE, dvx_rule_fill_tag, tags, n, wr_id,
				  flags);
}

/* Writes n arguments, of DVX_ARG_BYTES each, whose numbers follow each other from id on. */
DVX_INLINE int dvx_post_rule_args(struct dvx_sq *sq, uint32_t id, const void *data, uint32_t n,
				  uint64_t wr_id, uint32_t flags)
{
	struct dvx_hws_image arg = PRM_NOTHING;

	prm_wqe_ctrl_seg_set_general_id(arg.wqe, id);
	return dvx_rule_post_many(sq, &arg, PRM_GTA_OPMOD_ARGUMENT, dvx_rule_fill_arg, data, n,
				  wr_id, flags);
}

DVX_END_DECLS

#endif
