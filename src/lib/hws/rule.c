/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of the flow API. A rule keeps its tag and its stage; completions come in the order of the
 * requests. One that finds its row full goes to another stage, when its completion is seen.
 */
#include "hws.h"

/* Requests of a doorbell, while more rules follow. */
#define HWS_BATCH 16u

/* The cookie of a request that writes a rule is the rule's address; of others this. */
#define HWS_COOKIE_OTHER 1u

/* ---- The queue ---- */

static int hws_place_again(struct hws_domain *d, struct hws_rule *r);

/* Handles a completion: a rule without room is tried in another stage. */
static int hws_complete(struct hws_domain *d, const struct dvx_wc *wc)
{
	struct hws_rule *r = (struct hws_rule *)(uintptr_t)wc->wr_id;

	d->waiting--;
	if (wc->wr_id == HWS_COOKIE_OTHER)
		return dvx_rule_failed(wc) ? dvx_fail(EIO,
						      "hardware steering: %s refused a rule's "
						      "deletion, or an entry of it",
						      dvx_dev_name(d->dev))
					   : 0;
	r->failed = (uint8_t)(r->failed + dvx_rule_failed(wc));
	if (--r->waits || !r->failed)
		return 0;
	/* Both sides have the same rules in the same rows. */
	if (r->failed != d->sides)
		return dvx_fail(EIO,
				"hardware steering: %s wrote a rule to one side of the FDB alone",
				dvx_dev_name(d->dev));
	r->failed = 0;
	r->stage->rules--;
	r->stage = NULL;
	return hws_place_again(d, r);
}

/* Keeps the failure of a request for dvx_flow_domain_sync(): who waits has other requests. */
static void hws_keep_failure(struct hws_domain *d, const struct dvx_wc *wc)
{
	d->late = *dvx_last_error();
	d->lost++;
	d->lost_any = true;
	if (wc->wr_id != HWS_COOKIE_OTHER)
		((struct hws_rule *)(uintptr_t)wc->wr_id)->lost = d->reports + 1;
}

/* Announces the requests that were posted. */
static void hws_ring(struct hws_domain *d)
{
	if (d->unrung)
		dvx_sq_ring(dvx_txq_ring(d->queue.txq));
	d->unrung = 0;
}

/* Fails only if the queue did. */
static int hws_wait_one(struct hws_domain *d)
{
	struct dvx_wc wc;
	int err = d->broken;

	if (err)
		return dvx_fail(-err, "hardware steering: an earlier request failed: make a new "
				      "domain");
	hws_ring(d);
	err = dvx_service_queue_wait(&d->queue, "hardware steering", &wc);
	d->broken = err;
	if (!err && hws_complete(d, &wc))
		hws_keep_failure(d, &wc);
	return err;
}

int dvx_hws_drain(struct hws_domain *d)
{
	int err = 0;

	while (d->waiting && !err)
		err = hws_wait_one(d);
	return err;
}

/* Waits for completions until the queue has room for n requests, and padding before one. */
static int hws_make_room(struct hws_domain *d, uint32_t n)
{
	struct dvx_sq *sq = dvx_txq_ring(d->queue.txq);
	int err = 0;

	while (!err && dvx_sq_free(sq) < (n + 1) * DVX_RULE_BLOCKS)
		err = hws_wait_one(d);
	return err;
}

static int hws_posted(struct hws_domain *d, int err)
{
	if (err)
		return dvx_fail(-err, "hardware steering: a request was not posted");
	d->waiting++;
	if (++d->unrung >= HWS_BATCH || !d->more)
		hws_ring(d);
	return 0;
}

int dvx_hws_write_argument(struct dvx_flow_domain *domain, uint32_t id, const uint8_t *data,
			   uint32_t bytes)
{
	struct hws_domain *d = hws_domain(domain);
	int err = 0;

	for (uint32_t at = 0; at < bytes && !err; at += DVX_ARG_BYTES, id++) {
		uint32_t n = bytes - at < DVX_ARG_BYTES ? bytes - at : DVX_ARG_BYTES;

		err = hws_make_room(d, 1);
		if (!err)
			err = hws_posted(d, dvx_post_rule_arg(dvx_txq_ring(d->queue.txq), id,
							      data + at, n, HWS_COOKIE_OTHER,
							      DVX_SIGNALED));
	}
	return err ? err : dvx_hws_drain(d);
}

/* ---- Places ---- */

/* Posts a request about a rule to each side's table, TX first; to all or to none. */
static int hws_post(struct hws_domain *d, struct hws_rule *r, enum prm_gta_op op,
		    struct dvx_hws_image *image, uint64_t cookie, uint32_t flags)
{
	int err = hws_make_room(d, d->sides);

	for (uint32_t side = d->sides; side-- && !err;) {
		hws_image_set_rtc(image, &r->stage->rtc.side[side]);
		err = hws_posted(d, dvx_rule_post(dvx_txq_ring(d->queue.txq), image, op, 0,
						  hws_rule_tag(r), hws_tag_bytes(&r->part->layout),
						  cookie, DVX_SIGNALED | flags));
	}
	return err;
}

/* Writes an entry that the rule's first one leads to. */
static int hws_post_more(struct hws_domain *d, const struct hws_place *at,
			 struct dvx_hws_image *image)
{
	static const uint8_t no_tag[DVX_TAG_BYTES];
	int err = hws_make_room(d, d->sides);

	for (uint32_t side = d->sides; side-- && !err;) {
		hws_image_set_rtc(image, &at->pool->rtc.side[side]);
		err = hws_posted(d, dvx_rule_post(dvx_txq_ring(d->queue.txq), image,
						  PRM_GTA_OP_ACTIVATE, at->index, no_tag,
						  DVX_TAG_BYTES, HWS_COOKIE_OTHER, DVX_SIGNALED));
	}
	return err;
}

/* Makes each entry lead to the next one. */
static void hws_lead(const struct hws_rule *r, struct hws_images *images)
{
	for (uint32_t i = 0; i + 1 < images->count; i++)
		dvx_hws_image_lead(&images->image[i], &r->place[i]);
}

static int hws_fill(const struct hws_rule *r, struct hws_images *images)
{
	return dvx_hws_images_fill(r->rule->actions, r->rule->action_count,
				   r->part->layout.key->wide, HWS_ENTRIES, "dvx_flow_rule_create",
				   images);
}

int dvx_hws_rule_images(const struct hws_rule *r, struct hws_images *out)
{
	int err = hws_fill(r, out);

	if (!err)
		hws_lead(r, out);
	return err;
}

/* Takes the places of a rule's further entries. */
static int hws_take_places(struct hws_rule *r, uint32_t entries)
{
	struct dvx_flow_domain *domain = r->rule->matcher->table->domain;
	int err = 0;

	if (entries > 1 && !r->place)
		r->place = calloc(HWS_ENTRIES - 1, sizeof(r->place[0]));
	if (entries > 1 && !r->place)
		return dvx_fail(ENOMEM, "no memory for the places of a rule's entries");
	for (; r->more + 1u < entries && !err; r->more = (uint8_t)(r->more + !err))
		err = dvx_hws_place_take(domain, &r->place[r->more]);
	return err;
}

/* The last entry comes first, so that each leads to one that is there. */
static int hws_write(struct hws_domain *d, struct hws_rule *r, struct hws_images *images)
{
	int err = hws_take_places(r, images->count);

	if (err)
		return err;
	hws_lead(r, images);
	for (uint32_t i = images->count; --i && !err;)
		err = hws_post_more(d, &r->place[i - 1], &images->image[i]);
	if (err)
		return err;
	err = hws_post(d, r, PRM_GTA_OP_ACTIVATE, &images->image[0], (uintptr_t)r,
		       images->count > 1 ? DVX_SMALL_FENCE : 0);
	r->waits = err ? 0 : d->sides;
	return err;
}

/* Frees a rule that is not on the device. */
static void hws_rule_free(struct hws_rule *r)
{
	while (r->more)
		dvx_hws_place_give(&r->place[--r->more]);
	free(r->place);
	free(r);
}

/*
 * Returns the stage to try next: the newest one of the large ones, then the others, each if it is
 * not three quarters full; then the short one of long rows, then a new one.
 */
static struct hws_stage *hws_next_stage(struct hws_rule *r)
{
	struct hws_part *part = r->part;
	uint32_t pick = part->count;

	for (uint32_t i = part->count; i--;) {
		const struct hws_stage *s = part->stage[i];
		uint32_t room = 3u << (s->log_rows + s->log_depth);

		if (i != 1 && !(r->tried >> i & 1) && s->rules < room / 4) {
			pick = i;
			break;
		}
	}
	if (pick == part->count && part->count > 1 && !(r->tried & 2))
		pick = 1;
	r->tried = (uint16_t)(r->tried | 1u << pick);
	return dvx_hws_part_stage(part, pick);
}

static int hws_place(struct hws_domain *d, struct hws_rule *r, struct hws_images *images)
{
	int err;

	r->stage = hws_next_stage(r);
	if (!r->stage)
		return -dvx_last_error()->err;
	err = hws_write(d, r, images);
	if (err) {
		r->stage = NULL;
		return err;
	}
	r->stage->rules++;
	return 0;
}

static int hws_place_again(struct hws_domain *d, struct hws_rule *r)
{
	struct hws_images images;
	int err = hws_fill(r, &images);

	return err ? err : hws_place(d, r, &images);
}

/* Waits for the completions that decide where the rule is. */
static int hws_wait_for(struct hws_domain *d, const struct hws_rule *r)
{
	int err = 0;

	while (r->waits && !err)
		err = hws_wait_one(d);
	return err;
}

static int hws_erase(struct hws_domain *d, struct hws_rule *r)
{
	struct dvx_hws_image image = {0};
	int err;

	if (!r->stage)
		return 0;
	err = hws_post(d, r, PRM_GTA_OP_DEACTIVATE, &image, HWS_COOKIE_OTHER, 0);
	if (err)
		return err;
	r->stage->rules--;
	r->stage = NULL;
	r->tried = 0;
	return 0;
}

/* ---- Rules ---- */

/* Adds a rule whose tag another one has: the first one stays in effect, as in libmlx5's entries. */
static int hws_add_second(const struct hws_domain *d, struct hws_rule *first, struct hws_rule *r)
{
	if (d->no_duplicates)
		return dvx_fail(EEXIST, "dvx_flow_rule_create: the matcher has a rule with these "
					"values");
	while (first->next)
		first = first->next;
	first->next = r;
	return 0;
}

static int hws_add(struct hws_domain *d, struct hws_rule *r, uint32_t hash)
{
	struct hws_images images;
	struct hws_tag_slot *slot;
	int err = hws_fill(r, &images);

	if (err)
		return err;
	slot = dvx_hws_tags_place(&r->part->tags, r->tag, hash);
	if (slot->rule)
		return hws_add_second(d, slot->rule, r);
	err = hws_place(d, r, &images);
	if (err)
		return err;
	slot->rule = r;
	r->part->tags.count++;
	return 0;
}

int dvx_hws_rule_insert(struct dvx_flow_rule *rule, const uint8_t *value, bool more)
{
	struct hws_domain *d = hws_domain(rule->matcher->table->domain);
	int err = dvx_hws_check_tags_only(rule->matcher, "dvx_flow_rule_create");
	struct hws_part *part = err ? NULL : dvx_hws_matcher_part(rule->matcher, value);
	struct hws_rule *r;
	uint8_t tag[HWS_TAG_LONG];
	uint32_t hash;

	if (!part)
		return -dvx_last_error()->err;
	err = dvx_hws_part_tag(part, value, tag);
	if (!err)
		err = dvx_hws_tags_reserve(&part->tags, tag, rule->matcher->expected_rules, &hash);
	if (err)
		return err;
	r = malloc(sizeof(*r));
	if (!r)
		return dvx_fail(ENOMEM, "no memory for a rule");
	*r = (struct hws_rule){.part = part, .rule = rule};
	memcpy(r->tag, tag, sizeof(tag));
	d->more = more;
	err = hws_add(d, r, hash);
	d->more = false;
	if (err) {
		hws_rule_free(r);
		return err;
	}
	rule->impl = r;
	return 0;
}

/* Puts the next rule with this tag into the place of the first one, which stays if that fails. */
static int hws_replace(struct hws_domain *d, struct hws_tag_slot *slot)
{
	struct hws_rule *first = slot->rule, *next = first->next;
	struct hws_images images;
	int err;

	next->stage = first->stage;
	next->tried = first->tried;
	err = hws_fill(next, &images);
	if (!err)
		err = next->stage ? hws_write(d, next, &images) : hws_place(d, next, &images);
	if (err) {
		next->stage = NULL;
		return err;
	}
	slot->rule = next;
	return 0;
}

static int hws_remove_first(struct hws_domain *d, struct hws_tag_slot *slot)
{
	struct hws_rule *r = slot->rule;
	int err = hws_wait_for(d, r);

	if (err)
		return err;
	if (r->next)
		return hws_replace(d, slot);
	err = hws_erase(d, r);
	if (err)
		return err;
	dvx_hws_tags_forget(&r->part->tags, slot);
	return 0;
}

int dvx_hws_rule_settle(struct dvx_flow_rule *rule)
{
	const struct hws_rule *r = rule->impl;
	struct hws_domain *d = hws_domain(rule->matcher->table->domain);
	int err = hws_wait_for(d, r);

	return err || !r->lost ? err : dvx_restore(&d->late);
}

/* May be called again after a failure, when the device may not have the rule any more. */
int dvx_hws_rule_remove(struct dvx_flow_rule *rule)
{
	struct hws_rule *r = rule->impl, *first;
	struct hws_tag_slot *slot = dvx_hws_tags_find(&r->part->tags, r->tag);
	struct hws_domain *d = hws_domain(rule->matcher->table->domain);
	int err = 0;

	first = slot->rule;
	if (first == r)
		err = hws_remove_first(d, slot);
	else
		while (first && first->next != r)
			first = first->next;
	/* Its further entries may be used again when no packet can be in them. */
	if (!err && r->more)
		err = dvx_hws_drain(d);
	if (err)
		return err;
	if (first && first != r)
		first->next = r->next;
	d->lost -= r->lost == d->reports + 1;
	hws_rule_free(r);
	return 0;
}
