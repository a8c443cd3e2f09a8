/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dump: records as libmlx5 writes them, and a few of hardware steering (doc/design/0096).
 * Entries are as libdvx has posted them, since nobody reads them back from the device. Which place of
 * its row an entry has, only the device knows; here they are in the order of the rules.
 */
#include <inttypes.h>
#include <dvx/prm/flow.h>
#include "hws.h"

/* Types of records; those from 3400 on are actions. */
enum {
	HWS_DUMP_DOMAIN = 3000,
	HWS_DUMP_VPORT = 3003,
	HWS_DUMP_TEMPLATE = 3006, /* its own, as KEY, MOVE, ENTRY, TO_TIR */
	HWS_DUMP_TABLE = 3100,
	HWS_DUMP_ANCHOR, /* the next number: TX, here and of SIDE and ENTRY */
	HWS_DUMP_MATCHER = 3200,
	HWS_DUMP_SIDE = 3202,
	HWS_DUMP_KEY = 3206,
	HWS_DUMP_MOVE,
	HWS_DUMP_RULE = 3300,
	HWS_DUMP_ENTRY = 3305,
	HWS_DUMP_TO_TIR = 3499,
};

#define HWS_DUMP_CRC32 0xedb88320u

/* An index that no entry has: behind the entries of a row. */
#define HWS_DUMP_END UINT32_MAX

/* Actions whose argument is neither 0 nor a table. */
static const uint16_t hws_dump_actions[ACTION_SAMPLE + 1] = {
	[ACTION_DECAP] = 3409,	   [ACTION_POP_VLAN] = 3413, [ACTION_MODIFY] = 3402,
	[ACTION_PUSH_VLAN] = 3412, [ACTION_ENCAP] = 3400,    [ACTION_TAG] = 3407,
	[ACTION_COUNT] = 3406,	   [ACTION_METER] = 3418,    [ACTION_HIT] = 3417,
	[ACTION_TRACK] = 3419,	   [ACTION_DROP] = 3403,     [ACTION_DEFAULT] = 3423,
	[ACTION_TABLE] = 3405,	   [ACTION_SAMPLE] = 3415,   [ACTION_ARRAY] = 3416,
	[ACTION_VPORT] = 3408,	   [ACTION_ROOT] = 3424,     [ACTION_QUEUE] = HWS_DUMP_TO_TIR,
};

static uint64_t hws_dump_id(const void *object)
{
	return (uintptr_t)object;
}

/* Tells whether a side of the domain has packets that are sent. */
static bool hws_dump_tx(const struct dvx_flow_domain *domain, uint32_t side)
{
	return side || domain->side == DVX_FLOW_TX;
}

static void hws_dump_bytes(FILE *to, const void *bytes, size_t n)
{
	putc(',', to);
	for (size_t i = 0; i < n; i++)
		fprintf(to, "%02x", ((const uint8_t *)bytes)[i]);
}

/* ---- Rules ---- */

static void hws_dump_action(FILE *to, const struct hws_rule *r, const struct dvx_flow_action *a)
{
	bool second = (a->kind == ACTION_ENCAP && a->number == ENCAP_L3) ||
		      (a->kind == ACTION_DECAP && a->bytes);
	uint32_t arg = a->object;

	if (a->kind == ACTION_METER)
		arg += a->number / HWS_METERS;
	else if (a->kind == ACTION_HIT)
		arg += a->number / HWS_HITS;
	else if (a->kind == ACTION_PUSH_VLAN)
		arg = prm_load32(a->data, 0);
	else if (a->kind != ACTION_MODIFY && a->kind != ACTION_ENCAP && a->kind != ACTION_DECAP)
		arg += a->number;
	fprintf(to, "%u,0x%" PRIx64 ",0x%" PRIx64 ",0x%x", hws_dump_actions[a->kind] + second,
		dvx_flow_action_id(a), hws_dump_id(r), arg);
	if (a->table)
		fprintf(to, ",0x%" PRIx64, dvx_flow_table_id(a->table));
	putc('\n', to);
}

static void hws_dump_entry(FILE *to, const struct hws_rule *r, const struct dvx_hws_image *image,
			   uint32_t index, bool tx)
{
	const uint8_t *ctrl = (const uint8_t *)image->wqe + DVX_SEG;

	fprintf(to, "%u,0x%x,0x%" PRIx64, HWS_DUMP_ENTRY + tx, index, hws_dump_id(r));
	hws_dump_bytes(to, (const uint8_t *)image->wqe + DVX_BLOCK, DVX_BLOCK);
	fprintf(to, ",%u,%u,%u,%u,%u,%u\n", prm_wqe_gta_ctrl_seg_get_stcs(ctrl),
		prm_wqe_gta_ctrl_seg_get_stc_ctrl(ctrl), prm_wqe_gta_ctrl_seg_get_stc_hit(ctrl),
		prm_wqe_gta_ctrl_seg_get_stc_dw5(ctrl), prm_wqe_gta_ctrl_seg_get_stc_dw6(ctrl),
		prm_wqe_gta_ctrl_seg_get_stc_dw7(ctrl));
}

static void hws_dump_entries(FILE *to, const struct hws_rule *r, const struct hws_images *images,
			     uint32_t index)
{
	const struct dvx_flow_domain *domain = r->rule->matcher->table->domain;
	const struct hws_domain *d = hws_domain(domain);

	for (uint32_t side = 0; side < d->sides; side++)
		for (uint32_t i = 0; i < images->count; i++)
			hws_dump_entry(to, r, &images->image[i],
				       side * d->numbers + (i ? r->place[i - 1].pool->number +
									    r->place[i - 1].index
							      : index),
				       hws_dump_tx(domain, side));
}

static int hws_dump_rule(FILE *to, struct hws_rule *r, uint32_t index)
{
	uint32_t tag = hws_tag_bytes(&r->part->layout);
	struct hws_images images;
	int err = dvx_hws_rule_images(r, &images);

	if (err)
		return err;
	memcpy((uint8_t *)images.image[0].wqe + DVX_RULE_BYTES - tag, hws_rule_tag(r), tag);
	fprintf(to, "%u,0x%" PRIx64 ",0x%" PRIx64 "\n", HWS_DUMP_RULE, hws_dump_id(r),
		hws_dump_id(r->stage));
	hws_dump_entries(to, r, &images, index);
	for (uint32_t i = 0; i < r->rule->action_count; i++)
		hws_dump_action(to, r, r->rule->actions[i]);
	return 0;
}

/* Returns the row in which the device looks for the tag. */
static uint32_t hws_dump_row(struct hws_rule *r)
{
	const uint8_t *tag = hws_rule_tag(r), *end = tag + hws_tag_bytes(&r->part->layout);
	uint32_t crc = 0;

	while (tag < end) {
		crc ^= *tag++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? HWS_DUMP_CRC32 : 0);
	}
	return __builtin_bswap32(crc) & ((1u << r->stage->log_rows) - 1);
}

static int hws_dump_rules(FILE *to, const struct hws_stage *stage)
{
	const struct hws_tags *tags = &stage->part->tags;
	uint8_t *used = calloc(1u << stage->log_rows, sizeof(*used));
	int err = used ? 0 : dvx_fail(ENOMEM, "no memory for a dump");

	for (uint32_t i = 0; i < tags->room && !err; i++) {
		struct hws_rule *r = tags->slot[i].rule;
		uint32_t row;

		if (!r || r->stage != stage)
			continue;
		row = hws_dump_row(r);
		err = hws_dump_rule(to, r, stage->number + (row << stage->log_depth) + used[row]++);
	}
	free(used);
	return err;
}

/* ---- Matchers: one for each stage ---- */

static void hws_dump_key(FILE *to, const struct hws_stage *stage)
{
	const struct hws_layout *layout = &stage->part->layout;

	fprintf(to, "%u,0x%" PRIx64 ",%u,%u,%u", HWS_DUMP_KEY, hws_dump_id(stage), stage->log_rows,
		stage->log_depth, hws_tag_bytes(layout));
	hws_dump_bytes(to, layout->key->mask, HWS_TAG_LONG);
	hws_dump_bytes(to, layout->fixed, HWS_TAG_LONG);
	putc('\n', to);
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct hws_move *m = &layout->move[i];

		fprintf(to, "%u,0x%" PRIx64 ",%u,%u,%u\n", HWS_DUMP_MOVE, hws_dump_id(stage),
			m->from, m->to, m->width);
	}
}

static int hws_dump_stage(FILE *to, const struct hws_stage *stage)
{
	const struct dvx_flow_matcher *matcher = stage->part->matcher;
	const struct dvx_flow_table *table = matcher->table;
	const struct hws_domain *d = hws_domain(table->domain);

	fprintf(to, "%u,0x%" PRIx64 ",0x%" PRIx64 ",%u\n", HWS_DUMP_MATCHER, hws_dump_id(stage),
		dvx_flow_table_id(table), matcher->priority);
	for (uint32_t side = 0; side < d->sides; side++) {
		fprintf(to, "%u,0x0,0x%" PRIx64 ",1,0x%x,0x%x\n",
			HWS_DUMP_SIDE + hws_dump_tx(table->domain, side), hws_dump_id(stage),
			side * d->numbers + stage->number, HWS_DUMP_END);
		hws_dump_key(to, stage);
	}
	return hws_dump_rules(to, stage);
}

static int hws_dump_table(FILE *to, const struct dvx_flow_table *table)
{
	const struct hws_table *own = table->impl;
	const struct hws_stage *stage;
	int err = 0;

	fprintf(to, "%u,0x%" PRIx64 ",0x%" PRIx64 ",%u,%u\n", HWS_DUMP_TABLE,
		dvx_flow_table_id(table), hws_dump_id(table->domain), table->domain->side,
		table->level);
	for (uint32_t side = 0; side < hws_domain(table->domain)->sides; side++)
		fprintf(to, "%u,0x%" PRIx64 ",0x%x\n",
			HWS_DUMP_ANCHOR + hws_dump_tx(table->domain, side),
			dvx_flow_table_id(table), own->ft.id);
	TAILQ_FOREACH(stage, &own->stages, link)
	if (!err)
		err = hws_dump_stage(to, stage);
	return err;
}

/* ---- The domain ---- */

/*
 * Numbers all entries of a domain; dumps of single tables have the same numbers. Those of the FDB's
 * second side follow those of the first one.
 */
static void hws_dump_number(struct hws_domain *d)
{
	struct hws_stage *stage;
	struct hws_table *table;
	uint32_t next = 0;

	for (struct hws_pool *pool = d->pools; pool; pool = pool->next, next += HWS_POOL)
		pool->number = next;
	TAILQ_FOREACH(table, &d->tables, link)
	TAILQ_FOREACH(stage, &table->stages, link)
	{
		stage->number = next;
		next += 1u << (stage->log_rows + stage->log_depth);
	}
	d->numbers = next;
}

static void hws_dump_domain(FILE *to, const struct dvx_flow_domain *domain)
{
	fprintf(to, "%u,0x%" PRIx64 ",%u,0x0,1,libdvx,%s\n", HWS_DUMP_DOMAIN, hws_dump_id(domain),
		domain->side, dvx_dev_name(domain->dev));
	dvx_hws_vports_dump(domain, HWS_DUMP_VPORT, to);
	dvx_hws_stcs_dump(hws_domain(domain), HWS_DUMP_TEMPLATE, to);
}

int dvx_hws_dump(const struct dvx_flow_domain *domain, const struct dvx_flow_table *table, FILE *to,
		 const char *call)
{
	const struct hws_table *own;
	int err = dvx_hws_drain(hws_domain(domain));

	if (err)
		return err;
	hws_dump_number(hws_domain(domain));
	hws_dump_domain(to, domain);
	if (table) /* the root has no table of ours */
		err = table->impl ? hws_dump_table(to, table) : 0;
	else
		TAILQ_FOREACH(own, &hws_domain(domain)->tables, link)
	if (!err)
		err = hws_dump_table(to, own->table);
	if (!err && ferror(to))
		err = dvx_fail(EIO, "%s: the dump can't be written", call);
	return err;
}
