/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of libdvx that push and pop VLAN tags, and begin and end tunnels: the frame that arrives,
 * byte by byte. The root refuses tags; libmlx5's dump shows the order of a rule's actions.
 */
#include "tests/test.h"
#include "lib_flow_change.h"

/* --- VLAN tags and tunnels ----------------------------------------------------------------------- */

#define CUSTOMER 0x8100
#define PROVIDER 0x88a8

/* Returns the frame with one more tag behind its MAC addresses. */
static struct frame tagged(const struct frame *f, uint16_t ethertype, uint16_t tci)
{
	struct frame t = {.len = f->len + 4};

	memcpy(t.bytes, f->bytes, 12);
	prm_store16(t.bytes, 12, ethertype);
	prm_store16(t.bytes, 14, tci);
	memcpy(t.bytes + 16, f->bytes + 12, f->len - 12);
	return t;
}

/* Checks that the frame arrives so below the root; the root refuses the action in these words. */
static void stage_passes_below(struct stage *s, const struct dvx_flow_match *m,
			       struct dvx_flow_action *const *actions, uint32_t n,
			       const struct frame *sent, const struct frame *want, const char *why)
{
	if (level)
		stage_passes(s, m, actions, n, sent, want);
	else
		stage_refuses(s, m, actions, n, -EOPNOTSUPP, why, "of another level");
}

/* Tags are pushed and popped, a second one too, and a rewrite reaches the then first field. */
TEST(levels, tags)
{
	struct dvx_flow_match m = udp(4, 2000), one = m, two;
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_action *push, *outer, *pop, *rename;
	struct frame bare, single, both, third;

	OK(dvx_flow_match_set(&one, "outer_headers.cvlan_tag", 1, 1));
	two = udp(4, 2000);
	OK(dvx_flow_match_set(&two, "outer_headers.svlan_tag", 1, 1));
	OK(dvx_flow_match_set(&two, "misc_parameters.outer_second_cvlan_tag", 1, 1));
	OK(dvx_flow_action_create_push_vlan(s->domain, CUSTOMER, PCP_TAG, &push));
	OK(dvx_flow_action_create_push_vlan(s->domain, PROVIDER, 0x9, &outer));
	OK(dvx_flow_action_create_pop_vlan(s->domain, &pop));
	OK(dvx_flow_rewrite_set(&list, "first_vid", 0x77));
	OK(dvx_flow_action_create_modify(s->domain, &list, &rename));
	frame_build(&bare, (struct frame_spec){0});
	single = tagged(&bare, CUSTOMER, PCP_TAG);
	both = tagged(&single, PROVIDER, 0x9);
	stage_passes_below(s, &m, (struct dvx_flow_action *[]){s->to_a, push}, 2, &bare, &single,
			   "attr.actions[1] is a VLAN push");
	stage_passes_below(s, &m, (struct dvx_flow_action *[]){push, outer, s->to_a}, 3, &bare,
			   &both, "attr.actions[0] is a VLAN push");
	stage_passes_below(s, &one, (struct dvx_flow_action *[]){pop, s->to_a}, 2, &single, &bare,
			   "attr.actions[0] is a VLAN pop");
	stage_passes_below(s, &two, (struct dvx_flow_action *[]){pop, s->to_a}, 2, &both, &single,
			   "attr.actions[0] is a VLAN pop");
	stage_passes_below(s, &two, (struct dvx_flow_action *[]){pop, pop, s->to_a}, 3, &both,
			   &bare, "attr.actions[0] is a VLAN pop");
	third = tagged(&bare, CUSTOMER, (PCP_TAG & 0xf000) | 0x77);
	stage_passes_below(s, &two, (struct dvx_flow_action *[]){rename, pop, s->to_a}, 3, &both,
			   &third, "attr.actions[1] is a VLAN pop");
	OK(dvx_flow_action_destroy(rename));
	OK(dvx_flow_action_destroy(pop));
	OK(dvx_flow_action_destroy(outer));
	OK(dvx_flow_action_destroy(push));
}

/* Rules that would lose packets, or that libmlx5 has no entry for, are refused. */
TEST(below, bad_tags)
{
	struct dvx_flow_match m = udp(4, 1), one = m;
	struct dvx_flow_action *push, *pop, *none = NULL;

	OK(dvx_flow_match_set(&one, "outer_headers.cvlan_tag", 1, 1));
	OK(dvx_flow_action_create_push_vlan(s->domain, CUSTOMER, 1, &push));
	OK(dvx_flow_action_create_pop_vlan(s->domain, &pop));
	stage_refuses(s, &m, (struct dvx_flow_action *[]){pop, s->to_a}, 2, -EINVAL,
		      "attr.actions[0] needs a VLAN tag", "outer_headers.cvlan_tag");
	stage_refuses(s, &one, (struct dvx_flow_action *[]){pop, pop, s->to_a}, 3, -EINVAL,
		      "pops two VLAN tags", "misc_parameters.outer_second_cvlan_tag");
	if (!STAGE_FLAGS)
		stage_refuses(s, &one, (struct dvx_flow_action *[]){pop, push, s->to_a}, 3,
			      -EOPNOTSUPP, "pops and pushes", "RX domains");
	stage_refuses(s, &m, (struct dvx_flow_action *[]){push, push, push, s->to_a}, 4, -EINVAL,
		      "attr.actions[2]: three VLAN pushes", "");
	refused(dvx_flow_action_create_push_vlan(s->domain, 0x0800, 1, &none), -EINVAL,
		"ethertype 0x0800", "0x8100");
	OK(dvx_flow_action_destroy(pop));
	OK(dvx_flow_action_destroy(push));
}

/* Outgoing packets get one tag for another, in one rule. */
TEST(below, tags_sent)
{
	struct dvx_flow_match m = {0};
	struct dvx_flow_action *push, *pop;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;
	struct frame bare, want;
	struct stage_tx tx;

	stage_tx_open(&tx, s);
	OK(dvx_flow_match_vlan(&m, DVX_FLOW_OUTER, 5, 0xfff));
	OK(dvx_flow_action_create_push_vlan(tx.s.domain, PROVIDER, 0x123, &push));
	OK(dvx_flow_action_create_pop_vlan(tx.s.domain, &pop));
	mt = matcher(tx.s.table, &m, 0);
	r = rule(mt, &m, (struct dvx_flow_action *[]){push, tx.pass, pop}, 3);
	spec_send(s->f, (struct frame_spec){.vlan = 5});
	frame_build(&bare, (struct frame_spec){0});
	want = tagged(&bare, PROVIDER, 0x123);
	inbox_gets_frame(&s->a, &want, 0);
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(pop));
	OK(dvx_flow_action_destroy(push));
	stage_tx_close(&tx);
}

/* Returns the frame in a tunnel over IPv4: its protocol, and these bytes of headers. */
static struct frame tunnelled(const uint8_t *inside, uint32_t len, uint8_t proto,
			      const char *headers, uint32_t bytes)
{
	struct frame f = {.len = 34 + bytes + len};
	struct frame_spec ip = {.src = 0x0a0000fe, .dst = 0x0a0000ff, .proto = proto, .version = 4};

	memcpy(f.bytes, "\x02\0\0\0\0\x22\x02\0\0\0\0\x11\x08\0", 14);
	put_ip(f.bytes + 14, &ip, bytes + len);
	memcpy(f.bytes + 34, headers, bytes);
	memcpy(f.bytes + 34 + bytes, inside, len);
	return f;
}

/* The inner frame arrives alone, rewritten by the same rule. */
TEST(levels, decap_l2)
{
	struct dvx_flow_match m = udp(4, 4789);
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_action *decap, *nat;
	struct frame in, out, want;
	char headers[16] = "\x10\0\x12\xb5\0\0\0\0\x08\0\0\0\0\0\x2a";

	OK(dvx_flow_match_set(&m, "misc_parameters.vxlan_vni", 42, 0xffffff));
	OK(dvx_flow_match_ip_version(&m, DVX_FLOW_INNER, 4));
	OK(dvx_flow_match_proto(&m, DVX_FLOW_INNER, 6));
	OK(dvx_flow_rewrite_port(&list, DVX_FLOW_DST, DVX_FLOW_TCP, 80));
	OK(dvx_flow_action_create_modify(s->domain, &list, &nat));
	OK(dvx_flow_action_create_decap_l2(s->domain, &decap));
	frame_build(&in, (struct frame_spec){.proto = 6});
	frame_sums(&in, true);
	headers[5] = (char)(16 + in.len);
	out = tunnelled(in.bytes, in.len, 17, headers, 16);
	stage_passes(s, &m, (struct dvx_flow_action *[]){s->to_a, decap}, 2, &out, &in);
	want = in;
	prm_store16(want.bytes, 36, 80);
	frame_sums(&want, true);
	stage_passes(s, &m, (struct dvx_flow_action *[]){s->to_a, nat, decap}, 3, &out, &want);
	OK(dvx_flow_action_destroy(decap));
	OK(dvx_flow_action_destroy(nat));
}

/* A packet without an Ethernet header gets the action's, with or without a tag. */
TEST(levels, decap_l3)
{
	static const char gre[4] = {0, 0, 0x08, 0};
	static const char ether[] = "\x02\xaa\0\0\0\x01\x02\xbb\0\0\0\x02\x81\0\0\x07\x08\0";
	struct dvx_flow_match m = {0};
	struct dvx_flow_action *plain, *tag, *none = NULL;
	struct frame in, out, want;
	char header[14];

	OK(dvx_flow_match_ip_version(&m, DVX_FLOW_OUTER, 4));
	OK(dvx_flow_match_proto(&m, DVX_FLOW_OUTER, 47));
	memcpy(header, ether, 12);
	memcpy(header + 12, "\x08\0", 2);
	OK(dvx_flow_action_create_decap_l3(s->domain, header, 14, &plain));
	OK(dvx_flow_action_create_decap_l3(s->domain, ether, 18, &tag));
	frame_build(&in, (struct frame_spec){0});
	out = tunnelled(in.bytes + 14, in.len - 14, 47, gre, 4);
	want = in;
	memcpy(want.bytes, header, 14);
	stage_passes(s, &m, (struct dvx_flow_action *[]){plain, s->to_a}, 2, &out, &want);
	want = tagged(&want, CUSTOMER, 7);
	stage_passes(s, &m, (struct dvx_flow_action *[]){tag, s->to_a}, 2, &out, &want);
	refused(dvx_flow_action_create_decap_l3(s->domain, header, 12, &none), -EINVAL,
		"bytes is 12", "14");
	OK(dvx_flow_action_destroy(tag));
	OK(dvx_flow_action_destroy(plain));
}

/* Sent frames that a rule tunnels arrive as they were where another rule ends the tunnel. */
static void tunnel_passes(struct stage *s, struct dvx_flow_action *end, const void *header,
			  uint32_t bytes, bool l3, const struct frame *want)
{
	struct dvx_flow_match none = {0}, m = udp(4, 2000);
	struct dvx_flow_matcher *all = matcher(s->table, &none, 0), *mt;
	struct dvx_flow_rule *ends =
		rule(all, &none, (struct dvx_flow_action *[]){s->to_a, end}, 2);
	struct dvx_flow_rule *begins;
	struct dvx_flow_action *begin, *pass;
	struct stage tx;

	stage_tables_open(&tx, s->f, DVX_FLOW_TX);
	OK(dvx_flow_action_create_default(tx.domain, &pass));
	OK((l3 ? dvx_flow_action_create_encap_l3
	       : dvx_flow_action_create_encap_l2)(tx.domain, header, bytes, &begin));
	mt = matcher(tx.table, &m, 0);
	begins = rule(mt, &m, (struct dvx_flow_action *[]){pass, begin}, 2);
	spec_send(s->f, (struct frame_spec){0});
	inbox_gets_frame(&s->a, want, 0);
	OK(dvx_flow_rule_destroy(begins));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(begin));
	OK(dvx_flow_action_destroy(pass));
	stage_tables_close(&tx, DVX_FLOW_TX);
	OK(dvx_flow_rule_destroy(ends));
	OK(dvx_flow_matcher_destroy(all));
}

TEST(levels, encap)
{
	static const char vxlan[] = "\x02\0\0\0\0\x22\x02\0\0\0\0\x11\x08\0"
				    "\x45\0\0\0\0\0\0\0\x40\x11\0\0\x0a\0\0\xfe\x0a\0\0\xff"
				    "\0\0\x12\xb5\0\0\0\0\x08\0\0\0\0\0\x2a";
	static const char gre[] = "\x02\0\0\0\0\x22\x02\0\0\0\0\x11\x08\0"
				  "\x45\0\0\0\0\0\0\0\x40\x2f\0\0\x0a\0\0\xfe\x0a\0\0\xff"
				  "\0\0\x08";
	struct dvx_flow_action *end_l2, *end_l3;
	struct frame want;

	frame_build(&want, (struct frame_spec){0});
	OK(dvx_flow_action_create_decap_l2(s->domain, &end_l2));
	OK(dvx_flow_action_create_decap_l3(s->domain, gre, 14, &end_l3));
	tunnel_passes(s, end_l2, vxlan, sizeof(vxlan), false, &want);
	memcpy(want.bytes, gre, 14);
	tunnel_passes(s, end_l3, gre, sizeof(gre), true, &want);
	OK(dvx_flow_action_destroy(end_l3));
	OK(dvx_flow_action_destroy(end_l2));
}

/* --- libmlx5 as the witness --------------------------------------------------------------------- */

/* Checks the types of records of rules' actions in libmlx5's dump, in order. */
static void dumped(struct dvx_flow_domain *domain, const char *want)
{
	char *text = NULL, got[200] = "";
	size_t size;
	FILE *to = open_memstream(&text, &size), *full;

	OK(dvx_flow_domain_dump(domain, to));
	assert_int_equal(fclose(to), 0);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, "34", 2))
			sprintf(got + strlen(got), "%.4s ", line);
	}
	free(text);
	assert_string_equal(got, want);
	full = fopen("/dev/full", "we");
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	assert_true(dvx_flow_domain_dump(domain, full) < 0);
	assert_non_null(strstr(dvx_strerror(dvx_last_error()->err), "can't be written"));
	fclose(full);
}

/* A queue is a TIR, by its address in the device's memory or its number. */
#ifdef STAGE_HARDWARE
#define TO_QUEUE "3499"
#else
#define TO_QUEUE "3411"
#endif

/* The dump has the rule's actions, in the order that libmlx5 needs. */
TEST(below, witness)
{
	struct dvx_flow_match m = udp(4, 4789);
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_action *a[6] = {s->to_a};
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;

	OK(dvx_flow_match_vlan(&m, DVX_FLOW_INNER, 1, 0xfff));
	OK(dvx_flow_rewrite_set(&list, "first_vid", 1));
	OK(dvx_flow_action_create_modify(s->domain, &list, &a[1]));
	OK(dvx_flow_action_create_decap_l2(s->domain, &a[2]));
	OK(dvx_flow_action_create_tag(s->domain, 1, &a[3]));
	OK(dvx_flow_action_create_push_vlan(s->domain, PROVIDER, 1, &a[4]));
	mt = matcher(s->table, &m, 0);
	r = rule(mt, &m, a, 5);
	/* decap L2, rewrite, push, tag, TIR */
	dumped(s->domain, "3409 3402 3412 3407 " TO_QUEUE " ");
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
	for (unsigned int i = 1; i < 5; i++)
		OK(dvx_flow_action_destroy(a[i]));
}
