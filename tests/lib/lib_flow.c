/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of libdvx and the packets they steer. Each test runs in the root and, where the device has
 * them, in a table of software steering: the same rules must do the same.
 */
#include "tests/test.h"
#include "lib_flow_stage.h"

/* One port goes to a queue with a tag, all others to the other queue; then the rule is removed. */
TEST(levels, port_to_queue)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_match m = udp(4, 53);
	struct dvx_flow_matcher *one, *rest;
	struct dvx_flow_rule *r, *d;
	struct dvx_flow_action *tag;

	OK(dvx_flow_action_create_tag(s->domain, 0xabcdef, &tag));
	one = matcher(s->table, &m, 1);
	rest = matcher(s->table, &all, 2);
	r = rule(one, &m, (struct dvx_flow_action *[]){s->to_a, tag}, 2);
	d = rule(rest, &all, &s->to_b, 1);
	spec_send(s->f, (struct frame_spec){.dport = 53});
	spec_send(s->f, (struct frame_spec){.dport = 54});
	spec_send(s->f, (struct frame_spec){.dport = 53, .proto = 6});
	spec_send(s->f, (struct frame_spec){.dport = 53, .version = 6});
	spec_send(s->f, (struct frame_spec){.dport = 53, .vlan = 5, .payload = 100});
	inbox_gets(&s->a, (struct frame_spec){.dport = 53}, 0xabcdef);
	inbox_gets(&s->b, (struct frame_spec){.dport = 54}, 0);
	inbox_gets(&s->b, (struct frame_spec){.dport = 53, .proto = 6}, 0);
	inbox_gets(&s->b, (struct frame_spec){.dport = 53, .version = 6}, 0);
	inbox_gets(&s->a, (struct frame_spec){.dport = 53, .vlan = 5, .payload = 100}, 0xabcdef);
	OK(dvx_flow_rule_destroy(r));
	spec_send(s->f, (struct frame_spec){.dport = 53});
	inbox_gets(&s->b, (struct frame_spec){.dport = 53}, 0);
	inbox_is_empty(&s->a);
	OK(dvx_flow_rule_destroy(d));
	OK(dvx_flow_matcher_destroy(rest));
	OK(dvx_flow_matcher_destroy(one));
	OK(dvx_flow_action_destroy(tag));
}

/* One counter for several rules, dropping or not, and two of a bulk; each packet counts once. */
TEST(levels, counters)
{
	struct dvx_flow_match p1 = udp(4, 1), p2 = udp(4, 2), p3 = udp(4, 3);
	struct dvx_flow_count count[4];
	struct dvx_flow_counter *one, *bulk = NULL;
	struct dvx_flow_action *c1, *c2 = NULL;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r[3];
	struct frame f;
	int i;

	OK(dvx_flow_counter_create(s->f->r.dev, 0, &one));
	assert_int_equal(dvx_flow_counter_size(one), 1);
	OK(dvx_flow_counter_create(s->f->r.dev, 4, &bulk));
	assert_true(dvx_flow_counter_size(bulk) >= 4);
	OK(dvx_flow_action_create_count(s->domain, one, 0, &c1));
	OK(dvx_flow_action_create_count(s->domain, bulk, 3, &c2));
	mt = matcher(s->table, &p1, 0);
	r[0] = rule(mt, &p1, (struct dvx_flow_action *[]){c1, s->drop}, 2);
	r[1] = rule(mt, &p2, (struct dvx_flow_action *[]){s->to_a, c1}, 2);
	r[2] = rule(mt, &p3, (struct dvx_flow_action *[]){c2, s->to_a}, 2);
	for (i = 0; i < 5; i++)
		spec_send(s->f, (struct frame_spec){.dport = 1});
	spec_send(s->f, (struct frame_spec){.dport = 2});
	spec_send(s->f, (struct frame_spec){.dport = 3, .payload = 72});
	inbox_gets(&s->a, (struct frame_spec){.dport = 2}, 0);
	inbox_gets(&s->a, (struct frame_spec){.dport = 3, .payload = 72}, 0);
	frame_build(&f, (struct frame_spec){0});
	OK(dvx_flow_counter_query(one, 0, 1, count));
	assert_int_equal(count[0].packets, 6);
	assert_int_equal(count[0].bytes, 6 * f.len);
	OK(dvx_flow_counter_query(bulk, 1, 3, count));
	assert_int_equal(count[0].packets, 0);
	assert_int_equal(count[2].packets, 1);
	assert_int_equal(count[2].bytes, f.len + 32);
	count[0].packets = 99;
	OK(dvx_flow_counter_query(one, 1, 0, count));
	OK(dvx_flow_counter_query(bulk, 0, 0, count));
	assert_int_equal(count[0].packets, 99);
	assert_int_equal(dvx_flow_counter_query(one, 0, 2, count), -ERANGE);
	assert_int_equal(dvx_flow_counter_query(one, 2, 0, count), -ERANGE);
	assert_int_equal(dvx_flow_counter_destroy(one), -EBUSY);
	assert_int_equal(dvx_flow_action_destroy(c1), -EBUSY);
	for (i = 0; i < 3; i++)
		OK(dvx_flow_rule_destroy(r[i]));
	OK(dvx_flow_action_destroy(c1));
	OK(dvx_flow_action_destroy(c2));
	OK(dvx_flow_counter_destroy(one));
	OK(dvx_flow_counter_destroy(bulk));
	OK(dvx_flow_matcher_destroy(mt));
}

/* Numbers continue behind the largest bulk, and each counts separately. */
TEST(levels, many_counters)
{
	enum { N = 5000, AT = 4095 };
	struct dvx_flow_match first = udp(4, 1), last = udp(4, 2);
	struct dvx_flow_counter *counter, *none = NULL;
	struct dvx_flow_action *low, *high, *tail;
	struct dvx_flow_count *count = calloc(N, sizeof(*count));
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r[3];
	uint64_t all = 0;

	OK(dvx_flow_counter_create(s->f->r.dev, N, &counter));
	assert_true(dvx_flow_counter_size(counter) >= N && dvx_flow_counter_size(counter) < 6000);
	OK(dvx_flow_action_create_count(s->domain, counter, AT, &low));
	OK(dvx_flow_action_create_count(s->domain, counter, AT + 1, &high));
	OK(dvx_flow_action_create_count(s->domain, counter, N - 1, &tail));
	mt = matcher(s->table, &first, 0);
	r[0] = rule(mt, &first, (struct dvx_flow_action *[]){low, s->drop}, 2);
	r[1] = rule(mt, &last, (struct dvx_flow_action *[]){high, s->drop}, 2);
	first = udp(4, 3);
	r[2] = rule(mt, &first, (struct dvx_flow_action *[]){tail, s->to_a}, 2);
	spec_send(s->f, (struct frame_spec){.dport = 1});
	for (int i = 0; i < 2; i++)
		spec_send(s->f, (struct frame_spec){.dport = 2});
	for (int i = 0; i < 3; i++)
		spec_send(s->f, (struct frame_spec){.dport = 3});
	for (int i = 0; i < 3; i++)
		inbox_gets(&s->a, (struct frame_spec){.dport = 3}, 0);
	OK(dvx_flow_counter_query(counter, 0, N, count));
	for (int i = 0; i < N; i++)
		all += count[i].packets;
	assert_int_equal(all, 6);
	assert_int_equal(count[AT].packets, 1);
	assert_int_equal(count[AT + 1].packets, 2);
	assert_int_equal(count[N - 1].packets, 3);
	OK(dvx_flow_counter_query(counter, AT + 1, 1, count));
	assert_int_equal(count[0].packets, 2);
	refused(dvx_flow_counter_create(s->f->r.dev, UINT32_MAX, &none), -ERANGE, "n 4294967295",
		"16777216");
	for (int i = 0; i < 3; i++)
		OK(dvx_flow_rule_destroy(r[i]));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(low));
	OK(dvx_flow_action_destroy(high));
	OK(dvx_flow_action_destroy(tail));
	OK(dvx_flow_counter_destroy(counter));
	free(count);
}

/* IPv4 and IPv6 rules in one matcher, prefixes, VLANs, MACs; lower priorities first. */
TEST(levels, fields)
{
	static const uint8_t net6[16] = {0x20, 0x01, 0x0d, 0xb8};
	struct dvx_flow_match v4 = udp(4, 7), v6 = udp(6, 7), net = {0}, vlan = {0}, six = {0};
	struct dvx_flow_matcher *both, *nets, *vlans, *sixes;
	struct dvx_flow_action *tag[5];
	struct dvx_flow_rule *r[5];
	uint32_t i;

	OK(dvx_flow_match_ipv4(&net, DVX_FLOW_OUTER, DVX_FLOW_SRC, 0x0b000000, 8));
	OK(dvx_flow_match_vlan(&vlan, DVX_FLOW_OUTER, 77, 0xfff));
	OK(dvx_flow_match_ipv6(&six, DVX_FLOW_OUTER, DVX_FLOW_DST, net6, 32));
	for (i = 0; i < 5; i++)
		OK(dvx_flow_action_create_tag(s->domain, i + 1, &tag[i]));
	both = matcher(s->table, &v4, 1);
	nets = matcher(s->table, &net, 2);
	vlans = matcher(s->table, &vlan, 0);
	sixes = matcher(s->table, &six, 4);
	r[0] = rule(both, &v4, (struct dvx_flow_action *[]){tag[0], s->to_a}, 2);
	r[1] = rule(both, &v6, (struct dvx_flow_action *[]){tag[1], s->to_a}, 2);
	r[2] = rule(nets, &net, (struct dvx_flow_action *[]){tag[2], s->to_a}, 2);
	r[3] = rule(vlans, &vlan, (struct dvx_flow_action *[]){tag[3], s->to_a}, 2);
	r[4] = rule(sixes, &six, (struct dvx_flow_action *[]){tag[4], s->to_a}, 2);
	spec_send(s->f, (struct frame_spec){.dport = 7});
	inbox_gets(&s->a, (struct frame_spec){.dport = 7}, 1);
	spec_send(s->f, (struct frame_spec){.dport = 7, .version = 6});
	inbox_gets(&s->a, (struct frame_spec){.dport = 7, .version = 6}, 2);
	spec_send(s->f, (struct frame_spec){.src = 0x0b123456});
	inbox_gets(&s->a, (struct frame_spec){.src = 0x0b123456}, 3);
	spec_send(s->f, (struct frame_spec){.src = 0x0b123456, .dport = 7});
	inbox_gets(&s->a, (struct frame_spec){.src = 0x0b123456, .dport = 7}, 1);
	spec_send(s->f, (struct frame_spec){.vlan = 77, .dport = 7});
	inbox_gets(&s->a, (struct frame_spec){.vlan = 77, .dport = 7}, 4);
	spec_send(s->f, (struct frame_spec){.version = 6});
	inbox_gets(&s->a, (struct frame_spec){.version = 6}, 5);
	for (i = 0; i < 5; i++)
		OK(dvx_flow_rule_destroy(r[i]));
	OK(dvx_flow_matcher_destroy(both));
	OK(dvx_flow_matcher_destroy(nets));
	OK(dvx_flow_matcher_destroy(vlans));
	OK(dvx_flow_matcher_destroy(sixes));
	for (i = 0; i < 5; i++)
		OK(dvx_flow_action_destroy(tag[i]));
}

#define MANY 10000u

struct many {
	struct stage *s;
	struct dvx_flow_matcher *matcher;
	struct dvx_flow_match m;
	size_t refuse, stop, calls;
};

/* Fills in rule i: 10.x.y.z, i in the last bytes; rule `refuse` is wrong. */
static int nth(void *arg, size_t i, struct dvx_flow_rule_attr *attr)
{
	struct many *b = arg;

	prm_store32(b->m.value, 60, 0x0a000000 + (uint32_t)i);
	prm_fte_match_set_lyr_2_4_set_ip_version(b->m.value, i == b->refuse ? 7 : 4);
	attr->matcher = b->matcher;
	attr->match = &b->m;
	attr->actions = i & 1 ? &b->s->to_b : &b->s->to_a;
	attr->action_count = 1;
	return 0;
}

static int count_calls(void *arg, size_t done)
{
	struct many *b = arg;

	b->calls++;
	return b->stop && done >= b->stop;
}

TEST(levels, bulk)
{
	struct many b = {.refuse = SIZE_MAX};
	struct dvx_flow_bulk how = {.size = sizeof(how),
				    .every = 1000,
				    .next = nth,
				    .progress = count_calls,
				    .arg = &b};
	struct dvx_flow_rule **rules = calloc(MANY, sizeof(struct dvx_flow_rule *));
	size_t i;

	OK(dvx_flow_match_ipv4(&b.m, DVX_FLOW_OUTER, DVX_FLOW_DST, 0, 0));
	OK(dvx_flow_match_set(&b.m, "outer_headers.dst_ipv4_dst_ipv6.ipv4_layout.ipv4", 0,
			      0xffffffff));
	b.s = s;
	b.matcher = matcher(s->table, &b.m, 0);
	/* none, since one of them is wrong */
	b.refuse = 2345;
	refused(dvx_flow_rules_insert(&how, MANY, rules), -EINVAL,
		"rule 2345: ", "ip_version: value 7");
	for (i = 0; i < MANY; i++)
		assert_null(rules[i]);
	assert_int_equal(b.calls, 2);
	b.refuse = SIZE_MAX;
	b.stop = 3000;
	assert_int_equal(dvx_flow_rules_insert(&how, MANY, rules), -ECANCELED);
	OK(dvx_flow_matcher_destroy(b.matcher)); /* empty again */
	b.matcher = matcher(s->table, &b.m, 0);
	b.stop = 0;
	OK(dvx_flow_rules_insert(&how, MANY, rules));
	for (i = 0; i < MANY; i += 997) {
		spec_send(s->f, (struct frame_spec){.dst = 0x0a000000 + (uint32_t)i});
		inbox_gets(i & 1 ? &s->b : &s->a,
			   (struct frame_spec){.dst = 0x0a000000 + (uint32_t)i}, 0);
	}
	/* remove every third, keep the others */
	for (i = 0; i < MANY; i += 3)
		OK(dvx_flow_rules_delete(&rules[i], 1));
	spec_send(s->f, (struct frame_spec){.dst = 0x0a000003});
	spec_send(s->f, (struct frame_spec){.dst = 0x0a000004});
	inbox_gets(&s->a, (struct frame_spec){.dst = 0x0a000004}, 0);
	inbox_is_empty(&s->b);
	OK(dvx_flow_rules_delete(rules, MANY));
	for (i = 0; i < MANY; i++)
		assert_null(rules[i]);
	OK(dvx_flow_matcher_destroy(b.matcher));
	how.next = NULL;
	assert_int_equal(dvx_flow_rules_insert(&how, 1, rules), -EINVAL);
	free(rules);
}

/* RSS: both queues get packets, and one flow always goes to the same queue. */
TEST(levels, rss)
{
	struct dvx_flow_match m = {0};
	struct dvx_rxq *queues[2];
	struct dvx_rss_attr attr = {
		.size = sizeof(attr), .queues = queues, .queue_count = 2, .udp = true};
	struct dvx_flow_action *spread;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;
	struct dvx_rss *group = NULL;
	uint16_t i, got[2] = {0};

	queues[0] = s->a.rxq;
	queues[1] = s->b.rxq;
	OK(dvx_rss_create(s->f->r.dev, &attr, &group));
	assert_int_equal(dvx_rxq_destroy(s->a.rxq), -EBUSY);
	OK(dvx_flow_action_create_rss(s->domain, group, &spread));
	assert_int_equal(dvx_rss_destroy(group), -EBUSY);
	OK(dvx_flow_match_ip_version(&m, DVX_FLOW_OUTER, 4));
	OK(dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP, 0, 0));
	mt = matcher(s->table, &m, 0);
	r = rule(mt, &m, &spread, 1);
	for (i = 1; i <= 64; i++) {
		struct frame_spec it = {.sport = i};
		bool in_a;

		spec_send(s->f, it);
		while (!dvx_cq_peek(s->a.cq) && !dvx_cq_peek(s->b.cq))
			;
		in_a = dvx_cq_peek(s->a.cq);
		assert_int_equal(dvx_cqe_rss_hash(dvx_cq_peek(in_a ? s->a.cq : s->b.cq)) & 1,
				 !in_a);
		got[!in_a]++;
		inbox_gets(in_a ? &s->a : &s->b, it, 0);
	}
	assert_true(got[0] > 10 && got[1] > 10);
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(spread));
	OK(dvx_rss_destroy(group));
	attr.queue_count = 3;
	refused(dvx_rss_create(s->f->r.dev, &attr, &group), -EINVAL, "attr.queue_count", "3");
	attr.queue_count = 2;
	attr.fields = 0x10;
	refused(dvx_rss_create(s->f->r.dev, &attr, &group), -EINVAL, "attr.fields", "0x10");
	queues[1] = NULL;
	attr.fields = 0;
	refused(dvx_rss_create(s->f->r.dev, &attr, &group), -EINVAL, "attr.queues[1]", "");
}

/* Outgoing packets are dropped, counted, or let out by rules of the TX side. */
TEST(levels, sending)
{
	struct dvx_flow_match m5 = udp(4, 5), m6 = udp(4, 6);
	struct dvx_flow_action *count;
	struct dvx_flow_counter *counter;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r5, *r6;
	struct dvx_flow_count n;
	struct stage_tx tx;

	stage_tx_open(&tx, s);
	OK(dvx_flow_counter_create(s->f->r.dev, 1, &counter));
	OK(dvx_flow_action_create_count(tx.s.domain, counter, 0, &count));
	mt = matcher(tx.s.table, &m5, 0);
	r5 = rule(mt, &m5, (struct dvx_flow_action *[]){tx.s.drop, count}, 2);
	r6 = rule(mt, &m6, (struct dvx_flow_action *[]){tx.pass, count}, 2);
	spec_send(s->f, (struct frame_spec){.dport = 5});
	spec_send(s->f, (struct frame_spec){.dport = 6});
	spec_send(s->f, (struct frame_spec){.dport = 7});
	inbox_gets(&s->a, (struct frame_spec){.dport = 6}, 0);
	inbox_gets(&s->a, (struct frame_spec){.dport = 7}, 0);
	inbox_is_empty(&s->a);
	OK(dvx_flow_counter_query(counter, 0, 1, &n));
	assert_int_equal(n.packets, 2);
	OK(dvx_flow_rule_destroy(r6));
	OK(dvx_flow_rule_destroy(r5));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(count));
	OK(dvx_flow_counter_destroy(counter));
	stage_tx_close(&tx);
}

/* Both queues get the packet, one of them through another table. */
TEST(levels, mirror)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_match m = udp(4, 53);
	struct dvx_flow_action *both, *far, *go, *none = NULL, *tag5;
	struct dvx_flow_matcher *mt = matcher(s->table, &m, 0), *behind;
	struct dvx_flow_rule *r, *b;
	struct dvx_flow_table *next;

	OK(dvx_flow_table_create(s->domain, 5, &next));
	OK(dvx_flow_action_create_table(s->domain, next, &go));
	OK(dvx_flow_action_create_tag(s->domain, 5, &tag5));
	behind = matcher(next, &all, 0);
	b = rule(behind, &all, (struct dvx_flow_action *[]){s->to_b, tag5}, 2);
	OK(dvx_flow_action_create_array(s->domain, (struct dvx_flow_action *[]){s->to_a, s->to_b},
					2, &both));
	OK(dvx_flow_action_create_array(s->domain, (struct dvx_flow_action *[]){s->to_a, go}, 2,
					&far));
	r = rule(mt, &m, &both, 1);
	spec_send(s->f, (struct frame_spec){.dport = 53});
	inbox_gets(&s->a, (struct frame_spec){.dport = 53}, 0);
	inbox_gets(&s->b, (struct frame_spec){.dport = 53}, 0);
	assert_int_equal(dvx_flow_action_destroy(s->to_b), -EBUSY);
	assert_int_equal(dvx_flow_action_destroy(both), -EBUSY);
	OK(dvx_flow_rule_destroy(r));
	r = rule(mt, &m, &far, 1);
	spec_send(s->f, (struct frame_spec){.dport = 53});
	inbox_gets(&s->a, (struct frame_spec){.dport = 53}, 0);
	inbox_gets(&s->b, (struct frame_spec){.dport = 53}, 5);
	inbox_is_empty(&s->a);
	OK(dvx_flow_rule_destroy(r));
	refused(dvx_flow_action_create_array(s->domain, &s->to_a, 1, &none), -EINVAL, "n is 1", "");
	refused(dvx_flow_action_create_array(
			s->domain, (struct dvx_flow_action *[]){s->to_a, s->drop}, 2, &none),
		-EOPNOTSUPP, "members[1]", "queue, rss, qp and table");
	OK(dvx_flow_action_destroy(far));
	OK(dvx_flow_action_destroy(both));
	OK(dvx_flow_rule_destroy(b));
	OK(dvx_flow_matcher_destroy(behind));
	OK(dvx_flow_action_destroy(tag5));
	OK(dvx_flow_action_destroy(go));
	OK(dvx_flow_table_destroy(next));
	OK(dvx_flow_matcher_destroy(mt));
}

/* Sends packets to port 53, then one to 54, which queue b gets; returns how many a got before. */
static unsigned int copies_of(struct stage *s, unsigned int packets)
{
	unsigned int copies = 0;

	while (packets--)
		spec_send(s->f, (struct frame_spec){.dport = 53});
	spec_send(s->f, (struct frame_spec){.dport = 54});
	inbox_gets(&s->b, (struct frame_spec){.dport = 54}, 0);
	for (; dvx_cq_peek(s->a.cq); copies++)
		inbox_gets(&s->a, (struct frame_spec){.dport = 53}, 0);
	return copies;
}

/* The table gets all packets, the queue a copy of one in four. */
TEST(below, samples)
{
	static const struct dvx_flow_match all;
	const unsigned int rounds = 100, round = 4, ratio = 4;
	struct dvx_flow_match m = udp(4, 53), m54 = udp(4, 54);
	struct dvx_flow_action *sample, *count, *none = NULL;
	struct dvx_flow_matcher *mt = matcher(s->table, &m, 0), *behind;
	struct dvx_flow_rule *r, *r54, *b;
	struct dvx_flow_counter *counter;
	struct dvx_flow_table *next;
	struct dvx_flow_count n;
	unsigned int copies = 0;

	OK(dvx_flow_table_create(s->domain, 5, &next));
	OK(dvx_flow_counter_create(s->f->r.dev, 1, &counter));
	OK(dvx_flow_action_create_count(s->domain, counter, 0, &count));
	behind = matcher(next, &all, 0);
	b = rule(behind, &all, (struct dvx_flow_action *[]){s->drop, count}, 2);
	OK(dvx_flow_action_create_sample(s->domain, ratio, s->to_a, next, &sample));
	r = rule(mt, &m, &sample, 1);
	r54 = rule(mt, &m54, &s->to_b, 1);
	for (unsigned int i = 0; i < rounds; i++)
		copies += copies_of(s, round);
	OK(dvx_flow_counter_query(counter, 0, 1, &n));
	assert_int_equal(n.packets, rounds * round);
	assert_in_range(copies, rounds * round / ratio * 7 / 10, rounds * round / ratio * 13 / 10);
	assert_int_equal(dvx_flow_action_destroy(s->to_a), -EBUSY);
	assert_int_equal(dvx_flow_table_destroy(next), -EBUSY);
	refused(dvx_flow_action_create_sample(s->domain, 2, sample, next, &none), -EOPNOTSUPP,
		"to is no", "queue, rss or qp action");
	OK(dvx_flow_rule_destroy(r54));
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_action_destroy(sample));
	OK(dvx_flow_rule_destroy(b));
	OK(dvx_flow_matcher_destroy(behind));
	OK(dvx_flow_action_destroy(count));
	OK(dvx_flow_counter_destroy(counter));
	OK(dvx_flow_table_destroy(next));
	OK(dvx_flow_matcher_destroy(mt));
}

/* A rule leads back to the root, to the rules behind the link; a miss below does not. */
TEST(levels, back_to_root)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_match m8 = udp(4, 8);
	struct dvx_flow_action *back = NULL;
	struct dvx_flow_rule_attr attr;
	struct dvx_flow_matcher *mt, *later;
	struct dvx_flow_rule *r8, *rest, *none = NULL;

	if (dvx_flow_action_create_root(s->domain, 5, &back)) {
		error_has("root", "");
		stage_close(s);
		skip();
	}
	mt = matcher(s->table, &m8, 0);
	attr = rule_attr(mt, &m8, &back, 1);
	if (!level) {
		refused(dvx_flow_rule_create(&attr, &none), -EINVAL, "attr.actions[0]", "root");
	} else {
		later = matcher(s->root, &all, 5);
		OK(dvx_flow_rule_create(&attr, &r8));
		rest = rule(later, &all, &s->to_b, 1);
		spec_send(s->f, (struct frame_spec){.dport = 9});
		spec_send(s->f, (struct frame_spec){.dport = 8});
		inbox_gets(&s->b, (struct frame_spec){.dport = 8}, 0);
		inbox_is_empty(&s->b);
		assert_int_equal(dvx_flow_action_destroy(back), -EBUSY);
		OK(dvx_flow_rule_destroy(r8));
		OK(dvx_flow_rule_destroy(rest));
		OK(dvx_flow_matcher_destroy(later));
	}
	OK(dvx_flow_action_destroy(back));
	OK(dvx_flow_matcher_destroy(mt));
}
