/* SPDX-License-Identifier: BSD-2-Clause */
/* What entries of format 1 do to a packet: tag it, cut and insert headers, rewrite fields. */
#include <inttypes.h>
#include <string.h>
#include "ste1.h"
#include "obj/vhca.h"

#define WORD	    2u /* offsets and sizes count words */
#define LIST_UNIT   64u
#define LIST_ACTION 8u
#define MAC_BYTES   12u
#define PARSED_BY_STEP 64u /* bytes of headers that take as long as to look at an entry */

typedef bool action_fn(const struct steer_walk *, const uint8_t *action, unsigned int *changed);

/* --- cutting and inserting ----------------------------------------------------------------- */

/* Whatever counts from headers next must find them where they are, and inside the packet. */
static bool ste_action_moved(const struct steer_walk *w, unsigned int *changed)
{
	packet_parse_headers(w->packet);
	*changed |= STE_MOVED;
	return true;
}

/* The headers before the place move, not the payload behind it. */
static bool ste_action_cut(const struct steer_walk *w, uint32_t at, uint32_t n,
			   unsigned int *changed)
{
	struct packet *p = w->packet;

	if (at > p->len || n > p->len - at || p->len - n < VHCA_FRAME_MIN)
		return steer_lost(w, "an action removes %u bytes at %u of a packet of %u", n, at,
				  p->len);
	memmove(p->data + n, p->data, at);
	p->data += n;
	p->len -= n;
	p->headroom += n;
	return ste_action_moved(w, changed);
}

static bool ste_action_insert(const struct steer_walk *w, uint32_t at, const void *bytes,
			      uint32_t n, unsigned int *changed)
{
	struct packet *p = w->packet;

	if (at > p->len || n > p->headroom || p->len + n > VHCA_FRAME_MAX)
		return steer_lost(w,
				  "an action inserts %u bytes at %u of a packet of %u: there is"
				  " room for %u more",
				  n, at, p->len, p->headroom);
	p->data -= n;
	p->len += n;
	p->headroom -= n;
	memmove(p->data, p->data + n, at);
	memcpy(p->data + at, bytes, n);
	return ste_action_moved(w, changed);
}

/* Where a header begins; false: the packet has none. */
static bool anchor_at(const struct packet *p, unsigned int anchor, uint32_t *at)
{
	switch (anchor) {
	case PRM_STE_ANCHOR_START_OUTER:
		*at = p->outer.l2;
		return p->outer.present;
	case PRM_STE_ANCHOR_1ST_VLAN:
		*at = p->outer.l2 + MAC_BYTES;
		return p->outer.present && p->outer.vlans;
	case PRM_STE_ANCHOR_IPV6_IPV4:
		*at = p->outer.l3;
		return p->outer.l3;
	case PRM_STE_ANCHOR_INNER_MAC:
		*at = p->inner.l2;
		return p->inner.ethernet;
	case PRM_STE_ANCHOR_INNER_IPV6_IPV4:
		*at = p->inner.l3;
		return p->inner.present && p->inner.l3;
	default:
		return false;
	}
}

/* [I] Hardware's way with a header that is not there is not known: here the packet is lost. */
static bool find_anchor(const struct steer_walk *w, unsigned int anchor, uint32_t *at)
{
	if (anchor_at(w->packet, anchor, at))
		return true;
	return steer_lost(w, "an action counts from anchor 0x%02x, which the packet does not have",
			  anchor);
}

static bool remove_by_size(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	uint32_t at;

	if (!find_anchor(w, prm_ste_single_action_remove_header_size_v1_get_start_anchor(a), &at))
		return false;
	at += WORD * prm_ste_single_action_remove_header_size_v1_get_start_offset(a);
	return ste_action_cut(w, at,
			      WORD * prm_ste_single_action_remove_header_size_v1_get_remove_size(a),
			      changed);
}

static bool remove_headers(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	uint32_t from, to;

	if (!find_anchor(w, prm_ste_single_action_remove_header_v1_get_start_anchor(a), &from) ||
	    !find_anchor(w, prm_ste_single_action_remove_header_v1_get_end_anchor(a), &to))
		return false;
	if (to < from)
		return steer_lost(w, "an action removes headers up to one that comes before");
	return ste_action_cut(w, from, to - from, changed);
}

static bool insert_inline(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	uint32_t at, data;

	if (!find_anchor(w, prm_ste_double_action_insert_with_inline_v1_get_start_anchor(a), &at))
		return false;
	memcpy(&data, a + LIST_ACTION - sizeof(data), sizeof(data));
	at += WORD * prm_ste_double_action_insert_with_inline_v1_get_start_offset(a);
	return ste_action_insert(w, at, &data, sizeof(data), changed);
}

/* --- by number ----------------------------------------------------------------------------- */

static bool flow_tag(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	(void)changed;
	w->packet->flow_tag = prm_ste_single_action_flow_tag_v1_get_flow_tag(a);
	return true;
}

static bool nop(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	(void)w;
	(void)a;
	(void)changed;
	return true;
}

static action_fn modify_list;

static const struct action_row {
	uint8_t bytes;
	action_fn *run;
} rows[] = {
	[PRM_STE_ACTION_NOP] = {4, nop},
	[PRM_STE_ACTION_COPY] = {8, ste_rewrite},
	[PRM_STE_ACTION_SET] = {8, ste_rewrite},
	[PRM_STE_ACTION_ADD] = {8, ste_rewrite},
	[PRM_STE_ACTION_REMOVE_BY_SIZE] = {4, remove_by_size},
	[PRM_STE_ACTION_REMOVE_HEADER_TO_HEADER] = {4, remove_headers},
	[PRM_STE_ACTION_INSERT_INLINE] = {8, insert_inline},
	[PRM_STE_ACTION_FLOW_TAG] = {4, flow_tag},
	[PRM_STE_ACTION_MODIFY_LIST] = {4, modify_list},
};

static const struct action_row *ste_action_row_of(const struct steer_walk *w, const uint8_t *a,
						  unsigned int left)
{
	const struct action_row *row = a[0] < sizeof(rows) / sizeof(rows[0]) ? &rows[a[0]] : NULL;

	if (!row || !row->run) {
		steer_lost(w, "an entry's action 0x%02x is not implemented", a[0]);
		return NULL;
	}
	if (row->bytes > left) {
		steer_lost(w, "an entry's action 0x%02x of %u bytes begins in its last %u", a[0],
			   row->bytes, left);
		return NULL;
	}
	return row;
}

/* Of a list, each action has 8 bytes. It was paid for. */
static bool modify_list(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	uint64_t at = icm_addr(ICM_MODIFY, 0) +
		      LIST_UNIT * prm_ste_single_action_modify_list_v1_get_modify_actions_ptr(a);
	unsigned int n = prm_ste_single_action_modify_list_v1_get_num_of_modify_actions(a);
	const uint8_t *list = icm_bytes(w->vhca, at, n * LIST_ACTION);

	if (n && !list)
		return steer_lost(w,
				  "an entry's list of %u rewrites at 0x%" PRIx64
				  " is not in allocated steering memory",
				  n, at);
	for (; n; n--, list += LIST_ACTION) {
		const struct action_row *row = ste_action_row_of(w, list, LIST_ACTION);

		if (!row)
			return false;
		if (row->run == modify_list)
			return steer_lost(w, "a list of rewrites names another one");
		if (!row->run(w, list, changed))
			return false;
	}
	return true;
}

bool ste_pay(struct steer_walk *w, unsigned int n)
{
	uint64_t cost = (uint64_t)n * (1 + w->packet->outer.end / PARSED_BY_STEP);

	if (cost > w->steps)
		return steer_lost(w, "its entries do more work than any packet may ask for");
	w->steps -= (unsigned int)cost;
	return true;
}

static bool pay_list(struct steer_walk *w, action_fn *run, const uint8_t *a)
{
	return run != modify_list ||
	       ste_pay(w, prm_ste_single_action_modify_list_v1_get_num_of_modify_actions(a));
}

bool ste_actions(struct steer_walk *w, const uint8_t *action, unsigned int bytes,
		 unsigned int *changed)
{
	const uint8_t *end = action + bytes;

	while (action < end) {
		const struct action_row *row;

		if (action[0] == PRM_STE_ACTION_NOP) { /* most are */
			action += rows[PRM_STE_ACTION_NOP].bytes;
			continue;
		}
		row = ste_action_row_of(w, action, (unsigned int)(end - action));
		if (!row || !pay_list(w, row->run, action) || !row->run(w, action, changed))
			return false;
		action += row->bytes;
	}
	return true;
}
