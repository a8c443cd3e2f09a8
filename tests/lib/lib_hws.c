/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hardware steering by libdvx: requests write and delete rules, packets are judged by them, full
 * rows fail as completions, and refusals name the field and its limit. The same source runs with
 * every stage over hardware steering: lib_rules, lib_flow_change and flow_tags.
 */
#include "tests/test.h"
#include <dvx/prm/flow.h>
#include "lib_hws_rig.h"

TEST(below, written_and_deleted)
{
	struct dvx_flow_match m = udp(4, 0), same = udp(4, 53);
	uint8_t tag[DVX_LONG_TAG_BYTES], made[DVX_LONG_TAG_BYTES];
	static const struct dvx_flow_match all;
	struct dvx_flow_matcher *rest = matcher(s->table, &all, 9);
	struct dvx_flow_rule *to_a = rule(rest, &all, &s->to_a, 1);
	struct ring_of_rules r;

	rules_open(&r, s, &m, 1000);
	assert_int_equal(dvx_hws_tag_bytes(r.m), DVX_TAG_BYTES);
	port_tag(&r, 53, tag);
	OK(dvx_hws_tag_make(r.m, &same, made));
	assert_memory_equal(tag, made, DVX_TAG_BYTES);
	port_gets(&r, &s->a, 53);
	OK(dvx_post_rule(r.sq, &r.image, tag, 1, DVX_SIGNALED));
	assert_false(answer(&r, 1));
	port_gets(&r, &s->b, 53);
	port_gets(&r, &s->a, 54);
	OK(dvx_post_rule_del(r.sq, &r.image, tag, 2, DVX_SIGNALED));
	assert_false(answer(&r, 2));
	port_gets(&r, &s->a, 53);
	OK(dvx_post_rule_del(r.sq, &r.image, tag, 3, DVX_SIGNALED));
	assert_true(answer(&r, 3));
	rules_close(&r);
	OK(dvx_flow_rule_destroy(to_a));
	OK(dvx_flow_matcher_destroy(rest));
}

/*
 * Rows of one matcher that are full: a request fails by a completion, unsignaled too, and the image
 * of the spill table takes the rule. The queue goes on.
 */
TEST(below, row_is_full)
{
	struct dvx_flow_match m = udp(4, 0);
	uint8_t tag[DVX_TAG_BYTES];
	struct ring_of_rules r;
	struct dvx_hws_image spill;
	struct dvx_flow_rule_attr to_b;
	uint16_t port = 1;
	bool full = false;

	rules_open(&r, s, &m, 1);
	to_b = rule_attr(r.m, &m, &s->to_b, 1);
	OK(dvx_hws_image_make(&to_b, DVX_HWS_SPILL, &spill));
	for (; !full; port += !full) {
		port_tag(&r, port, tag);
		OK(dvx_post_rule(r.sq, &r.image, tag, port, DVX_SIGNALED));
		full = answer(&r, port);
	}
	assert_int_equal(port, 1 + 4); /* a row of four */
	OK(dvx_post_rule(r.sq, &r.image, tag, 100, 0));
	assert_true(answer(&r, 100));
	OK(dvx_post_rule(r.sq, &spill, tag, 101, DVX_SIGNALED));
	assert_false(answer(&r, 101));
	port_gets(&r, &s->b, 1);
	port_gets(&r, &s->b, port);
	rules_close(&r);
}

/* The actions' values are set in copies of an image. */
TEST(below, values_of_an_image)
{
	struct dvx_flow_match m = udp(4, 0);
	struct dvx_flow_action *tag, *count, *set, *all[4];
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_counter *counter;
	struct dvx_flow_count got[3];
	struct ring_of_rules r;
	struct dvx_flow_rule_attr attr;
	struct dvx_hws_image image;
	uint8_t key[DVX_TAG_BYTES];
	struct frame want;

	rules_open(&r, s, &m, 8);
	OK(dvx_flow_counter_create(s->f->r.dev, 128, &counter));
	OK(dvx_flow_action_create_count(s->domain, counter, 0, &count));
	OK(dvx_flow_action_create_tag(s->domain, 1, &tag));
	OK(dvx_flow_rewrite_set(&list, "outer_headers.udp_sport", 7));
	OK(dvx_flow_action_create_modify(s->domain, &list, &set));
	memcpy(all, (struct dvx_flow_action *[]){tag, count, set, s->to_b}, sizeof(all));
	attr = rule_attr(r.m, &m, all, 4);
	OK(dvx_hws_image_make(&attr, 0, &image));
	dvx_hws_image_counter(&image, 2);
	dvx_hws_image_flow_tag(&image, 0xabcdef);
	dvx_hws_image_value(&image, 99);
	port_tag(&r, 53, key);
	OK(dvx_post_rule(r.sq, &image, key, 1, DVX_SIGNALED));
	assert_false(answer(&r, 1));
	frame_build(&want, (struct frame_spec){.dport = 53});
	frame_send(s->f, &want);
	prm_store16(want.bytes, 34, 99);
	inbox_gets_frame(&s->b, &want, 0xabcdef);
	OK(dvx_flow_counter_query(counter, 0, 3, got));
	assert_int_equal(got[2].packets, 1);
	assert_int_equal(got[0].packets, 0);
	rules_close(&r);
	OK(dvx_flow_action_destroy(set));
	OK(dvx_flow_action_destroy(tag));
	OK(dvx_flow_action_destroy(count));
	OK(dvx_flow_counter_destroy(counter));
}

/* Equal action templates are one: a domain has more actions than templates. */
TEST(below, actions_share_templates)
{
	enum { ACTIONS = 4200 };
	static struct dvx_flow_action *tag[ACTIONS];
	struct dvx_flow_match m = udp(4, 0);
	struct dvx_flow_action *both[2] = {NULL, s->to_b};
	struct dvx_flow_rule_attr attr;
	struct dvx_hws_image image;
	struct ring_of_rules r;
	uint8_t key[DVX_TAG_BYTES];
	struct frame want;

	rules_open(&r, s, &m, 8);
	attr = rule_attr(r.m, &m, both, 2);
	for (uint32_t i = 0; i < ACTIONS; i++) {
		OK(dvx_flow_action_create_tag(s->domain, i, &tag[i]));
		both[0] = tag[i];
		OK(dvx_hws_image_make(&attr, 0, &image));
	}
	port_tag(&r, 53, key);
	OK(dvx_post_rule(r.sq, &image, key, 1, DVX_SIGNALED));
	assert_false(answer(&r, 1));
	frame_build(&want, (struct frame_spec){.dport = 53});
	frame_send(s->f, &want);
	inbox_gets_frame(&s->b, &want, ACTIONS - 1);
	rules_close(&r);
	for (uint32_t i = 0; i < ACTIONS; i++)
		OK(dvx_flow_action_destroy(tag[i]));
}

/* A rule's rewrites have the values of the argument that it names, as it was written last. */
TEST(below, arguments)
{
	struct dvx_flow_match m = udp(4, 0);
	struct dvx_flow_action *set, *both[2], *none = NULL;
	struct dvx_flow_rewrites list = {0}, nine = {.count = 9};
	struct dvx_flow_rule_attr attr;
	struct dvx_hws_args *args;
	struct dvx_hws_image image;
	struct ring_of_rules r;
	uint8_t tag[DVX_TAG_BYTES];
	struct frame want;

	rules_open(&r, s, &m, 8);
	OK(dvx_hws_args_create(s->domain, 100, &args));
	OK(dvx_flow_rewrite_set(&list, "outer_headers.udp_sport", 0));
	OK(dvx_flow_rewrite_set(&list, "outer_headers.udp_dport", 0));
	refused(dvx_hws_action_create_modify(s->domain, &nine, args, &none), -E2BIG,
		"list.count is 9", "8 changes");
	OK(dvx_hws_action_create_modify(s->domain, &list, args, &set));
	assert_int_equal(dvx_hws_args_id(args, 100), UINT32_MAX);
	refused(-dvx_last_error()->err, -ERANGE, "number 100", "not below 100");
	refused(dvx_hws_args_destroy(args), -EBUSY, "arguments", "1 actions");
	memcpy(both, (struct dvx_flow_action *[]){set, s->to_b}, sizeof(both));
	attr = rule_attr(r.m, &m, both, 2);
	OK(dvx_hws_image_make(&attr, 0, &image));
	dvx_hws_image_argument(&image, 3);
	prm_set_action_in_set_data(list.action[0], 7);
	prm_set_action_in_set_data(list.action[1], 8);
	port_tag(&r, 53, tag);
	OK(dvx_post_rule_arg(r.sq, dvx_hws_args_id(args, 3), list.action, 16, 1, 0));
	OK(dvx_post_rule(r.sq, &image, tag, 2, DVX_SIGNALED | DVX_SMALL_FENCE));
	assert_false(answer(&r, 2));
	frame_build(&want, (struct frame_spec){.dport = 53});
	frame_send(s->f, &want);
	prm_store16(want.bytes, 34, 7);
	prm_store16(want.bytes, 36, 8);
	inbox_gets_frame(&s->b, &want, 0);
	rules_close(&r);
	OK(dvx_flow_action_destroy(set));
	OK(dvx_hws_args_destroy(args));
}

#define MANY 2000u

/* Far more rules than a matcher expects are all in effect, and none when they are deleted. */
TEST(below, grows)
{
	static struct dvx_flow_rule *rules[MANY];
	static const struct dvx_flow_match all;
	struct dvx_flow_matcher *rest = matcher(s->table, &all, 9);
	struct dvx_flow_rule *to_a = rule(rest, &all, &s->to_a, 1);
	struct dvx_flow_match m = udp(4, 0);
	struct dvx_flow_matcher *mt = matcher(s->table, &m, 0);
	struct frame_spec spec = {.dport = 5001};

	for (uint16_t i = 0; i < MANY; i++) {
		m = udp(4, (uint16_t)(5000 + i));
		rules[i] = rule(mt, &m, &s->to_b, 1);
	}
	for (; spec.dport < 5000 + MANY; spec.dport = (uint16_t)(spec.dport + 97)) {
		spec_send(s->f, spec);
		inbox_gets(&s->b, spec, 0);
	}
	for (uint32_t i = 0; i < MANY; i++)
		OK(dvx_flow_rule_destroy(rules[i * 997 % MANY]));
	for (spec.dport = 5001; spec.dport < 5000 + MANY; spec.dport = (uint16_t)(spec.dport + 7)) {
		spec_send(s->f, spec);
		inbox_gets(&s->a, spec, 0);
	}
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_rule_destroy(to_a));
	OK(dvx_flow_matcher_destroy(rest));
}

/* The dump of the root, which is the kernel's, has the domain alone. */
TEST(below, dump_of_the_root)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	OK(dvx_flow_table_dump(s->root, to));
	fclose(to);
	assert_int_equal(strncmp(text, "3000,", 5), 0);
	assert_null(strstr(text, "\n3100,"));
	free(text);
}

/* A matcher that is made last decides by its priority, between two that are there. */
TEST(below, priorities)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_match m = udp(4, 53);
	struct dvx_flow_matcher *first = matcher(s->table, &m, 1), *last, *mid;
	struct frame_spec spec = {.dport = 54}, both = {.dport = 53};
	struct dvx_flow_rule *in[3];

	last = matcher(s->table, &all, 3);
	in[0] = rule(first, &m, &s->to_a, 1);
	in[1] = rule(last, &all, &s->to_a, 1);
	mid = matcher(s->table, &all, 2);
	in[2] = rule(mid, &all, &s->to_b, 1);
	spec_send(s->f, spec);
	inbox_gets(&s->b, spec, 0);
	spec_send(s->f, both);
	inbox_gets(&s->a, both, 0);
	OK(dvx_flow_rule_destroy(in[2]));
	OK(dvx_flow_matcher_destroy(mid));
	spec_send(s->f, spec);
	inbox_gets(&s->a, spec, 0);
	for (int i = 0; i < 2; i++)
		OK(dvx_flow_rule_destroy(in[i]));
	OK(dvx_flow_matcher_destroy(last));
	OK(dvx_flow_matcher_destroy(first));
}

/* The second of two rules with equal values takes the place of the first one, and goes, too. */
TEST(below, second_takes_over)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_match m = udp(4, 53);
	struct dvx_flow_matcher *mt = matcher(s->table, &m, 0), *rest = matcher(s->table, &all, 1);
	struct dvx_flow_rule *one = rule(mt, &m, &s->drop, 1), *two = rule(mt, &m, &s->to_b, 1);
	struct dvx_flow_rule *to_a = rule(rest, &all, &s->to_a, 1);
	struct frame_spec spec = {.dport = 53};

	spec_send(s->f, spec);
	OK(dvx_flow_rule_destroy(one));
	spec_send(s->f, spec);
	inbox_gets(&s->b, spec, 0);
	one = rule(mt, &m, &s->drop, 1);
	OK(dvx_flow_rule_destroy(two));
	OK(dvx_flow_rule_destroy(one));
	spec_send(s->f, spec);
	inbox_gets(&s->a, spec, 0);
	inbox_is_empty(&s->b);
	OK(dvx_flow_rule_destroy(to_a));
	OK(dvx_flow_matcher_destroy(rest));
	OK(dvx_flow_matcher_destroy(mt));
}

static struct dvx_flow_match five_tuple_v6(const uint8_t *src, uint16_t sport)
{
	static const uint8_t dst[16] = {0x20, 1, 0xd, 0xb8, [12] = 10, [15] = 2};
	struct dvx_flow_match m = udp(6, 2000);

	OK(dvx_flow_match_ipv6(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, src, 128));
	OK(dvx_flow_match_ipv6(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, dst, 128));
	OK(dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, DVX_FLOW_UDP, sport, 0xffff));
	return m;
}

/* Both addresses and ports of IPv6 make a long tag, whose addresses are in one piece each. */
TEST(below, long_tags)
{
	static const uint8_t src[16] = {0x20, 1, 0xd, 0xb8, [12] = 10, [15] = 1};
	struct dvx_flow_match m = five_tuple_v6(src, 1000);
	struct frame_spec spec = {.version = 6};
	struct dvx_flow_action *tag, *both[2];
	uint8_t made[DVX_LONG_TAG_BYTES];
	struct dvx_flow_rule_attr attr;
	struct dvx_hws_image image;
	struct ring_of_rules r;
	struct dvx_flow_rule *tagged;
	uint32_t bit;

	rules_open(&r, s, &m, 100);
	assert_int_equal(dvx_hws_tag_bytes(r.m), DVX_LONG_TAG_BYTES);
	OK(dvx_hws_tag_make(r.m, &m, made));
	OK(dvx_hws_tag_field(r.m, "outer_headers.src_ipv4_src_ipv6", &bit));
	assert_memory_equal(made + bit / 8, src, sizeof(src));
	OK(dvx_post_rule_jumbo(r.sq, &r.image, made, 1, DVX_SIGNALED));
	assert_false(answer(&r, 1));
	spec_send(s->f, spec);
	inbox_gets(&s->b, spec, 0);
	OK(dvx_post_rule_jumbo_del(r.sq, &r.image, made, 2, DVX_SIGNALED));
	assert_false(answer(&r, 2));
	/* A request has no dwords for actions, a rule of the flow API has a second entry for them. */
	OK(dvx_flow_action_create_tag(s->domain, 7, &tag));
	memcpy(both, (struct dvx_flow_action *[]){tag, s->to_b}, sizeof(both));
	attr = rule_attr(r.m, &m, both, 2);
	refused(dvx_hws_image_make(&attr, 0, &image), -E2BIG, "tag does not fit", "table behind");
	tagged = rule(r.m, &m, both, 2);
	spec_send(s->f, spec);
	inbox_gets(&s->b, spec, 7);
	OK(dvx_flow_rule_destroy(tagged));
	rules_close(&r);
	OK(dvx_flow_action_destroy(tag));
}

/* Sent packets get a tunnel's header, whose bytes are an argument of the device. */
TEST(below, encap)
{
	struct dvx_flow_match m = udp(4, 2000);
	struct dvx_flow_action *encap, *both[2], *none = NULL;
	static const uint8_t long_header[128];
	struct dvx_flow_matcher *mt;
	struct frame header, inner;
	struct dvx_flow_rule *r;
	struct stage_tx tx;
	const void *cqe;

	stage_tx_open(&tx, s);
	frame_build(&header, (struct frame_spec){.sport = 1, .dport = 4789, .payload = 8});
	OK(dvx_flow_action_create_encap_l2(tx.s.domain, header.bytes, header.len, &encap));
	memcpy(both, (struct dvx_flow_action *[]){encap, tx.pass}, sizeof(both));
	mt = matcher(tx.s.table, &m, 0);
	r = rule(mt, &m, both, 2);
	frame_build(&inner, (struct frame_spec){0});
	frame_send(s->f, &inner);
	cqe = wait_cqe(s->a.cq);
	assert_int_equal(dvx_cqe_byte_count(cqe), header.len + inner.len);
	assert_memory_equal(s->a.buf + header.len, inner.bytes, inner.len);
	assert_memory_equal(s->a.buf, header.bytes, 14);
	assert_int_equal(prm_load16(s->a.buf, 36), 4789);
	dvx_rq_retire(s->a.rq);
	dvx_cq_pop(s->a.cq);
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(encap));
	refused(dvx_flow_action_create_encap_l2(tx.s.domain, long_header, sizeof(long_header),
						&none),
		-EOPNOTSUPP, "bytes is 128", "max_encap_header_size");
	stage_tx_close(&tx);
}

/* Puts a frame into VXLAN. */
static void vxlan_build(struct frame *outer, const struct frame *inner)
{
	frame_build(outer,
		    (struct frame_spec){.dport = 4789, .payload = (uint16_t)(8 + inner->len)});
	memset(outer->bytes + 42, 0, 8);
	outer->bytes[42] = 8; /* the VNI is valid */
	memcpy(outer->bytes + 50, inner->bytes, inner->len);
}

/* One entry ends a tunnel, which comes first, and sets a tag, which an image may have changed. */
TEST(below, decap_beside_a_tag)
{
	struct dvx_flow_match m = udp(4, 4789);
	struct dvx_flow_action *decap, *tag, *three[3];
	struct frame inner, outer;
	struct dvx_flow_rule_attr attr;
	struct dvx_hws_image image;
	uint8_t key[DVX_TAG_BYTES];
	struct ring_of_rules r;

	rules_open(&r, s, &m, 8);
	OK(dvx_flow_action_create_decap_l2(s->domain, &decap));
	OK(dvx_flow_action_create_tag(s->domain, 77, &tag));
	memcpy(three, (struct dvx_flow_action *[]){tag, s->to_b, decap}, sizeof(three));
	attr = rule_attr(r.m, &m, three, 3);
	OK(dvx_hws_image_make(&attr, 0, &image));
	dvx_hws_image_flow_tag(&image, 78);
	port_tag(&r, 4789, key);
	OK(dvx_post_rule(r.sq, &image, key, 1, DVX_SIGNALED));
	assert_false(answer(&r, 1));
	frame_build(&inner, (struct frame_spec){.dport = 5});
	vxlan_build(&outer, &inner);
	frame_send(s->f, &outer);
	inbox_gets_frame(&s->b, &inner, 78);
	attr.action_count = 2;
	OK(dvx_hws_image_make(&attr, 0, &image));
	dvx_hws_image_flow_tag(&image, 79);
	OK(dvx_post_rule(r.sq, &image, key, 2, DVX_SIGNALED));
	assert_false(answer(&r, 2));
	frame_send(s->f, &outer);
	inbox_gets_frame(&s->b, &outer, 79);
	rules_close(&r);
	OK(dvx_flow_action_destroy(tag));
	OK(dvx_flow_action_destroy(decap));
}

/* A second removal needs a second entry, where it finds the headers that the first one left. */
TEST(below, decap_and_pop)
{
	struct dvx_flow_match m = udp(4, 4789);
	struct dvx_flow_action *decap, *pop, *three[3];
	struct frame inner, outer, want;
	struct dvx_flow_rule_attr attr;
	struct dvx_hws_image image;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;

	OK(dvx_flow_match_set(&m, "inner_headers.cvlan_tag", 1, 1));
	mt = matcher(s->table, &m, 0);
	OK(dvx_flow_action_create_decap_l2(s->domain, &decap));
	OK(dvx_flow_action_create_pop_vlan(s->domain, &pop));
	memcpy(three, (struct dvx_flow_action *[]){pop, s->to_b, decap}, sizeof(three));
	attr = rule_attr(mt, &m, three, 3);
	refused(dvx_hws_image_make(&attr, 0, &image), -E2BIG, "attr.actions",
		"into the entry of 1");
	r = rule(mt, &m, three, 3);
	frame_build(&inner, (struct frame_spec){.vlan = 7});
	vxlan_build(&outer, &inner);
	frame_send(s->f, &outer);
	frame_build(&want, (struct frame_spec){0});
	inbox_gets_frame(&s->b, &want, 0);
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(pop));
	OK(dvx_flow_action_destroy(decap));
}

/* Fills a UDP packet with these bytes, which the packet's payload begins with. */
static void tunnel_frame(struct frame *f, uint16_t port, const uint8_t *header, uint16_t bytes)
{
	frame_build(f, (struct frame_spec){.dport = port, .payload = 20});
	memcpy(f->bytes + 42, header, bytes);
}

/* A tunnel's end of GTP-U is in the dword that the device's capability names. */
TEST(below, gtpu)
{
	static const uint8_t other[] = {0x30, 255, 0, 0, 0, 0, 1, 0},
			     mine[] = {0x30, 255, 0, 0, 0, 0, 0, 77};
	static const struct dvx_flow_match all;
	struct dvx_flow_match m = udp(4, 2152);
	struct dvx_flow_matcher *mt, *rest = matcher(s->table, &all, 9);
	struct dvx_flow_rule *to_a = rule(rest, &all, &s->to_a, 1), *to_b;
	struct frame f;

	OK(dvx_flow_match_set(&m, "misc_parameters_3.gtpu_teid", 77, 0xffffffff));
	OK(dvx_flow_match_set(&m, "misc_parameters_3.gtpu_msg_type", 255, 0xff));
	mt = matcher(s->table, &m, 0);
	to_b = rule(mt, &m, &s->to_b, 1);
	tunnel_frame(&f, 2152, mine, sizeof(mine));
	frame_send(s->f, &f);
	inbox_gets_frame(&s->b, &f, 0);
	tunnel_frame(&f, 2152, other, sizeof(other));
	frame_send(s->f, &f);
	inbox_gets_frame(&s->a, &f, 0);
	OK(dvx_flow_rule_destroy(to_b));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_rule_destroy(to_a));
	OK(dvx_flow_matcher_destroy(rest));
}

/* --- mistakes ----------------------------------------------------------------------------------- */

#define TOO_MANY 9000u /* rules, for a matcher of one */

static struct dvx_flow_matcher *small_matcher(struct stage *s)
{
	struct dvx_flow_match m = udp(4, 0);
	struct dvx_flow_matcher_attr attr = {
		.size = sizeof(attr), .match = &m, .expected_rules = 1};
	struct dvx_flow_matcher *mt;

	OK(dvx_flow_matcher_create(s->table, &attr, &mt));
	return mt;
}

static struct dvx_flow_rule *port_rule(struct dvx_flow_matcher *mt, struct stage *s, uint16_t port)
{
	struct dvx_flow_match m = udp(4, port);

	return rule(mt, &m, &s->to_b, 1);
}

/*
 * A matcher for one rule takes thousands. Rules that find no room fail no call of another one, but one
 * sync, which says what to do; not if they were deleted.
 */
TEST(below, matcher_is_full)
{
	static struct dvx_flow_rule *rules[TOO_MANY + 100];
	struct dvx_flow_matcher *mt = small_matcher(s);
	uint16_t n = 0, found = 0, lost[2];

	for (; n < TOO_MANY; n++) {
		if (n == 4096)
			OK(dvx_flow_domain_sync(s->domain));
		rules[n] = port_rule(mt, s, n);
	}
	refused(dvx_flow_domain_sync(s->domain), -ENOMEM, "has grown 12 times",
		"more expected_rules");
	for (; found < 2; n++) {
		assert_true(n < TOO_MANY + 100);
		rules[n] = port_rule(mt, s, n);
		if (dvx_flow_domain_sync(s->domain))
			lost[found++] = n;
	}
	for (int with = 0; with < 2; with++) {
		for (int i = 0; i < 2; i++)
			OK(dvx_flow_rule_destroy(rules[lost[i]]));
		for (int i = 0; i < 2; i++)
			rules[lost[i]] = port_rule(mt, s, lost[i]);
		OK(dvx_flow_rule_destroy(rules[lost[1]]));
		if (with)
			refused(dvx_flow_domain_sync(s->domain), -ENOMEM, "has grown 12 times", "");
		OK(dvx_flow_rule_destroy(rules[lost[0]]));
		OK(dvx_flow_domain_sync(s->domain));
		rules[lost[0]] = rules[lost[1]] = NULL;
	}
	while (n)
		OK(dvx_flow_rule_destroy(rules[--n]));
	OK(dvx_flow_matcher_destroy(mt));
}

/* Rules of UDP ports, from 0 on; the one before `end` is the last. */
struct ports {
	size_t end;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_action *const *to;
	struct dvx_flow_match m;
};

static int ports_next(void *arg, size_t i, struct dvx_flow_rule_attr *attr)
{
	struct ports *p = arg;

	if (i == p->end)
		return 1;
	p->m = udp(4, (uint16_t)i);
	*attr = rule_attr(p->mt, &p->m, p->to, 1);
	return 0;
}

/* Rules of a bulk that a matcher has no room for leave none behind, also those on their way. */
TEST(below, full_matcher_takes_none)
{
	static struct dvx_flow_rule *rules[TOO_MANY];
	struct ports p = {.mt = small_matcher(s), .to = &s->to_b, .end = TOO_MANY};
	struct dvx_flow_bulk bulk = {.size = sizeof(bulk), .next = ports_next, .arg = &p};

	refused(dvx_flow_rules_insert(&bulk, TOO_MANY, rules), -ENOMEM, "has grown 12 times",
		"more expected_rules");
	OK(dvx_flow_domain_sync(s->domain));
	OK(dvx_flow_matcher_destroy(p.mt));
}

/* A bulk may end at any rule: those that no doorbell has announced go, too. */
TEST(below, bulk_gives_up)
{
	static struct dvx_flow_rule *rules[TOO_MANY];
	struct ports p = {.mt = small_matcher(s), .to = &s->to_b};
	struct dvx_flow_bulk bulk = {.size = sizeof(bulk), .next = ports_next, .arg = &p};

	for (; p.end < 40; p.end++)
		refused(dvx_flow_rules_insert(&bulk, 50, rules), -ECANCELED, "gave up", "");
	OK(dvx_flow_domain_sync(s->domain));
	OK(dvx_flow_matcher_destroy(p.mt));
}

TEST(below, refusals)
{
	struct dvx_flow_match m = udp(4, 0), big = five_tuple_v6((const uint8_t[16]){0x20}, 1);
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr), .match = &big};
	struct dvx_flow_rule_attr to_b;
	struct dvx_flow_matcher *no_matcher = NULL, *four;
	struct dvx_flow_match six = {0};
	struct ring_of_rules r;
	struct dvx_hws_image image;
	uint8_t tag[DVX_LONG_TAG_BYTES] = {0};
	uint32_t bit;

	OK(dvx_flow_match_ipv4(&six, DVX_FLOW_OUTER, DVX_FLOW_DST, 0x0a000001, 32));
	four = matcher(s->table, &six, 0);
	OK(dvx_flow_match_set(&six, "outer_headers.ip_version", 6, 0xf));
	for (int end = DVX_FLOW_SRC; end <= DVX_FLOW_DST; end++)
		OK(dvx_flow_match_mac(&big, DVX_FLOW_OUTER, end, (const uint8_t *)"\2\0\0\0\0\1",
				      NULL));
	refused(dvx_flow_matcher_create(s->table, &attr, &no_matcher), -E2BIG, "attr.match has",
		"9 dwords");
	big = (struct dvx_flow_match){0};
	OK(dvx_flow_match_set(&big, "misc_parameters.source_port", 1, 0xffff));
	refused(dvx_flow_matcher_create(s->table, &attr, &no_matcher), -EOPNOTSUPP, "source_port",
		"does not match it");
	attr.match = &m;
	attr.expected_rules = 1u << 31;
	refused(dvx_flow_matcher_create(s->table, &attr, &no_matcher), -ERANGE, "entries",
		"ste_alloc_log_max");
	rules_open(&r, s, &m, 1);
	to_b = rule_attr(r.m, &m, &s->to_b, 1);
	refused(dvx_hws_image_make(&to_b, 4, &image), -EINVAL, "flags 0x4", "unknown bits");
	refused(dvx_hws_image_make(&to_b, DVX_HWS_TX, &image), -EINVAL, "DVX_HWS_TX", "of the FDB");
	to_b.action_count = 0;
	refused(dvx_hws_image_make(&to_b, 0, &image), -EINVAL, "dvx_hws_image_make: attr",
		"action_count is 0");
	refused(dvx_hws_tag_field(r.m, "outer_headers.tcp_sport", &bit), -ENOENT, "tcp_sport",
		"in one piece");
	refused(dvx_hws_tag_field(r.m, "outer_headers.nothing", &bit), -ENOENT, "nothing",
		"no such field");
	refused(dvx_hws_tag_make(s->link_matcher, &m, tag), -EINVAL, "matcher is not of a table",
		"level 1");
	refused(dvx_hws_tag_make(four, &six, tag), -EINVAL, "another IP version", "");
	assert_null(((const struct hws_matcher *)four->impl)->part[1]);
	OK(dvx_flow_matcher_destroy(four));
	assert_int_equal(dvx_hws_tag_bytes(s->link_matcher), 0);
	assert_int_equal(dvx_post_rule_arg(r.sq, 1, tag, DVX_ARG_BYTES + 1, 1, 0), -EMSGSIZE);
	rules_close(&r);
}
