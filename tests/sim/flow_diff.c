/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that rules steer as they are written: random rule files, compiled, inserted by the
 * unmodified libmlx5 (and deleted, and inserted again, in random order) into the device's memory,
 * and random packets sent through it, against the slow matcher. flow_diff [SETS [PACKETS [SEED]]]
 */
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <dvx/dvx.h>
#include <dvx/flow.h>
#include <dvx/rxq.h>
#include "compile.h"
#include "flow_random.h"
#include "../unit/flow_slow.h"

#define QUEUES	   2
#define ENTRIES	   1024 /* of each receive queue */
#define BATCH	   256
#define RULES_MAX  24
#define SHORTEST   60 /* a port pads what is shorter */
#define RULES_ALL  (QUEUES + RULES_MAX)
#define TEXT_MAX   (RULES_ALL * 256)

/* Each queue's last packet ends a batch: completions of two queues have no order. */
#define LAST_TAG   0xfffffeu
#define LAST_RULES                                                     \
	"send in eth dst 02:ff:00:00:00:00 to queue 0 tag 16777214\n" \
	"send in eth dst 02:ff:00:00:00:01 to queue 1 tag 16777214\n"

#define OK(call)                                                                      \
	do {                                                                          \
		int ok_err = (call);                                                  \
		if (ok_err) {                                                         \
			printf("Bail out! %s: %d: %s\n", #call, ok_err, dvx_strerror()); \
			exit(1);                                                      \
		}                                                                     \
	} while (0)

struct queue {
	struct dvx_cq *cq;
	struct dvx_rxq *rxq;
	struct dvx_rq *rq;
	uint8_t *buf; /* PACKET_MAX for each entry */
	struct dvx_flow_action *action;
};

struct rig {
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_mem *mem;
	struct dvx_mkey *mkey;
	struct queue queue[QUEUES];
	struct ibv_pd *ibpd;
	struct ibv_cq *ibcq;
	struct ibv_qp *sender;
	struct ibv_mr *mr;
	uint8_t *out; /* PACKET_MAX for each of a batch */
	struct dvx_flow_domain *domain;
	struct dvx_flow_table *root, *table;
	struct dvx_flow_matcher *all;
	struct dvx_flow_rule *way;
	struct dvx_flow_action *to_table, *drop, *pass, *tag[RULES_ALL], *count[RULES_ALL];
	struct dvx_flow_counter *counter;
};

/* One compiled rule file in the device. */
struct installed {
	struct ruleset set;
	struct program program;
	struct dvx_flow_matcher **matcher;
	struct piece {
		uint32_t matcher, entry, rule;
		struct dvx_flow_rule *rule_in;
	} *piece;
	size_t npieces;
};

struct verdict {
	const struct rule *rule; /* NULL: none */
	int queue;		 /* -1: no queue */
	uint32_t tag;
};

static uint64_t pairs, met, differences;

/* --- the rig -------------------------------------------------------------------------------------- */

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
		struct dvx_sge sge = {(uintptr_t)buf + i * PACKET_MAX, PACKET_MAX,
				      dvx_mkey_key(r->mkey)};

		if (dvx_rq_post(q->rq, &sge, 1, i) < 0)
			break;
	}
	dvx_rq_ring(q->rq);
	OK(dvx_flow_action_create_queue(r->domain, q->rxq, &q->action));
}

static void open_sender(struct rig *r)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RAW_PACKET,
					.cap = {.max_send_wr = BATCH + QUEUES, .max_send_sge = 1}};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	size_t bytes = (BATCH + QUEUES) * PACKET_MAX;

	r->ibpd = ibv_alloc_pd(ctx);
	r->ibcq = ibv_create_cq(ctx, BATCH + QUEUES, NULL, NULL, 0);
	init.send_cq = init.recv_cq = r->ibcq;
	r->sender = r->ibpd && r->ibcq ? ibv_create_qp(r->ibpd, &init) : NULL;
	r->out = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	r->mr = r->sender && r->out ? ibv_reg_mr(r->ibpd, r->out, bytes, 0) : NULL;
	OK(r->mr ? 0 : -1);
	OK(ibv_modify_qp(r->sender, &attr, IBV_QP_STATE | IBV_QP_PORT));
	attr.qp_state = IBV_QPS_RTR;
	OK(ibv_modify_qp(r->sender, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	OK(ibv_modify_qp(r->sender, &attr, IBV_QP_STATE));
}

static void open_flow(struct rig *r)
{
	struct dvx_flow_domain_attr domain = {.size = sizeof(domain), .side = DVX_FLOW_RX};
	struct dvx_flow_match any = {0};
	struct dvx_flow_matcher_attr matcher = {.size = sizeof(matcher), .match = &any};
	struct dvx_flow_rule_attr rule = {.size = sizeof(rule), .match = &any, .action_count = 1,
					  .actions = &r->to_table};

	OK(dvx_flow_domain_create(r->dev, &domain, &r->domain));
	OK(dvx_flow_table_create(r->domain, 0, &r->root));
	OK(dvx_flow_table_create(r->domain, 1, &r->table));
	OK(dvx_flow_action_create_table(r->domain, r->table, &r->to_table));
	OK(dvx_flow_matcher_create(r->root, &matcher, &r->all));
	rule.matcher = r->all;
	OK(dvx_flow_rule_create(&rule, &r->way));
	OK(dvx_flow_action_create_drop(r->domain, &r->drop));
	OK(dvx_flow_action_create_default(r->domain, &r->pass));
	OK(dvx_flow_counter_create(r->dev, RULES_ALL, &r->counter));
	for (uint32_t i = 0; i < RULES_ALL; i++) {
		OK(dvx_flow_action_create_tag(r->domain, i < QUEUES ? LAST_TAG : i, &r->tag[i]));
		OK(dvx_flow_action_create_count(r->domain, r->counter, i, &r->count[i]));
	}
}

static void open_rig(struct rig *r)
{
	size_t bytes = (size_t)QUEUES * ENTRIES * PACKET_MAX;
	struct dvx_mkey_attr mkey = {.size = sizeof(mkey), .access = DVX_LOCAL_WRITE, .len = bytes};

	OK(dvx_dev_open(NULL, &r->dev));
	OK(dvx_pd_alloc(r->dev, &r->pd));
	OK(dvx_uar_alloc(r->dev, DVX_UAR_ANY, &r->uar));
	OK(dvx_mem_alloc(bytes, NULL, &r->mem));
	mkey.pd = r->pd;
	mkey.addr = dvx_mem_addr(r->mem);
	OK(dvx_mkey_create(r->dev, &mkey, &r->mkey));
	open_flow(r);
	for (int i = 0; i < QUEUES; i++)
		open_queue(r, &r->queue[i], (uint8_t *)mkey.addr + (size_t)i * ENTRIES * PACKET_MAX);
	open_sender(r);
}

static void close_rig(struct rig *r)
{
	OK(dvx_flow_rule_destroy(r->way));
	OK(dvx_flow_matcher_destroy(r->all));
	for (uint32_t i = 0; i < RULES_ALL; i++) {
		OK(dvx_flow_action_destroy(r->tag[i]));
		OK(dvx_flow_action_destroy(r->count[i]));
	}
	OK(dvx_flow_action_destroy(r->to_table));
	OK(dvx_flow_action_destroy(r->drop));
	OK(dvx_flow_action_destroy(r->pass));
	for (int i = 0; i < QUEUES; i++) {
		OK(dvx_flow_action_destroy(r->queue[i].action));
		OK(dvx_rxq_destroy(r->queue[i].rxq));
		OK(dvx_cq_destroy(r->queue[i].cq));
	}
	OK(dvx_flow_counter_destroy(r->counter));
	OK(dvx_flow_table_destroy(r->table));
	OK(dvx_flow_table_destroy(r->root));
	OK(dvx_flow_domain_destroy(r->domain));
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

/* --- rules in and out ------------------------------------------------------------------------------ */

static void set_field(struct dvx_flow_match *m, unsigned int key, uint64_t value, uint64_t mask)
{
	if (key == KEY_DMAC || key == KEY_SMAC) {
		const char *low = key == KEY_DMAC ? "outer_headers.dmac_15_0" : "outer_headers.smac_15_0";

		OK(dvx_flow_match_set(m, match_key_name(key), value >> 16, mask >> 16));
		OK(dvx_flow_match_set(m, low, value & 0xffff, mask & 0xffff));
	} else {
		OK(dvx_flow_match_set(m, match_key_name(key), value, mask));
	}
}

static void put_in(struct rig *r, struct installed *in, struct piece *p)
{
	const struct matcher *m = &in->program.table[RULE_IN].matcher[p->matcher];
	const struct rule *rule = &in->set.rule[p->rule];
	struct dvx_flow_match match = {0};
	struct dvx_flow_action *actions[3];
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr), .matcher = in->matcher[p->matcher],
					  .match = &match, .actions = actions};

	for (unsigned int k = 0; k < m->shape->n; k++)
		set_field(&match, m->shape->key[k], m->entry[p->entry].value[k], m->shape->mask[k]);
	if (rule->verdict == RULE_SEND) {
		actions[attr.action_count++] = r->queue[rule->queue].action;
		actions[attr.action_count++] = r->tag[p->rule];
	} else {
		actions[attr.action_count++] = rule->verdict == RULE_DROP ? r->drop : r->pass;
	}
	if (rule->count)
		actions[attr.action_count++] = r->count[p->rule];
	OK(dvx_flow_rule_create(&attr, &p->rule_in));
}

static void take_out(struct piece *p)
{
	OK(dvx_flow_rule_destroy(p->rule_in));
	p->rule_in = NULL;
}

/* In random order; every third goes out and comes in again on the way. */
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

static bool compile(struct installed *in, const char *text)
{
	size_t wrong;

	memset(in, 0, sizeof(*in));
	if (rules_parse(text, strlen(text), &in->set, NULL, NULL))
		return false;
	OK(rules_compile(&in->set, &in->program, &wrong));
	return true;
}

static void install(struct rig *r, struct installed *in, struct dice *d)
{
	const struct table *t = &in->program.table[RULE_IN];

	in->matcher = calloc(t->n + 1, sizeof(*in->matcher));
	in->piece = calloc(t->entries + 1, sizeof(*in->piece));
	for (size_t i = 0; i < t->n; i++) {
		struct dvx_flow_match match = {0};
		struct dvx_flow_matcher_attr attr = {.size = sizeof(attr), .match = &match,
						     .priority = (uint32_t)i};

		for (unsigned int k = 0; k < t->matcher[i].shape->n; k++)
			set_field(&match, t->matcher[i].shape->key[k], 0, t->matcher[i].shape->mask[k]);
		OK(dvx_flow_matcher_create(r->table, &attr, &in->matcher[i]));
		for (size_t k = 0; k < t->matcher[i].n; k++)
			in->piece[in->npieces++] = (struct piece){
				(uint32_t)i, (uint32_t)k, t->matcher[i].entry[k].rule, NULL};
	}
	insert_all(r, in, d);
	OK(dvx_flow_domain_sync(r->domain));
}

static void uninstall(struct installed *in)
{
	for (size_t i = 0; i < in->npieces; i++)
		if (in->piece[i].rule_in)
			take_out(&in->piece[i]);
	for (size_t i = 0; i < in->program.table[RULE_IN].n; i++)
		OK(dvx_flow_matcher_destroy(in->matcher[i]));
	free(in->matcher);
	free(in->piece);
	program_free(&in->program);
	ruleset_free(&in->set);
}

/* The file's last rules go, in the random order in which their entries came. */
static void cut(struct rig *r, struct installed *in, size_t rules)
{
	for (size_t i = 0; i < in->npieces; i++)
		if (in->piece[i].rule >= rules)
			take_out(&in->piece[i]);
	in->set.n = rules;
	OK(dvx_flow_domain_sync(r->domain));
}

/* --- packets through the device -------------------------------------------------------------------- */

static void post(struct rig *r, uint32_t slot, const uint8_t *bytes, uint32_t len, bool last)
{
	struct ibv_sge sge = {(uintptr_t)r->out + slot * PACKET_MAX, len, r->mr->lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
				       .send_flags = last ? IBV_SEND_SIGNALED : 0};

	memcpy(r->out + slot * PACKET_MAX, bytes, len);
	OK(ibv_post_send(r->sender, &wr, &bad));
}

static void send_batch(struct rig *r, const struct made_packet *p, uint32_t n)
{
	uint8_t last[SHORTEST] = {0x02, 0xff, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 9, 0x88, 0xb5};
	struct ibv_wc wc;
	time_t end = time(NULL) + 20;

	for (uint32_t i = 0; i < n; i++)
		post(r, i, p[i].bytes, p[i].len, false);
	for (uint8_t i = 0; i < QUEUES; i++) {
		last[5] = i;
		post(r, n + i, last, sizeof(last), i + 1 == QUEUES);
	}
	while (!ibv_poll_cq(r->ibcq, 1, &wc))
		if (time(NULL) > end)
			OK(-1);
	OK(wc.status);
}

/* One completion of a queue: its tag; the packet goes back to the queue. */
static bool next_completion(struct queue *q, uint32_t key, uint32_t *tag, uint32_t *len)
{
	const void *cqe = dvx_cq_peek(q->cq);
	struct dvx_sge sge = {0, PACKET_MAX, key};
	uint64_t slot;

	if (!cqe)
		return false;
	*tag = dvx_cqe_flow_tag(cqe);
	*len = dvx_cqe_byte_count(cqe);
	slot = dvx_rq_retire(q->rq);
	dvx_cq_pop(q->cq);
	sge.addr = (uintptr_t)q->buf + slot * PACKET_MAX;
	dvx_rq_post(q->rq, &sge, 1, slot);
	return true;
}

static struct verdict expect(const struct installed *in, const struct made_packet *p)
{
	struct fields f;
	struct verdict v = {.queue = -1};

	fields_of_frame(&f, p->bytes, p->len < SHORTEST ? SHORTEST : p->len);
	v.rule = slow_match(&in->set, RULE_IN, &f);
	if (v.rule && v.rule->verdict == RULE_SEND) {
		v.queue = (int)v.rule->queue;
		v.tag = v.rule->tag;
	}
	return v;
}

struct totals {
	uint64_t packets[RULES_ALL];
};

/* Whether a queue got what was expected for it, in that order. */
static bool queue_got(struct rig *r, int queue, const struct verdict *v, const struct made_packet *p,
		      uint32_t n)
{
	uint32_t tag = 0, len, at = 0, key = dvx_mkey_key(r->mkey);
	time_t end = time(NULL) + 20;
	bool same = true;

	while (tag != LAST_TAG) {
		if (!next_completion(&r->queue[queue], key, &tag, &len)) {
			if (time(NULL) > end)
				OK(-1);
			continue;
		}
		while (at < n && v[at].queue != queue)
			at++;
		if (tag == LAST_TAG)
			same = same && at == n;
		else
			same = same && at < n && v[at].tag == tag && p[at].len <= len;
		at++;
	}
	dvx_rq_ring(r->queue[queue].rq);
	return same;
}

static void read_counters(struct rig *r, struct totals *t)
{
	struct dvx_flow_count count[RULES_ALL];

	OK(dvx_flow_counter_query(r->counter, 0, RULES_ALL, count));
	for (uint32_t i = 0; i < RULES_ALL; i++)
		t->packets[i] = count[i].packets;
}

/* Whether the counters went up by what the verdicts say. */
static bool counted(struct rig *r, const struct installed *in, const struct totals *before,
		    const struct verdict *v, uint32_t n)
{
	struct totals after, want = *before;

	for (uint32_t i = 0; i < n; i++)
		if (v[i].rule && v[i].rule->count)
			want.packets[v[i].rule - in->set.rule]++;
	read_counters(r, &after);
	return !memcmp(&after, &want, sizeof(want));
}

static bool batch(struct rig *r, const struct installed *in, const struct made_packet *p, uint32_t n)
{
	struct verdict v[BATCH];
	struct totals before;
	bool same;

	for (uint32_t i = 0; i < n; i++)
		v[i] = expect(in, &p[i]);
	for (uint32_t i = 0; i < n; i++)
		met += v[i].rule != NULL;
	read_counters(r, &before);
	send_batch(r, p, n);
	same = true;
	for (int i = 0; i < QUEUES; i++)
		same = queue_got(r, i, v, p, n) && same;
	return counted(r, in, &before, v, n) && same;
}

/* --- what differs ---------------------------------------------------------------------------------- */

/* Without the rule of that line; false: there is none. */
static bool without(const char *text, size_t line, char *shorter)
{
	size_t at = 0;

	for (*shorter = 0; *text; at++) {
		size_t len = strcspn(text, "\n") + 1;

		if (at != line)
			strncat(shorter, text, len);
		text += len;
	}
	return line < at;
}

static bool differs(struct rig *r, const char *text, const struct made_packet *p)
{
	struct dice d = {1};
	struct installed in;
	bool same;

	if (!compile(&in, text))
		return false;
	/* Tags follow the rules' places, so they are said anew. */
	for (size_t i = 0; i < in.set.n; i++)
		in.set.rule[i].tag = i < QUEUES ? LAST_TAG : (uint32_t)i;
	install(r, &in, &d);
	same = batch(r, &in, p, 1);
	uninstall(&in);
	return !same;
}

static void report(struct rig *r, const char *text, const struct made_packet *p, uint64_t seed)
{
	char now[TEXT_MAX], next[TEXT_MAX], line[256];
	struct fields f;

	snprintf(now, sizeof(now), "%s", text);
	for (size_t i = QUEUES; without(now, i, next); i++)
		if (differs(r, next, p)) {
			memcpy(now, next, sizeof(now));
			i--;
		}
	fields_of_frame(&f, p->bytes, p->len < SHORTEST ? SHORTEST : p->len);
	fields_line(line, sizeof(line), &f);
	printf("# seed %" PRIu64 ": differs for %s (%u bytes)\n# ", seed, line, p->len);
	for (uint32_t i = 0; i < p->len; i++)
		printf("%02x", p->bytes[i]);
	printf("\n# under (%s):\n", differs(r, now, p) ? "smallest file" : "only after the inserts and deletes");
	for (const char *c = now; *c; c++) {
		if (c == now || c[-1] == '\n')
			printf("#   ");
		putchar(*c);
	}
}

static void find_difference(struct rig *r, const struct installed *in, const char *text,
			    const struct made_packet *p, uint32_t n, uint64_t seed)
{
	for (uint32_t i = 0; i < n; i++)
		if (!batch(r, in, &p[i], 1)) {
			if (!differences++)
				report(r, text, &p[i], seed);
			return;
		}
	differences++;
	printf("# seed %" PRIu64 ": a batch of %u differs, none of its packets alone\n", seed, n);
}

/* --- the sets --------------------------------------------------------------------------------------- */

static void random_text(struct dice *d, char *text)
{
	uint32_t rules = 1 + dice_roll(d, RULES_MAX);
	size_t at = (size_t)sprintf(text, "%s", LAST_RULES);
	char line[256];

	for (uint32_t i = QUEUES; i < QUEUES + rules;) {
		struct ruleset one;

		random_rule(d, line, sizeof(line) - 1, "in", i);
		strcat(line, "\n");
		if (rules_parse(line, strlen(line), &one, NULL, NULL))
			continue;
		ruleset_free(&one);
		at += (size_t)sprintf(text + at, "%s", line);
		i++;
	}
}

static void packets(struct rig *r, const struct installed *in, const char *text, struct dice *d,
		    uint32_t n, uint64_t seed)
{
	struct made_packet p[BATCH];

	while (n) {
		uint32_t some = n < BATCH ? n : BATCH;

		for (uint32_t i = 0; i < some; i++)
			random_packet(d, &p[i]);
		if (!batch(r, in, p, some))
			find_difference(r, in, text, p, some, seed);
		pairs += some;
		n -= some;
	}
}

static void one_set(struct rig *r, uint64_t seed, uint32_t n)
{
	struct dice d = {seed * 0x9e3779b97f4a7c15ull + 1};
	char text[TEXT_MAX];
	struct installed in;
	size_t all;

	random_text(&d, text);
	if (!compile(&in, text))
		OK(-1);
	install(r, &in, &d);
	packets(r, &in, text, &d, n - n / 3, seed);
	all = in.set.n;
	cut(r, &in, QUEUES + dice_roll(&d, (uint32_t)(all - QUEUES)));
	packets(r, &in, text, &d, n / 3, seed);
	in.set.n = all;
	uninstall(&in);
}

int main(int argc, char **argv)
{
	uint64_t sets = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
	uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 1000;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	struct timespec start, end;
	struct rig r = {0};

	printf("1..1\n");
	open_rig(&r);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (uint64_t i = 0; i < sets && differences < 8; i++)
		one_set(&r, seed + i, n);
	clock_gettime(CLOCK_MONOTONIC, &end);
	close_rig(&r);
	printf("%s 1 - %" PRIu64 " pairs of rule file and packet (%" PRIu64
	       " met a rule), seeds %" PRIu64 " to %" PRIu64 ", %" PRIu64 " differences, %.1f s\n",
	       differences ? "not ok" : "ok", pairs, met, seed, seed + sets - 1, differences,
	       (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
	return differences != 0;
}
