/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include "diff_rig.h"
#include "tests/patience.h"
#include "tests/verbs/verbs_qp.h"

/* --- the rig --- */

static void open_queue(struct rig *r, struct queue *q, uint8_t *buf)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = ENTRIES, .uar = r->uar};
	struct dvx_rxq_attr attr = {.size = sizeof(attr), .pd = r->pd, .entries = ENTRIES};

	q->buf = buf;
	OK(dvx_cq_create(r->dev, &cq, &q->cq));
	attr.cq = q->cq;
	OK(dvx_rxq_create(r->dev, &attr, &q->rxq));
	q->rq = dvx_rxq_ring(q->rxq);
	for (uint32_t i = 0; i < ENTRIES; i++) {
		struct dvx_sge sge = {(uintptr_t)buf + i * PACKET_ROOM, PACKET_ROOM,
				      dvx_mkey_key(r->mkey)};

		if (dvx_rq_post(q->rq, &sge, 1, i) < 0)
			break;
	}
	dvx_rq_ring(q->rq);
	OK(dvx_flow_action_create_queue(r->lane[RULE_IN].domain, q->rxq, &q->action));
}

static void open_sender(struct rig *r)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RAW_PACKET,
					.cap = {.max_send_wr = BATCH + QUEUES, .max_send_sge = 1}};
	size_t bytes = (BATCH + QUEUES) * PACKET_MAX;

	r->ibpd = ibv_alloc_pd(ctx);
	r->ibcq = ibv_create_cq(ctx, BATCH + QUEUES, NULL, NULL, 0);
	init.send_cq = init.recv_cq = r->ibcq;
	r->sender = r->ibpd && r->ibcq ? ibv_create_qp(r->ibpd, &init) : NULL;
	r->out = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	r->mr = r->sender && r->out ? ibv_reg_mr(r->ibpd, r->out, bytes, 0) : NULL;
	OK(r->mr ? 0 : -1);
	OK(verbs_qp_raise(r->sender, IBV_QPS_RTS));
}

static void open_lane(struct rig *r, enum rule_dir dir)
{
	struct lane *l = &r->lane[dir];
	static const enum dvx_flow_side sides[RULE_DIRS] = {
		[RULE_IN] = DVX_FLOW_RX, [RULE_OUT] = DVX_FLOW_TX, [RULE_SWITCH] = DVX_FLOW_FDB};
	struct dvx_flow_domain_attr domain = {
		.size = sizeof(domain),
		.side = sides[dir],
		.flags = r->base.steering == STEERING_HWS ? DVX_FLOW_HARDWARE : 0};
	struct dvx_flow_match any = {0};
	struct dvx_flow_matcher_attr matcher = {
		.size = sizeof(matcher), .match = &any, .priority = ROOT_MATCHERS};
	struct dvx_flow_rule_attr rule = {
		.size = sizeof(rule), .match = &any, .action_count = 1, .actions = &l->to_table};

	OK(dvx_flow_domain_create(r->dev, &domain, &l->domain));
	OK(dvx_flow_table_create(l->domain, 0, &l->root));
	OK(dvx_flow_table_create(l->domain, 1, &l->table));
	OK(dvx_flow_action_create_table(l->domain, l->table, &l->to_table));
	OK(dvx_flow_matcher_create(l->root, &matcher, &l->all));
	rule.matcher = l->all;
	OK(dvx_flow_rule_create(&rule, &l->way));
	OK(dvx_flow_action_create_drop(l->domain, &l->drop));
	OK(dvx_flow_action_create_default(l->domain, &l->pass));
	for (uint32_t i = 0; i < RULES_ALL; i++)
		OK(dvx_flow_action_create_count(l->domain, r->counter, i, &l->count[i]));
}

static void close_lane(struct lane *l)
{
	OK(dvx_flow_rule_destroy(l->way));
	OK(dvx_flow_matcher_destroy(l->all));
	for (uint32_t i = 0; i < RULES_ALL; i++)
		OK(dvx_flow_action_destroy(l->count[i]));
	OK(dvx_flow_action_destroy(l->to_table));
	OK(dvx_flow_action_destroy(l->drop));
	OK(dvx_flow_action_destroy(l->pass));
	OK(dvx_flow_table_destroy(l->table));
	OK(dvx_flow_table_destroy(l->root));
	OK(dvx_flow_domain_destroy(l->domain));
}

static void open_flow(struct rig *r)
{
	OK(dvx_flow_counter_create(r->dev, RULES_ALL, &r->counter));
	open_lane(r, RULE_IN);
	open_lane(r, RULE_OUT);
	for (uint32_t i = 0; i < RULES_ALL; i++)
		OK(dvx_flow_action_create_tag(r->lane[RULE_IN].domain, i < QUEUES ? LAST_TAG : i,
					      &r->tag[i]));
}

void rig_open(struct rig *r)
{
	size_t bytes = (size_t)QUEUES * ENTRIES * PACKET_ROOM;
	struct dvx_mkey_attr mkey = {.size = sizeof(mkey), .access = DVX_LOCAL_WRITE, .len = bytes};
	struct flow_fault fault;
	const void *cap;

	OK(dvx_dev_open(NULL, &r->dev));
	OK(dvx_dev_cap_page(r->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap));
	file_one_side = !prm_cmd_hca_cap_get_steering_format_version(cap);
	r->base.dev = r->dev;
	OK(option_hold(&r->base, &(struct rule){.option = RANDOM_OPTION}, &r->option, &fault));
	OK(dvx_pd_alloc(r->dev, &r->pd));
	OK(dvx_uar_alloc(r->dev, DVX_UAR_ANY, &r->uar));
	OK(dvx_mem_alloc(bytes, NULL, &r->mem));
	mkey.pd = r->pd;
	mkey.addr = dvx_mem_addr(r->mem);
	OK(dvx_mkey_create(r->dev, &mkey, &r->mkey));
	open_flow(r);
	for (int i = 0; i < QUEUES; i++)
		open_queue(r, &r->queue[i],
			   (uint8_t *)mkey.addr + (size_t)i * ENTRIES * PACKET_ROOM);
	open_sender(r);
}

void rig_open_switch(struct rig *r, const uint32_t vports[RIG_VPORTS])
{
	open_lane(r, RULE_SWITCH);
	for (unsigned int i = 0; i < RIG_VPORTS; i++) {
		r->vport[i].number = vports[i];
		OK(dvx_flow_action_create_vport(r->lane[RULE_SWITCH].domain, vports[i],
						&r->vport[i].to));
	}
}

static void close_switch(struct rig *r)
{
	for (unsigned int i = 0; i < RIG_VPORTS; i++)
		OK(dvx_flow_action_destroy(r->vport[i].to));
	close_lane(&r->lane[RULE_SWITCH]);
}

void rig_close(struct rig *r)
{
	if (r->lane[RULE_SWITCH].domain)
		close_switch(r);
	option_drop(r->option);
	for (uint32_t i = 0; i < RULES_ALL; i++)
		OK(dvx_flow_action_destroy(r->tag[i]));
	for (int i = 0; i < QUEUES; i++) {
		OK(dvx_flow_action_destroy(r->queue[i].action));
		OK(dvx_rxq_destroy(r->queue[i].rxq));
		OK(dvx_cq_destroy(r->queue[i].cq));
	}
	close_lane(&r->lane[RULE_IN]);
	close_lane(&r->lane[RULE_OUT]);
	OK(dvx_flow_counter_destroy(r->counter));
	OK(ibv_destroy_qp(r->sender));
	OK(ibv_dereg_mr(r->mr));
	OK(ibv_destroy_cq(r->ibcq));
	OK(ibv_dealloc_pd(r->ibpd));
	OK(dvx_mkey_destroy(r->mkey));
	dvx_mem_free(r->mem);
	OK(dvx_uar_free(r->uar));
	OK(dvx_pd_free(r->pd));
	OK(dvx_dev_close(r->dev));
	free(r->out);
}

/* --- rules in and out --- */

static void set_field(struct dvx_flow_match *m, unsigned int key, uint64_t value, uint64_t mask)
{
	const char *path = match_keys[key].path;
	char low[64];

	snprintf(low, sizeof(low), "%s", path);
	if (strstr(low, "mac_47_16")) {
		strcpy(strstr(low, "47_16"), "15_0");
		OK(dvx_flow_match_set(m, path, value >> 16, mask >> 16));
		OK(dvx_flow_match_set(m, low, value & 0xffff, mask & 0xffff));
	} else {
		OK(dvx_flow_match_set(m, path, value, mask));
	}
}

static struct dvx_flow_action *to_vport(const struct rig *r, uint32_t number)
{
	const struct rig_vport *v = r->vport;

	while (v->number != number)
		OK(++v == r->vport + RIG_VPORTS);
	return v->to;
}

static void put_in(struct rig *r, struct installed *in, struct piece *p)
{
	const struct matcher *m = &in->program.table[p->dir].matcher[p->matcher];
	const struct rule *rule = &in->set.rule[p->rule];
	const struct lane *l = &r->lane[p->dir];
	struct dvx_flow_match match = {0};
	struct dvx_flow_action *actions[3 + CHANGE_ACTIONS];
	const struct changes *c = in->changes[p->rule];
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr),
					  .match = &match,
					  .actions = actions,
					  .matcher = in->matcher[p->dir][p->matcher]};

	for (unsigned int k = 0; k < m->shape->n; k++)
		set_field(&match, m->shape->key[k], m->entry[p->entry].value[k], m->shape->mask[k]);
	if (rule->verdict == RULE_SEND && p->dir == RULE_SWITCH) {
		actions[attr.action_count++] = to_vport(r, rule->vport);
	} else if (rule->verdict == RULE_SEND) {
		actions[attr.action_count++] = r->queue[rule->queue].action;
		actions[attr.action_count++] = r->tag[p->rule];
	} else {
		actions[attr.action_count++] = rule->verdict == RULE_DROP ? l->drop : l->pass;
	}
	if (rule->count)
		actions[attr.action_count++] = l->count[p->rule];
	for (uint32_t i = 0; c && i < c->n; i++)
		actions[attr.action_count++] = c->action[i];
	OK(dvx_flow_rule_create(&attr, &p->rule_in));
}

static void take_out(struct piece *p)
{
	OK(dvx_flow_rule_destroy(p->rule_in));
	p->rule_in = NULL;
}

static void insert_all(struct rig *r, struct installed *in, struct dice *d)
{
	for (size_t i = in->npieces; i > 1; i--) {
		size_t other = dice_roll(d, (uint32_t)i);
		struct piece swap = in->piece[i - 1];

		in->piece[i - 1] = in->piece[other];
		in->piece[other] = swap;
	}
	for (size_t i = 0; i < in->npieces; i++) {
		struct piece *again = &in->piece[dice_roll(d, (uint32_t)i + 1)];

		put_in(r, in, &in->piece[i]);
		if (dice_roll(d, 3))
			continue;
		take_out(again);
		put_in(r, in, again);
	}
}

static void file_mistake(void *arg, const struct mistake *m)
{
	(void)arg;
	printf("# %u:%u: %s\n", m->line, m->column, m->text);
}

bool file_compile(struct installed *in, const char *text)
{
	size_t wrong;

	memset(in, 0, sizeof(*in));
	if (rules_parse(text, strlen(text), &in->set, file_mistake, NULL))
		return false;
	OK(rules_compile(&in->set, &in->program, &wrong));
	return true;
}

/* Returns whether the device takes the matcher, in a table that packets enter, or would. */
static bool rig_has_matcher(struct rig *r, uint32_t dir, const struct matcher *m)
{
	struct dvx_flow_match match = {0};
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr), .match = &match};
	struct dvx_flow_matcher *made = NULL;

	for (unsigned int k = 0; k < m->shape->n; k++)
		set_field(&match, m->shape->key[k], m->entry->value[k], m->shape->mask[k]);
	if (dvx_flow_matcher_create(r->lane[dir].table, &attr, &made))
		return strstr(dvx_last_error()->what, NO_DEFINER);
	OK(dvx_flow_matcher_destroy(made));
	return true;
}

bool rig_has_matchers(struct rig *r, const char *line)
{
	struct installed in;
	bool has = true;

	OK(file_compile(&in, line) ? 0 : -1);
	for (uint32_t dir = 0; dir < RULE_DIRS; dir++)
		for (size_t i = 0; i < in.program.table[dir].n; i++)
			has = has && rig_has_matcher(r, dir, &in.program.table[dir].matcher[i]);
	program_free(&in.program);
	ruleset_free(&in.set);
	return has;
}

size_t file_count_masks(const struct installed *in)
{
	size_t masks = 0;

	for (size_t t = 0; t < in->program.ntables; t++)
		masks += in->program.table[t].n;
	return masks;
}

static void add_matchers(struct rig *r, struct installed *in, uint32_t dir)
{
	const struct table *t = &in->program.table[dir];

	in->matcher[dir] = calloc(t->n + 1, sizeof(*in->matcher[dir]));
	for (size_t i = 0; i < t->n; i++) {
		struct dvx_flow_match match = {0};
		struct dvx_flow_matcher_attr attr = {
			.size = sizeof(attr), .match = &match, .priority = (uint32_t)i};

		for (unsigned int k = 0; k < t->matcher[i].shape->n; k++)
			set_field(&match, t->matcher[i].shape->key[k], 0,
				  t->matcher[i].shape->mask[k]);
		if (dvx_flow_matcher_create(in->root ? r->lane[dir].root : r->lane[dir].table,
					    &attr, &in->matcher[dir][i])) {
			printf("# %s\n", in->set.rule[t->matcher[i].entry->rule].text);
			OK(-dvx_last_error()->err);
		}
		for (size_t k = 0; k < t->matcher[i].n; k++)
			in->piece[in->npieces++] = (struct piece){
				dir, (uint32_t)i, (uint32_t)k, t->matcher[i].entry[k].rule, NULL};
	}
}

static void sync_lanes(struct rig *r)
{
	OK(dvx_flow_domain_sync(r->lane[RULE_IN].domain));
	OK(dvx_flow_domain_sync(r->lane[RULE_OUT].domain));
	if (r->lane[RULE_SWITCH].domain)
		OK(dvx_flow_domain_sync(r->lane[RULE_SWITCH].domain));
}

static void make_changes(struct rig *r, struct installed *in)
{
	struct flow_fault f;

	for (size_t i = 0; i < in->set.n; i++) {
		const struct rule *rule = &in->set.rule[i];

		if (!rule->nchanges)
			continue;
		in->changes[i] = calloc(1, sizeof(*in->changes[i]));
		OK(changes_make(r->lane[rule->dir].domain, rule, in->changes[i], &f));
	}
}

void file_install(struct rig *r, struct installed *in, struct dice *d)
{
	const struct table *t = in->program.table;

	make_changes(r, in);
	in->piece = calloc(t[RULE_IN].entries + t[RULE_OUT].entries + t[RULE_SWITCH].entries + 1,
			   sizeof(*in->piece));
	for (uint32_t dir = 0; dir < RULE_DIRS; dir++)
		add_matchers(r, in, dir);
	insert_all(r, in, d);
	sync_lanes(r);
}

void file_uninstall(struct installed *in)
{
	for (size_t i = 0; i < in->npieces; i++)
		if (in->piece[i].rule_in)
			take_out(&in->piece[i]);
	for (uint32_t dir = 0; dir < RULE_DIRS; dir++) {
		for (size_t i = 0; i < in->program.table[dir].n; i++)
			OK(dvx_flow_matcher_destroy(in->matcher[dir][i]));
		free(in->matcher[dir]);
	}
	for (size_t i = 0; i < RULES_ALL; i++)
		changes_free(in->changes[i]);
	free(in->piece);
	program_free(&in->program);
	ruleset_free(&in->set);
}

void file_cut(struct rig *r, struct installed *in, size_t rules)
{
	for (size_t i = 0; i < in->npieces; i++)
		if (in->piece[i].rule >= rules)
			take_out(&in->piece[i]);
	in->set.n = rules;
	sync_lanes(r);
}

/* --- packets --- */

static void post(struct rig *r, uint32_t slot, const uint8_t *bytes, uint32_t len, bool last)
{
	struct ibv_sge sge = {(uintptr_t)r->out + slot * PACKET_MAX, len, r->mr->lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &sge,
				       .num_sge = 1,
				       .opcode = IBV_WR_SEND,
				       .send_flags = last ? IBV_SEND_SIGNALED : 0};

	memcpy(r->out + slot * PACKET_MAX, bytes, len);
	OK(ibv_post_send(r->sender, &wr, &bad));
}

void packets_send(struct rig *r, const struct made_packet *p, uint32_t n)
{
	uint8_t last[SHORTEST] = {0x02, 0xff, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 9, 0x88, 0xb5};
	struct ibv_wc wc;
	time_t end = patience_from_now();

	for (uint32_t i = 0; i < n; i++)
		post(r, i, p[i].bytes, p[i].len, false);
	for (uint8_t i = 0; i < QUEUES; i++) {
		last[5] = i;
		post(r, n + i, last, sizeof(last), i + 1 == QUEUES);
	}
	while (!ibv_poll_cq(r->ibcq, 1, &wc))
		if (patience_over(end))
			OK(-1);
	OK(wc.status);
}

const uint8_t *packet_receive(struct rig *r, int queue, uint32_t *tag, uint32_t *len)
{
	struct queue *q = &r->queue[queue];
	struct dvx_sge sge = {0, PACKET_ROOM, dvx_mkey_key(r->mkey)};
	time_t end = patience_from_now();
	const void *cqe;
	uint64_t slot;

	while (!(cqe = dvx_cq_peek(q->cq)))
		if (patience_over(end))
			OK(-1);
	*tag = dvx_cqe_flow_tag(cqe);
	*len = dvx_cqe_byte_count(cqe);
	slot = dvx_rq_retire(q->rq);
	dvx_cq_pop(q->cq);
	sge.addr = (uintptr_t)q->buf + slot * PACKET_ROOM;
	dvx_rq_post(q->rq, &sge, 1, slot);
	return q->buf + slot * PACKET_ROOM;
}
