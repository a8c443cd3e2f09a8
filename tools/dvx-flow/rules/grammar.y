/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule language: dvx-flow(1) describes it in words. */
%define api.pure full
%define api.prefix {flow_}
%define api.location.type {struct source_range}
%define parse.error custom
%define lr.type canonical-lr
%define lr.default-reduction consistent
%locations
%param {struct rule_parser *ps}
%expect 0

%code top {
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
}

%code requires {
#include "parse.h"
#include "words.h"
}

%union {
	uint64_t number;
	const char *name;
	const struct rule_word *word;
	const struct rule_net *net;
}

%code provides {
/* Reads a token of the text: scan.c. */
int flow_scan(FLOW_STYPE *value, struct source_range *at, struct rule_parser *ps);
/* Reads a token; a variable is replaced by its tokens: parse_variable.c. */
int flow_lex(FLOW_STYPE *value, struct source_range *at, struct rule_parser *ps);
}

%code {
#include "build.h"

/* A range as one value. Written in parts, it could not be read as a whole until these are in the cache. */
typedef uint32_t range_words __attribute__((vector_size(sizeof(struct source_range))));
_Static_assert(offsetof(struct source_range, end_byte) == sizeof(uint32_t), "the second word");

static struct source_range range_make(range_words w)
{
	struct source_range at;

	memcpy(&at, &w, sizeof(at));
	return at;
}

static range_words range_load(const struct source_range *at)
{
	range_words w;

	memcpy(&w, at, sizeof(w));
	return w;
}

/* Returns the range from one word to another. */
static struct source_range range_of(const struct source_range *first, const struct source_range *last)
{
	const range_words end = {0, UINT32_MAX, 0, 0};

	return range_make((range_load(first) & ~end) | (range_load(last) & end));
}

/* Returns the empty range behind a word. */
static struct source_range range_behind(const struct source_range *at)
{
	range_words w = range_load(at);

	w[0] = w[1];
	return range_make(w);
}

#define YYLLOC_DEFAULT(Current, Rhs, N)                                             \
	do {                                                                        \
		if (N)                                                              \
			(Current) = range_of(&YYRHSLOC(Rhs, 1), &YYRHSLOC(Rhs, N)); \
		else                                                                \
			(Current) = range_behind(&YYRHSLOC(Rhs, 0));                \
	} while (0)

static void flow_error(const struct source_range *at, struct rule_parser *ps, const char *what)
{
	parse_mistake(ps, at, "%s", what);
}

static uint64_t named(struct rule_parser *ps, const struct source_range *at, const char *name, const char *what,
		      bool (*find)(const char *, uint64_t *))
{
	bool service = find == service_number;
	uint64_t v = 0;

	if (!find(name, &v))
		parse_mistake(ps, at, "no %s is called \"%s\"; give its %snumber", what, name, service ? "port's " : "");
	return v;
}
}

%code {
/* Checks the word behind the `/' of a rate. */
static void per_second(struct rule_parser *ps, const struct source_range *at, const char *name)
{
	if (strcasecmp(name, "s") && strcasecmp(name, "sec") && strcasecmp(name, "second"))
		parse_mistake(ps, at, "a rate is in a second: 1000/s, 100 Mbit/s");
}

}

%code {
static uint64_t vport_of(struct rule_parser *ps, const struct source_range *at, const char *name)
{
	uint32_t v = 0;

	if (dvx_flow_vport_number(name, &v))
		parse_mistake(ps, at, "no vport is called \"%s\": write pf, vf0, vf1, ..., ecpf, uplink, or vport and its number", name);
	return v;
}

static uint64_t vport_fits(struct rule_parser *ps, const struct source_range *at, uint64_t number)
{
	if (number > UINT16_MAX)
		parse_mistake(ps, at, "a vport is 0 to 65535, not %llu", (unsigned long long)number);
	return number & UINT16_MAX;
}

static uint64_t ct_state(struct rule_parser *ps, const struct source_range *at, const char *name)
{
	uint64_t v = CT_NEW;
	const char *why = ct_state_find(name, &v);

	if (why)
		parse_mistake(ps, at, "%s", why);
	return v;
}

/* Checks nft's word between ct and the states. */
static void ct_word(struct rule_parser *ps, const struct source_range *at, const char *name)
{
	if (strcasecmp(name, "state"))
		parse_mistake(ps, at, "ct compares the state of connections only: ct established, ct new or ct invalid");
}

/* Adds a node to the rule: its kind, its place, and what else it has. */
#define ADD(what, place, ...) build_add(ps->build, &(struct rule_node){.kind = NODE_##what, .at = (place), __VA_ARGS__})
#define ALL	UINT64_MAX

/*
 * Lists and masked values, which are twice as large as what the stack has, are in the parser: it reads
 * one of them at a time.
 */
#define NEXT_VALUE(v, m) (ps->list = list_value(ps, ps->list, v, m))
#define NEXT_RANGE(r)	 (ps->list = list_range(ps, ps->list, r))
#define MASKED(v, m)	 (ps->masked = (struct rule_value){v, m})

/* Returns the list that was read. */
static struct node_list list_end(struct rule_parser *ps)
{
	struct node_list l = ps->list;

	ps->list = (struct node_list){0};
	return l;
}

static struct node_list list_of_one(struct rule_parser *ps, uint64_t value, uint64_t mask)
{
	return list_value(ps, (struct node_list){0}, value, mask);
}

/* Returns the TCP flags that were read, as a list; none if no flag is compared. */
static struct node_list flags_end(struct rule_parser *ps)
{
	struct rule_value v = ps->flags;

	ps->flags = (struct rule_value){0};
	return v.mask ? list_of_one(ps, v.value, v.mask) : (struct node_list){0};
}
}

%initial-action {
	@$ = (struct source_range){0, 0, 1, 1};
}

%token T_EOL "the end of the line"
%token <number> T_NUMBER "a number"
%token <name> T_NAME "a name" T_STRING "a name in quotes"
%token <net> T_IPV4_ADDRESS "an IPv4 address" T_IPV6_ADDRESS "an IPv6 address"
%token <number> T_MAC "a MAC address"
%token <word> T_DROP "drop" T_PASS "pass" T_SEND "send" T_COUNT "count" T_IN "in" T_OUT "out" T_SWITCH "switch" T_FROM "from"
%token <word> T_ANY "any" T_AND "and" T_OR "or" T_NOT "not" T_NE "!=" T_ETH "eth" T_TYPE "type" T_ETHERTYPE "ethertype"
%token <word> T_VLAN "vlan" T_SVLAN "svlan" T_UNTAGGED "untagged" T_NATIVE "native" T_VLANS "num_of_vlans" T_ID "id" T_PCP "pcp" T_DEI "dei"
%token <word> T_IPV4 "ipv4" T_IPV6 "ipv6" T_ARP "arp" T_SRC "src" T_DST "dst" T_HOST "host"
%token <word> T_PROTO "proto" T_PROTOCOL "protocol" T_TOS "tos" T_DSCP "dscp" T_ECN "ecn" T_TTL "ttl" T_FRAG "fragment"
%token <word> T_NOFRAG "nofrag" T_FLOWLABEL "flowlabel" T_TCP "tcp" T_UDP "udp" T_ICMP "icmp"
%token <word> T_ICMP6 "icmp6" T_PORT "port" T_SPORT "sport" T_DPORT "dport" T_FLAGS "flags"
%token <word> T_CODE "code" T_FIELD "reg_c0" T_VPORT "vport" T_SQN "sqn" T_TO "to" T_QUEUE "queue"
%token <word> T_TAG "tag" T_VXLAN "vxlan" T_GPE "vxlan-gpe" T_GENEVE "geneve" T_NVGRE "nvgre" T_GRETAP "gretap" T_GTPU "gtpu" T_MPLSOUDP "mplsoudp" T_VNI "vni" T_TEID "teid"
%token <word> T_GRE "gre" T_KEY "key" T_MPLS "mpls" T_LABEL "label" T_TC "tc"
%token <word> T_MPLS_BOS "mpls_bos" T_MPLS_TTL "mpls_ttl" T_OAM "oam" T_GBP "gbp" T_OPTION "option"
%token <word> T_INNER "inner" T_OUTER "outer"
%token <word> T_NAMED "name" T_SET "set" T_DEC "dec" T_PUSH "push" T_POP "pop" T_DECAP "decap" T_ENCAP "encap"
%token <word> T_OVER "over" T_BURST "burst" T_EXPIRE "expire" T_TRACK "track" T_MAX "max" T_SAMPLE "sample" T_CT "ct"
%token <word> T_MIRROR "mirror" T_TABLE "table" T_GOTO "goto" T_RSS "rss" T_ON "on"
%token <name> T_DIGITS "a key of 40 bytes" T_VARIABLE "a variable"
%token <word> T_DEFINE "define" T_INCLUDE "include"

%type <name> name
%type <word> keyword verdict direction tag value_word number_word mpls_word l4 side port_side tunnel
%type <number> proto ethertype port rss_kind vport
%type <net> net

%%

file:
  %empty
| file line
;

line:
  T_EOL
| head matches modifiers T_EOL	{ struct source_range at = range_of(&@1, &@3); build_end(ps->build, &at); }
| T_TABLE name T_EOL	{ build_table(ps->build, &@2, $2); }
| T_DEFINE T_EOL	/* parse_define.c has read it */
| T_INCLUDE T_STRING T_EOL	{ parse_mistake(ps, &@1, "include is possible in files that check, apply, diff and export read"); }
| error T_EOL		{ yyerrok; }
;

head:
  verdict direction	{
				build_begin(ps->build, &@1, (enum rule_verdict)$1->arg, &@2, (enum rule_dir)$2->arg);
				if ($1->token == T_COUNT)
					ADD(COUNT, @1);
			}
;

verdict:
  T_DROP | T_PASS | T_SEND | T_COUNT | T_MIRROR | T_TRACK
;

direction:
  T_IN | T_OUT | T_SWITCH
;

matches:
  %empty
| matches match
| matches T_AND match
| matches not match
| matches T_AND not match
;

not:
  negation		{ ADD(NOT, @1); }
;

/* "!=" or "not" before a value. */
ne:
  %empty
| T_NE
| negation
;

match:
  T_ANY			{ ADD(ANY, @$); }
| T_INNER		{ ADD(LEVEL, @$, .of = true); }
| T_OUTER		{ ADD(LEVEL, @$, .of = false); }
| T_ETH			{ ADD(ETH, @$); }
| T_ETHERTYPE ne ethertype	{ ADD(ETHERTYPE, @$, .ne = @2, .number = $3); }
| T_TYPE ne T_NUMBER	{ ADD(TYPE, @$, .ne = @2, .number = $3); }
| T_TYPE ne name	{ ADD(TYPE, @$, .ne = @2, .name = $3); }
| T_CODE ne T_NUMBER	{ ADD(CODE, @$, .ne = @2, .number = $3); }
| tag			{ ADD(TAG, @$, .of = $1->arg); }
| tag numbers		{ ADD(TAG, @1, .of = $1->arg); ADD(TAG_FIELD, @2, .of = KEY_VLAN_ID, .list = list_end(ps)); }
| tag T_NE numbers	{ ADD(TAG, @1, .of = $1->arg); ADD(TAG_FIELD, @3, .of = KEY_VLAN_ID, .ne = @2, .list = list_end(ps)); }
| T_UNTAGGED		{ ADD(UNTAGGED, @$); }
| T_NATIVE		{ ADD(NATIVE, @$); }
| T_VLANS T_NUMBER	{ ADD(TAGS, @$, .number = $2, .second = ALL); }
| T_VLANS T_NUMBER '-' T_NUMBER	{ ADD(TAGS, @$, .number = $2, .second = $4); }
| T_ID ne numbers	{ ADD(TAG_FIELD, @$, .of = KEY_VLAN_ID, .number = $1->arg, .ne = @2, .list = list_end(ps)); }
| T_PCP ne numbers	{ ADD(TAG_FIELD, @$, .of = KEY_VLAN_PCP, .number = $1->arg, .ne = @2, .list = list_end(ps)); }
| T_DEI numbers		{ ADD(TAG_FIELD, @$, .of = KEY_VLAN_DEI, .list = list_end(ps)); }
| T_ARP			{ ADD(ETHERTYPE, @$, .number = 0x0806); }
| T_IPV4		{ ADD(IP, @$, .of = 4); }
| T_IPV6		{ ADD(IP, @$, .of = 6); }
| side ne macs		{ ADD(FIELD, @$, .of = $1->arg == SIDE_SRC ? KEY_SMAC : KEY_DMAC, .ne = @2, .list = list_end(ps)); }
| side ne nets		{ ADD(NETS, @$, .of = $1->arg, .ne = @2, .list = list_end(ps)); }
| side T_HOST ne nets	{ ADD(NETS, @$, .of = $1->arg, .ne = @3, .list = list_end(ps)); }
| T_HOST ne nets	{ ADD(NETS, @$, .of = SIDE_EITHER, .ne = @2, .list = list_end(ps)); }
| T_PROTO ne proto	{ ADD(PROTO, @$, .ne = @2, .number = $3); }
| T_PROTOCOL ne T_NUMBER	{ ADD(PROTOCOL, @3, .ne = @2, .number = $3); }
| T_PROTOCOL ne name	{ ADD(PROTOCOL, @3, .ne = @2, .name = $3); }
| T_TOS masked		{ ADD(TOS, @$, .number = ps->masked.value, .second = ps->masked.mask); }
| T_DSCP ne dscps	{ ADD(FIELD, @$, .of = KEY_DSCP, .ne = @2, .list = list_end(ps)); }
| T_ECN ne numbers	{ ADD(FIELD, @$, .of = KEY_ECN, .ne = @2, .list = list_end(ps)); }
| value_word ne values	{ ADD(FIELD, @$, .of = $1->arg, .ne = @2, .list = list_end(ps)); }
| T_FLOWLABEL ne values	{ ADD(IP, @1, .of = 6); ADD(FLOWLABEL, @$, .of = KEY_FLOWLABEL, .ne = @2, .list = list_end(ps)); }
| T_FRAG		{ ADD(FIELD, @$, .of = KEY_FRAGMENT, .list = list_of_one(ps, 1, 1)); }
| T_NOFRAG		{ ADD(FIELD, @$, .of = KEY_FRAGMENT, .list = list_of_one(ps, 0, 1)); }
| l4			{ ADD(PROTO, @$, .number = $1->arg); }
| port_side ne ports	{ ADD(PORTS, @$, .of = $1->arg, .ne = @2, .list = list_end(ps)); }
| T_FLAGS flags		{ ADD(FLAGS, @$, .of = KEY_TCP_FLAGS, .list = flags_end(ps)); }
| T_FLAGS masked	{ ADD(FLAGS, @$, .of = KEY_TCP_FLAGS, .list = list_of_one(ps, ps->masked.value, ps->masked.mask)); }
| T_FLAGS T_NE flags	{ ADD(FLAGS, @$, .of = KEY_TCP_FLAGS, .ne = @2, .list = flags_end(ps)); }
| tunnel		{ ADD(TUNNEL, @$, .of = $1->arg); }
| tunnel { ADD(TUNNEL, @1, .of = $1->arg); } values	{ ADD(TUNNEL_ID, @3, .of = TUNNEL_IDS, .list = list_end(ps)); }
| T_OAM			{ ADD(OAM, @$, .number = 1); }
| T_OAM T_NUMBER	{ ADD(OAM, @$, .number = $2); }
| T_GBP ne values	{ ADD(GBP, @$, .ne = @2, .list = list_end(ps)); }
| T_OPTION T_NUMBER T_TYPE T_NUMBER values	{ ADD(OPTION, @$, .number = $2, .second = $4, .list = list_end(ps)); }
| T_VNI ne values	{ ADD(TUNNEL_ID, @$, .of = TUNNEL_VNI, .ne = @2, .list = list_end(ps)); }
| T_TEID ne values	{ ADD(TUNNEL_ID, @$, .of = TUNNEL_TEID, .ne = @2, .list = list_end(ps)); }
| T_KEY ne values	{ ADD(GRE_KEY, @$, .ne = @2, .list = list_end(ps)); }
| T_MPLS		{ ADD(MPLS, @$); }
| T_MPLS numbers	{ ADD(MPLS, @$, .of = KEY_MPLS_LABEL, .list = list_end(ps)); }
| mpls_word ne numbers	{ ADD(MPLS_FIELD, @$, .of = $1->arg, .ne = @2, .list = list_end(ps)); }
| T_MPLS_BOS numbers	{ ADD(MPLS_FIELD, @$, .of = KEY_MPLS_BOTTOM, .list = list_end(ps)); }
| T_FROM vports		{ ADD(FIELD, @$, .of = KEY_VPORT, .list = list_end(ps)); }
| T_CT states		{ ADD(CT, @$, .list = list_end(ps)); }
| T_CT T_NE states	{ ADD(CT, @$, .ne = @2, .list = list_end(ps)); }
| T_CT negation states	{ ADD(CT, @$, .ne = @2, .list = list_end(ps)); }
| T_CT T_NAME states	{ ct_word(ps, &@2, $2); ADD(CT, @$, .list = list_end(ps)); }
| T_CT T_NAME T_NE states	{ ct_word(ps, &@2, $2); ADD(CT, @$, .ne = @3, .list = list_end(ps)); }
| number_word T_NUMBER	{ ADD(FIELD, @$, .of = $1->arg, .list = list_of_one(ps, $2, ALL)); }
;

/* States of connections. */
states:
  T_NAME		{ NEXT_VALUE(ct_state(ps, &@1, $1), CT_MASK); }
| states or T_NAME	{ NEXT_VALUE(ct_state(ps, &@3, $3), CT_MASK); }
;

negation:
  T_NOT
| '!'
;

tag:
  T_VLAN | T_SVLAN
;

value_word:
  T_TTL | T_FIELD
;

number_word:
  T_VPORT | T_SQN
;

mpls_word:
  T_LABEL | T_TC | T_MPLS_TTL
;

l4:
  T_TCP | T_UDP | T_ICMP | T_ICMP6 | T_GRE
;

tunnel:
  T_VXLAN | T_GPE | T_GENEVE | T_NVGRE | T_GRETAP | T_GTPU | T_MPLSOUDP
;

side:
  T_SRC | T_DST
;

port_side:
  T_PORT | T_SPORT | T_DPORT | T_SRC T_PORT | T_DST T_PORT
;

macs:
  mac
| macs or mac
;

mac:
  T_MAC			{ NEXT_VALUE($1, ALL); }
| T_MAC '/' T_MAC	{
				NEXT_VALUE($1, $3);
				if ($1 & ~$3)
					parse_mistake(ps, &@$, "the MAC has bits outside the mask");
			}
;

/* All addresses of a rule have one version. */
nets:
  net			{ ADD(IP, @1, .of = $1->family); ps->list = (struct node_list){(void *)(uintptr_t)$1, 1, 1}; }
| nets or net		{ ADD(IP_ALSO, @3, .of = $3->family); ps->list = list_add(ps, ps->list, $3, sizeof(*$3)); }
;

net:
  T_IPV4_ADDRESS
| T_IPV6_ADDRESS
| T_IPV4_ADDRESS '/' T_NUMBER	{ $$ = parse_prefix(ps, &@$, $1, $3); }
| T_IPV6_ADDRESS '/' T_NUMBER	{ $$ = parse_prefix(ps, &@$, $1, $3); }
| T_IPV4_ADDRESS '/' T_IPV4_ADDRESS	{ $$ = parse_net_mask(ps, &@$, $1, $3); }
| T_IPV6_ADDRESS '/' T_IPV6_ADDRESS	{ $$ = parse_net_mask(ps, &@$, $1, $3); }
| T_IPV4_ADDRESS '-' T_IPV4_ADDRESS	{ $$ = parse_net_range(ps, &@$, $1, $3); }
| T_IPV6_ADDRESS '-' T_IPV6_ADDRESS	{ $$ = parse_net_range(ps, &@$, $1, $3); }
;

/* Separates the elements of a list. */
or:
  ','
| T_OR
;

ports:
  range
| ports or range
;

range:
  port			{ NEXT_RANGE(parse_range(ps, &@$, $1, $1)); }
| port '-' port		{ NEXT_RANGE(parse_range(ps, &@$, $1, $3)); }
| port '/' T_NUMBER	{ NEXT_RANGE(parse_port_mask(ps, &@$, $1, $3)); }
;

port:
  T_NUMBER
| name			{ $$ = named(ps, &@$, $1, "service", service_number); }
;

flags:
  flag
| flags ',' flag
;

flag:
  name			{ parse_flag(ps, &@$, $1, true, &ps->flags); }
| '!' name		{ parse_flag(ps, &@$, $2, false, &ps->flags); }
;

numbers:
  T_NUMBER		{ NEXT_VALUE($1, ALL); }
| numbers or T_NUMBER	{ NEXT_VALUE($3, ALL); }
;

values:
  masked		{ NEXT_VALUE(ps->masked.value, ps->masked.mask); }
| values or masked	{ NEXT_VALUE(ps->masked.value, ps->masked.mask); }
;

dscps:
  dscp
| dscps or dscp
;

masked:
  T_NUMBER		{ MASKED($1, ALL); }
| T_NUMBER '/' T_NUMBER	{
				MASKED($1, $3);
				if ($1 & ~$3)
					parse_mistake(ps, &@$, "the value has bits outside the mask");
			}
;

vports:
  vport			{ NEXT_VALUE($1, ALL); }
| vports or vport	{ NEXT_VALUE($3, ALL); }
;

vport:
  T_VPORT T_NUMBER	{ $$ = vport_fits(ps, &@2, $2); }
| T_NAME		{ $$ = vport_of(ps, &@1, $1); }
;

proto:
  T_NUMBER
| name			{ $$ = named(ps, &@$, $1, "protocol", proto_number); }
;

ethertype:
  T_NUMBER
| name			{ $$ = named(ps, &@$, $1, "EtherType", ethertype_number); }
;

dscp:
  masked		{ NEXT_VALUE(ps->masked.value, ps->masked.mask); }
| name			{ NEXT_VALUE(named(ps, &@$, $1, "DSCP", dscp_number), ALL); }
;

/* A value's name may be a word of the language: proto tcp, type arp. */
name:
  T_NAME
| keyword		{ $$ = $1->name; }
;

keyword:
  T_IPV4 | T_IPV6 | T_ARP | T_TCP | T_UDP | T_ICMP | T_ICMP6 | T_VLAN | T_SVLAN | T_VXLAN | T_GENEVE
| T_GRE | T_MPLS
;

modifiers:
  %empty
| modifiers modifier
;

modifier:
  T_TO T_QUEUE T_NUMBER	{ ADD(QUEUE, @$, .number = $3); }
| T_QUEUE T_NUMBER	{ ADD(QUEUE, @$, .number = $2); }
| T_TO vport		{ ADD(TO_VPORT, @2, .number = $2); }
| T_TO T_RSS rss
| T_GOTO name		{ ADD(GOTO, @2, .name = $2); }
| T_TAG T_NUMBER	{ ADD(MARK, @$, .number = $2); }
| T_COUNT		{ ADD(COUNT, @$); }
| T_NAMED T_STRING	{ ADD(NAME, @2, .name = $2); }
| T_NAMED name		{ ADD(NAME, @2, .name = $2); }
| T_SET settings
| T_DEC T_TTL		{ ADD(CHANGE, @$, .of = CHANGE_DEC_TTL); }
| T_PUSH T_VLAN T_NUMBER	{ ADD(PUSH, @$, .number = $3); }
| T_PUSH T_VLAN T_NUMBER T_PCP T_NUMBER	{ ADD(PUSH, @$, .number = $3, .second = $5); }
| T_POP T_VLAN		{ ADD(CHANGE, @$, .of = CHANGE_POP); }
| T_DECAP { ADD(CHANGE, @1, .of = CHANGE_DECAP); } decap_macs
| encap encap_words
| T_OVER rate
| T_OVER rate T_BURST T_NUMBER	{ ADD(BURST, @4, .number = $4); }
| T_OVER rate T_BURST T_NUMBER T_NAME	{ struct source_range at = range_of(&@4, &@5); ADD(BURST, at, .number = $4, .name = $5); }
| T_EXPIRE T_NUMBER	{ ADD(EXPIRE, @2, .number = $2); }
| T_EXPIRE T_NUMBER T_NAME	{ struct source_range at = range_of(&@2, &@3); ADD(EXPIRE, at, .number = $2, .name = $3); }
| T_MAX T_NUMBER	{ ADD(MAX, @2, .number = $2); }
| T_SAMPLE T_NUMBER	{ ADD(SAMPLE, @2, .number = $2); }
;

rate:
  T_NUMBER '/' T_NAME	{ per_second(ps, &@3, $3); ADD(OVER, @$, .number = $1); }
| T_NUMBER T_NAME '/' T_NAME	{ per_second(ps, &@4, $4); ADD(OVER, @$, .number = $1, .name = $2); }
;

encap:
  T_ENCAP tunnel	{ ADD(ENCAP, @$, .of = $2->arg); }
| T_ENCAP T_GRE		{ ADD(ENCAP, @$, .of = TUNNEL_GRE); }
;

decap_macs:
  %empty
| decap_macs T_ETH side T_MAC	{ struct source_range at = range_of(&@2, &@4); ADD(DECAP_MAC, at, .of = $3->arg, .mac = $4); }
| decap_macs side T_MAC	{ struct source_range at = range_of(&@2, &@3); ADD(DECAP_MAC, at, .of = $2->arg, .mac = $3); }
;

encap_words:
  %empty
| encap_words encap_word
;

encap_word:
  T_VNI T_NUMBER	{ ADD(ENCAP_WORD, @$, .of = ENCAP_ID, .second = TUNNEL_VNI, .number = $2); }
| T_TEID T_NUMBER	{ ADD(ENCAP_WORD, @$, .of = ENCAP_ID, .second = TUNNEL_TEID, .number = $2); }
| T_KEY T_NUMBER	{ ADD(ENCAP_WORD, @$, .of = ENCAP_ID, .second = TUNNEL_KEY, .number = $2); }
| T_LABEL T_NUMBER	{ ADD(ENCAP_WORD, @$, .of = ENCAP_ID, .second = TUNNEL_LABEL, .number = $2); }
| T_ETH side T_MAC	{ ADD(ENCAP_WORD, @$, .of = ENCAP_ETH_SRC + $2->arg, .mac = $3); }
| side T_MAC		{ ADD(ENCAP_WORD, @$, .of = ENCAP_ETH_SRC + $1->arg, .mac = $2); }
| side T_IPV4_ADDRESS	{ ADD(ENCAP_WORD, @$, .of = ENCAP_SRC + $1->arg, .net = $2); }
| side T_IPV6_ADDRESS	{ ADD(ENCAP_WORD, @$, .of = ENCAP_SRC + $1->arg, .net = $2); }
| T_DST T_PORT T_NUMBER	{ ADD(ENCAP_WORD, @$, .of = ENCAP_PORT, .number = $3); }
| T_TTL T_NUMBER	{ ADD(ENCAP_WORD, @$, .of = ENCAP_TTL, .number = $2); }
| T_GBP T_NUMBER	{ ADD(ENCAP_WORD, @$, .of = ENCAP_GBP, .number = $2); }
| T_OPTION option	{ ADD(ENCAP_WORD, @$, .of = ENCAP_OPTION, .list = list_end(ps)); }
;

option:
  T_NUMBER T_TYPE T_NUMBER T_NUMBER {
	NEXT_VALUE($1, 0xffff);
	NEXT_VALUE($3, 0xff);
	NEXT_VALUE($4, 0xffffffff);
  }
;

rss:
  rss_queues
| rss_queues rss_on
| rss_queues rss_key
| rss_queues rss_on rss_key
| rss_queues rss_key rss_on
;

rss_queues:
  T_NUMBER '-' T_NUMBER	{ ADD(RSS, @1, .number = $1, .second = $3, .second_at = @3); }
;

rss_on:
  T_ON rss_kind		{ ADD(RSS_ON, @2, .of = $2); }
| rss_on ',' rss_kind	{ ADD(RSS_ON, @3, .of = $3); }
;

rss_kind:
  T_IPV4		{ $$ = HASH_IPV4; }
| T_IPV6		{ $$ = HASH_IPV6; }
| T_TCP			{ $$ = HASH_TCP; }
| T_UDP			{ $$ = HASH_UDP; }
;

rss_key:
  T_KEY T_DIGITS	{ ADD(RSS_KEY, @2, .name = $2); }
;

settings:
  setting
| settings setting
;

setting:
  T_ETH side T_MAC	{ ADD(CHANGE, @$, .of = CHANGE_ETH_SRC + $2->arg, .mac = $3); }
| T_IPV4 side T_IPV4_ADDRESS	{ ADD(CHANGE, @$, .of = CHANGE_IP_SRC + $2->arg, .second = 4, .net = $3); }
| T_IPV6 side T_IPV6_ADDRESS	{ ADD(CHANGE, @$, .of = CHANGE_IP_SRC + $2->arg, .second = 6, .net = $3); }
| T_TCP port_side port	{ ADD(CHANGE_PORT, @$, .of = $2->arg, .number = $3, .second = L4_TCP); }
| T_UDP port_side port	{ ADD(CHANGE_PORT, @$, .of = $2->arg, .number = $3, .second = L4_UDP); }
| T_TTL T_NUMBER	{ ADD(CHANGE, @$, .of = CHANGE_TTL, .number = $2); }
| T_DSCP T_NUMBER	{ ADD(CHANGE, @$, .of = CHANGE_DSCP, .number = $2); }
| T_DSCP name		{ ADD(CHANGE, @$, .of = CHANGE_DSCP, .number = named(ps, &@2, $2, "DSCP", dscp_number)); }
| T_VLAN T_NUMBER	{ ADD(CHANGE, @$, .of = CHANGE_VLAN, .number = $2); }
;

%%

/* If more words than this are expected, the message names kinds of words. */
#define EXPECTED_MAX 5

static void found(char *text, size_t size, const yypcontext_t *ctx, struct rule_parser *ps)
{
	const struct source_range *at = yypcontext_location(ctx);
	size_t n = at->end_byte - at->first_byte;

	if (yypcontext_token(ctx) == YYSYMBOL_T_EOL)
		snprintf(text, size, "the line's end");
	else
		snprintf(text, size, "\"%.*s\"", (int)(n > 40 ? 40 : n), ps->text + at->first_byte);
}

static bool among(const yysymbol_kind_t *list, int n, yysymbol_kind_t wanted)
{
	for (int i = 0; i < n; i++)
		if (list[i] == wanted)
			return true;
	return false;
}

/* Returns whether a word is allowed where the error is. */
static bool may_stand_here(const void *ctx, int token)
{
	yysymbol_kind_t list[YYNTOKENS];
	int n = yypcontext_expected_tokens(ctx, list, YYNTOKENS);

	return among(list, n, YYTRANSLATE(token));
}

static const char *const value_kinds[] = {"a number", "a name"};

#define MODIFIERS "to queue, to rss, to a vport, goto, tag, count, name, set, push, pop, decap, encap, over, expire, sample or max"

/* Removes negations: they can stand before most words, and would make each list too long. */
static int without_negations(yysymbol_kind_t *list, int n)
{
	int kept = 0;

	for (int i = 0; i < n; i++)
		if (list[i] != YYSYMBOL_T_NE && list[i] != YYSYMBOL_T_NOT && list[i] != YYTRANSLATE('!'))
			list[kept++] = list[i];
	return kept ? kept : n;
}

static void expected(char *text, size_t size, const yypcontext_t *ctx)
{
	yysymbol_kind_t list[YYNTOKENS];
	int n = without_negations(list, yypcontext_expected_tokens(ctx, list, YYNTOKENS));
	size_t used = 0;

	if (among(list, n, YYSYMBOL_T_NAME)) {
		bool numbers = among(list, n, YYSYMBOL_T_NUMBER);

		snprintf(text, size, "%s%s%s", numbers ? value_kinds[0] : "", numbers ? " or " : "",
			 value_kinds[1]);
		return;
	}
	if (n > EXPECTED_MAX) {
		bool more = among(list, n, YYSYMBOL_T_TAG);

		if (!among(list, n, YYSYMBOL_T_ETH))
			snprintf(text, size, more ? "the end of the line, " MODIFIERS
						  : "drop, pass, send, mirror, track, count, table, define or include");
		else if (!among(list, n, YYSYMBOL_T_ANY))
			snprintf(text, size, "something to set (eth, ipv4, ipv6, tcp, udp, ttl, dscp or vlan)%s",
				 more ? ", to queue, to rss, to a vport, goto, tag, count, name, push, pop, decap, encap, over, expire, sample or max" : "");
		else
			snprintf(text, size, "something to match (eth, vlan, ipv4, ipv6, src, dst, "
				 "proto, tcp, udp, port, ...)%s", more ? ", " MODIFIERS : "");
		return;
	}
	*text = 0;
	for (int i = 0; i < n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 i == 0 ? "" : i == n - 1 ? " or " : ", ",
					 yysymbol_name(list[i]));
}

static const char no_or[] =
	"\"or\" is possible in lists only (port 80,443; src 10.0.0.0/8,192.168.0.0/16): write one rule "
	"for each alternative";
static const char no_not[] =
	"\"not\" stands before a match (not tcp dst port 22, not src 10.0.0.0/8), or \"!=\" before its "
	"value (vlan != 7)";

/* Returns whether this word stands before the place. */
static bool follows(const struct rule_parser *ps, const struct source_range *at, const char *word)
{
	size_t n = strlen(word), end = at->first_byte;

	while (end && strchr(" \t", ps->text[end - 1]))
		end--;
	return end >= n && !strncasecmp(ps->text + end - n, word, n) &&
	       (end == n || !isalnum((unsigned char)ps->text[end - n - 1]));
}

/* Finds words of tcpdump and tc that this language lacks, and suggests others. */
static const char *foreign_word(const yypcontext_t *ctx, const struct rule_parser *ps)
{
	const struct source_range *at = yypcontext_location(ctx);
	yysymbol_kind_t token = yypcontext_token(ctx);

	if (token == YYSYMBOL_T_OR || follows(ps, at, "or") || follows(ps, at, "||"))
		return no_or;
	if (token == YYSYMBOL_T_NE || token == YYSYMBOL_T_NOT || follows(ps, at, "not") ||
	    follows(ps, at, "!") || follows(ps, at, "!="))
		return no_not;
	return NULL;
}

static int yyreport_syntax_error(const yypcontext_t *ctx, struct rule_parser *ps)
{
	char saw[64], wanted[224], variable[160];
	const char *near = NULL, *other = foreign_word(ctx, ps);

	if (other) {
		parse_mistake(ps, yypcontext_location(ctx), "%s", other);
		return 0;
	}
	found(saw, sizeof(saw), ctx, ps);
	expected(wanted, sizeof(wanted), ctx);
	if (yypcontext_token(ctx) == YYSYMBOL_T_NAME && !ps->vars.last) {
		saw[strlen(saw) - 1] = 0;
		near = word_near(saw + 1, may_stand_here, ctx);
		saw[strlen(saw)] = '"';
	}
	parse_mistake(ps, yypcontext_location(ctx), "expected %s, not %s%s%s%s%s", wanted, saw,
		      parse_variable_origin(ps, variable, sizeof(variable)), near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	return 0;
}
