/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules with their bookkeeping (rules.h). A record has the tag, the table, and the request's place in
 * the ring: a rule whose row was full is posted again from the bytes that lie there.
 */
#include <dvx/rules.h>
#include "hws.h"

#define RULES_BATCH  32u /* requests of a doorbell, and of a completion */
#define RULES_BLOCKS (8 * RULES_BATCH * DVX_RULE_BLOCKS)
#define RULES_SPILL  1u /* the stage of long rows */
#define RULES_NONE   UINT32_MAX
#define RULES_OTHER  UINT64_MAX /* the cookie of requests that need no second try */

struct rules_record {
	uint8_t tag[HWS_TAG_LONG];
	uint32_t place; /* the first block of the request; of a free record: the next one */
	uint8_t stage;
	bool used;
	bool spilled; /* there was no room in the stage of long rows */
};

struct dvx_rules {
	struct dvx_service_queue queue;
	struct dvx_sq *sq;
	struct hws_part *part;
	struct rules_record *record;
	uint32_t records, free; /* the first free record; RULES_NONE */
	uint32_t count;
	bool wide;	 /* tags are DVX_LONG_TAG_BYTES */
	uint32_t posted; /* since the last doorbell */
	uint32_t stage;	 /* where new rules go */
};

/* ---- Records ---- */

static int rules_grow(struct dvx_rules *r)
{
	uint32_t n = r->records ? 2 * r->records : 64;
	struct rules_record *more = n > r->records ? realloc(r->record, n * sizeof(*more)) : NULL;

	if (!more)
		return dvx_fail(ENOMEM, "no memory for %u rules", n);
	r->record = more;
	for (uint32_t i = n; i-- > r->records; r->free = i) {
		more[i].used = false;
		more[i].place = r->free;
	}
	r->records = n;
	return 0;
}

static void rules_give(struct dvx_rules *r, uint32_t number)
{
	r->record[number].used = false;
	r->record[number].place = r->free;
	r->free = number;
	r->count--;
}

static int rules_check(const struct dvx_rules *r, uint32_t number, const char *call)
{
	return number < r->records && r->record[number].used
		       ? 0
		       : dvx_fail(ENOENT, "%s: there is no rule %u", call, number);
}

/* ---- Requests ---- */

/* Announces the requests; the last one completes all. */
static void rules_ring(struct dvx_rules *r)
{
	if (!r->posted)
		return;
	dvx_rule_flag(r->sq, r->sq->pi - DVX_RULE_BLOCKS, DVX_SIGNALED);
	dvx_sq_ring(r->sq);
	r->posted = 0;
}

static int rules_wait_one(struct dvx_rules *r);

/* Copies a tag: lengths that the compiler knows need no call. */
static void rules_copy_tag(const struct dvx_rules *r, uint8_t *to, const uint8_t *from)
{
	if (r->wide)
		memcpy(to, from, DVX_LONG_TAG_BYTES);
	else
		memcpy(to, from, DVX_TAG_BYTES);
}

/* Writes a request to the stage, all of it. */
static int rules_write(const struct dvx_rules *r, const struct dvx_hws_image *image,
		       enum prm_gta_op op, const struct hws_stage *stage, const uint8_t *tag,
		       struct dvx_sq_place *p)
{
	const uint32_t bytes = r->wide ? DVX_LONG_TAG_BYTES : DVX_TAG_BYTES;
	int err = r->wide ? dvx_rule_claim(r->sq, image, op, 0, DVX_LONG_TAG_BYTES, 0, p)
			  : dvx_rule_claim(r->sq, image, op, 0, DVX_TAG_BYTES, 0, p);

	if (err)
		return err;
	prm_wqe_ctrl_seg_set_general_id(p->wqe, stage->rtc.side[0].id);
	rules_copy_tag(r, p->wqe + DVX_RULE_BYTES - bytes, tag);
	return 0;
}

/* Posts a request to the stage, when there is room in the ring. */
static int rules_post(struct dvx_rules *r, const struct dvx_hws_image *image, enum prm_gta_op op,
		      const struct hws_stage *stage, const uint8_t *tag, uint64_t wr_id)
{
	struct dvx_sq_place p;
	int err = 0;

	while (DVX_UNLIKELY(dvx_sq_free(r->sq) < DVX_RULE_BLOCKS) && !err)
		err = rules_wait_one(r);
	if (!err)
		err = rules_write(r, image, op, stage, tag, &p);
	if (err)
		return err;
	dvx_sq_commit(r->sq, &p, wr_id);
	if (++r->posted == RULES_BATCH)
		rules_ring(r);
	return 0;
}

/* Tells whether a rule's completion has come, or that of a request behind it. */
static bool rules_is_placed(const struct dvx_rules *r, const struct rules_record *rec)
{
	return (int32_t)(r->sq->ci - rec->place) > 0;
}

/* ---- Places ---- */

/* Returns the stage of new rules: another one if three quarters of it are taken. */
static struct hws_stage *rules_stage(struct dvx_rules *r)
{
	struct hws_stage *s = r->part->stage[r->stage];

	if (DVX_LIKELY(s->rules < (3u << (s->log_rows + s->log_depth)) / 4))
		return s;
	/* The stage of long rows takes what other rows have no room for. */
	if (!dvx_hws_part_stage(r->part, RULES_SPILL))
		return NULL;
	s = dvx_hws_part_stage(r->part, r->stage > RULES_SPILL ? r->stage + 1 : RULES_SPILL + 1);
	if (s)
		r->stage += r->stage ? 1 : RULES_SPILL + 1;
	return s;
}

static int rules_place(struct dvx_rules *r, uint32_t number, const struct dvx_hws_image *image,
		       uint32_t stage)
{
	struct rules_record *rec = &r->record[number];
	struct hws_stage *s = r->part->stage[stage];
	int err;

	rec->stage = (uint8_t)stage;
	err = rules_post(r, image, PRM_GTA_OP_ACTIVATE, s, rec->tag, number);
	if (err)
		return err;
	rec->place = r->sq->pi - DVX_RULE_BLOCKS;
	s->rules++;
	return 0;
}

/* Posts a rule whose row was full again: into the long rows, or else into a larger table. */
static int rules_again(struct dvx_rules *r, uint32_t number)
{
	struct rules_record *rec = &r->record[number];
	struct dvx_hws_image image;
	uint32_t stage = RULES_SPILL;

	memcpy(image.wqe, dvx_sq_place_at(r->sq, rec->place, DVX_RULE_BLOCKS).wqe, DVX_RULE_BYTES);
	image.wqe[1] = 0; /* flags and the table */
	r->part->stage[rec->stage]->rules--;
	if (rec->spilled)
		stage = rec->stage > RULES_SPILL ? rec->stage + 1u : RULES_SPILL + 1;
	rec->spilled = true;
	if (!dvx_hws_part_stage(r->part, RULES_SPILL) || !dvx_hws_part_stage(r->part, stage)) {
		rules_give(r, number);
		return dvx_fail(dvx_last_error()->err, "rules: rule %u has no room and is gone: %s",
				number, dvx_strerror(-dvx_last_error()->err));
	}
	return rules_place(r, number, &image, stage);
}

static int rules_wait_one(struct dvx_rules *r)
{
	struct dvx_wc wc;
	int err = dvx_service_queue_wait(&r->queue, "rules", &wc);

	if (err || DVX_LIKELY(!dvx_rule_failed(&wc)))
		return err;
	if (wc.wr_id != RULES_OTHER)
		return rules_again(r, (uint32_t)wc.wr_id);
	return dvx_fail(EIO, "rules: %s refused to delete or to change a rule",
			dvx_dev_name(r->queue.dev));
}

/* Waits until it is known in which table a rule is. */
static int rules_settle(struct dvx_rules *r, uint32_t number)
{
	int err = 0;

	while (r->record[number].used && !rules_is_placed(r, &r->record[number]) &&
	       r->sq->ci != r->sq->pi && !err) {
		rules_ring(r);
		err = rules_wait_one(r);
	}
	return err;
}

/* ---- Calls ---- */

int dvx_rules_insert(struct dvx_rules *r, const struct dvx_hws_image *image, const void *tag,
		     uint32_t *number)
{
	struct hws_stage *stage = rules_stage(r);
	uint32_t n = r->free;
	struct rules_record *rec;
	int err;

	if (DVX_UNLIKELY(!stage))
		return -dvx_last_error()->err;
	if (DVX_UNLIKELY(n == RULES_NONE) && (err = rules_grow(r)))
		return err;
	n = r->free;
	rec = &r->record[n];
	r->free = rec->place;
	r->count++;
	rec->used = true;
	rec->spilled = false;
	rules_copy_tag(r, rec->tag, tag);
	err = rules_place(r, n, image, r->stage);
	if (DVX_UNLIKELY(err))
		rules_give(r, n);
	else
		*number = n;
	return err;
}

int dvx_rules_update(struct dvx_rules *r, uint32_t number, const struct dvx_hws_image *image)
{
	const struct rules_record *rec = &r->record[number];
	int err = rules_check(r, number, "dvx_rules_update");

	if (!err)
		err = rules_settle(r, number);
	return err ? err
		   : rules_post(r, image, PRM_GTA_OP_ACTIVATE, r->part->stage[rec->stage], rec->tag,
				RULES_OTHER);
}

int dvx_rules_delete(struct dvx_rules *r, uint32_t number)
{
	static const struct dvx_hws_image none;
	struct hws_stage *s;
	int err = rules_check(r, number, "dvx_rules_delete");

	if (!err)
		err = rules_settle(r, number);
	if (err)
		return err;
	s = r->part->stage[r->record[number].stage];
	err = rules_post(r, &none, PRM_GTA_OP_DEACTIVATE, s, r->record[number].tag, RULES_OTHER);
	if (err)
		return err;
	s->rules--;
	rules_give(r, number);
	return 0;
}

int dvx_rules_flush(struct dvx_rules *r)
{
	int err = 0;

	while (r->sq->ci != r->sq->pi && !err) {
		rules_ring(r);
		err = rules_wait_one(r);
	}
	return err;
}

uint32_t dvx_rules_count(const struct dvx_rules *r)
{
	return r->count;
}

static int rules_open(struct dvx_rules *r, struct dvx_flow_matcher *matcher)
{
	struct hws_domain *d = hws_domain(matcher->table->domain);
	int err = dvx_service_queue_share(&d->queue, RULES_BLOCKS, DVX_TXQ_RULES, &r->queue);

	if (err)
		return err;
	r->sq = dvx_txq_ring(r->queue.txq);
	r->part = hws_first_part(matcher);
	r->wide = r->part->layout.key->wide;
	r->free = RULES_NONE;
	dvx_ref(&matcher->refs);
	return 0;
}

int dvx_rules_create(const struct dvx_rules_attr *user, struct dvx_rules **out)
{
	struct dvx_rules_attr attr;
	int err = dvx_attr_copy(&attr, user, "dvx_rules_create");
	struct dvx_rules *r;

	if (!err)
		err = dvx_check_not_null("dvx_rules_create", "out", out, NULL);
	if (!err)
		err = dvx_hws_check_matcher(attr.matcher, "dvx_rules_create");
	if (!err)
		err = dvx_hws_check_tags_only(attr.matcher, "dvx_rules_create");
	if (!err && attr.matcher->table->domain->side == DVX_FLOW_FDB)
		err = dvx_fail(EOPNOTSUPP,
			       "dvx_rules_create: attr.matcher is of the FDB, where a rule is two "
			       "requests: post these with dvx_post_rule()");
	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return dvx_fail(ENOMEM, "no memory for rules");
	err = rules_open(r, attr.matcher);
	if (err)
		free(r);
	else
		*out = r;
	return err;
}

/* Ignores what fails: it is of the last changes, or the queue is broken. */
int dvx_rules_destroy(struct dvx_rules *r)
{
	struct dvx_flow_matcher *matcher;
	int err;

	if (!r)
		return 0;
	matcher = r->part->matcher;
	dvx_rules_flush(r);
	err = dvx_service_queue_destroy(&r->queue);
	if (err)
		return err;
	dvx_unref(&matcher->refs);
	free(r->record);
	free(r);
	return 0;
}
