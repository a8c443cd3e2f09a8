/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule language: dvx-flow(1) describes it in words. */
%define api.pure full
%define api.prefix {flow_}
%define api.location.type {struct source_range}
%define parse.error custom
%define parse.lac full
%locations
%param {void *scanner}
%parse-param {struct rule_parser *ps}
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
	struct address address;
	struct { uint64_t value, mask; } masked;
	int side;
}

%code provides {
/* flex declares these in no header. */
int flow_scan(FLOW_STYPE *value, struct source_range *at, void *scanner);
/* Reads a token; a variable is replaced by its tokens: parse_variable.c. */
int flow_lex(FLOW_STYPE *value, struct source_range *at, void *scanner);
struct rule_parser *flow_get_extra(void *scanner);
int flow_lex_init_extra(struct rule_parser *ps, void **scanner);
struct yy_buffer_state *flow__scan_buffer(char *bytes, size_t size, void *scanner);
int flow_lex_destroy(void *scanner);
}

%code {
#define YYLLOC_DEFAULT(Current, Rhs, N)                                             \
	do {                                                                        \
		if (N) {                                                            \
			(Current) = YYRHSLOC(Rhs, 1);                               \
			(Current).last_line = YYRHSLOC(Rhs, N).last_line;           \
			(Current).last_column = YYRHSLOC(Rhs, N).last_column;       \
			(Current).end_byte = YYRHSLOC(Rhs, N).end_byte;             \
		} else {                                                            \
			(Current) = YYRHSLOC(Rhs, 0);                               \
			(Current).first_line = (Current).last_line;                 \
			(Current).first_column = (Current).last_column;             \
			(Current).first_byte = (Current).end_byte;                  \
		}                                                                   \
	} while (0)

static void flow_error(const struct source_range *at, void *scanner, struct rule_parser *ps, const char *what)
{
	(void)scanner;
	parse_mistake(ps, at, "%s", what);
}

static uint64_t named(struct rule_parser *ps, const struct source_range *at, const char *name, const char *what,
		      bool (*find)(const char *, uint64_t *))
{
	uint64_t v = 0;

	if (!find(name, &v))
		parse_mistake(ps, at, "no %s is called \"%s\"; give its number", what, name);
	return v;
}
}

%code {
/* The header that a match belongs to: `not tcp` goes on with matches that belong to TCP. */
#define ONE	    parse_target(ps, SCOPE_ONE, false)
#define WORD(scope) parse_target(ps, SCOPE_##scope, true)
#define PART(scope) parse_target(ps, SCOPE_##scope, false)
}

%initial-action {
	@$ = (struct source_range){1, 1, 1, 1, 0, 0};
}

%token T_EOL "the end of the line"
%token <number> T_NUMBER "a number"
%token <name> T_NAME "a name" T_STRING "a name in quotes"
%token <address> T_IPV4_ADDRESS "an IPv4 address" T_IPV6_ADDRESS "an IPv6 address" T_MAC "a MAC address"
%token <word> T_DROP "drop" T_PASS "pass" T_SEND "send" T_COUNT "count" T_IN "in" T_OUT "out"
%token <word> T_ANY "any" T_AND "and" T_OR "or" T_NOT "not" T_NE "!=" T_ETH "eth" T_TYPE "type" T_ETHERTYPE "ethertype"
%token <word> T_VLAN "vlan" T_SVLAN "svlan" T_UNTAGGED "untagged" T_NATIVE "native" T_VLANS "num_of_vlans" T_ID "id" T_PCP "pcp" T_DEI "dei"
%token <word> T_IPV4 "ipv4" T_IPV6 "ipv6" T_ARP "arp" T_SRC "src" T_DST "dst" T_HOST "host"
%token <word> T_PROTO "proto" T_PROTOCOL "protocol" T_TOS "tos" T_DSCP "dscp" T_ECN "ecn" T_TTL "ttl" T_FRAG "fragment"
%token <word> T_NOFRAG "nofrag" T_FLOWLABEL "flowlabel" T_TCP "tcp" T_UDP "udp" T_ICMP "icmp"
%token <word> T_ICMP6 "icmp6" T_PORT "port" T_SPORT "sport" T_DPORT "dport" T_FLAGS "flags"
%token <word> T_CODE "code" T_FIELD "reg_c0" T_VPORT "vport" T_SQN "sqn" T_TO "to" T_QUEUE "queue"
%token <word> T_TAG "tag" T_VXLAN "vxlan" T_GPE "vxlan-gpe" T_GENEVE "geneve" T_VNI "vni"
%token <word> T_GRE "gre" T_KEY "key" T_MPLS "mpls" T_LABEL "label" T_TC "tc"
%token <word> T_MPLS_BOS "mpls_bos" T_MPLS_TTL "mpls_ttl" T_OAM "oam"
%token <word> T_INNER "inner" T_OUTER "outer"
%token <word> T_NAMED "name" T_SET "set" T_DEC "dec" T_PUSH "push" T_POP "pop" T_DECAP "decap" T_ENCAP "encap"
%token <word> T_MIRROR "mirror" T_TABLE "table" T_GOTO "goto" T_RSS "rss" T_ON "on"
%token <name> T_DIGITS "a key of 40 bytes" T_VARIABLE "a variable"
%token <word> T_DEFINE "define" T_INCLUDE "include"

%type <name> name
%type <word> keyword
%type <number> proto ethertype port
%type <address> ip_address
%type <masked> masked
%type <side> side port_side tunnel

%%

file:
  %empty
| file line
;

line:
  T_EOL
| rule T_EOL
| T_TABLE name T_EOL	{ parse_table(ps, &@2, $2); }
| T_DEFINE T_EOL	/* parse_define.c has read it */
| T_INCLUDE T_STRING T_EOL	{ parse_include(ps, &@1); }
| error T_EOL		{ yyerrok; }
;

rule:
  head matches modifiers	{ parse_end(ps, &@$); }
;

head:
  T_DROP { parse_begin(ps, &@1, RULE_DROP, false); } direction
| T_PASS { parse_begin(ps, &@1, RULE_PASS, false); } direction
| T_SEND { parse_begin(ps, &@1, RULE_SEND, false); } direction
| T_COUNT { parse_begin(ps, &@1, RULE_PASS, true); } direction
| T_MIRROR { parse_begin(ps, &@1, RULE_MIRROR, false); } direction
;

direction:
  T_IN			{ parse_direction(ps, &@1, RULE_IN); }
| T_OUT			{ parse_direction(ps, &@1, RULE_OUT); }
;

matches:
  %empty
| matches match
| matches T_AND match
;

match:
  one_match
| negation { parse_not(ps, &@1); } one_match
;

/* "!=" or "not" before a value. */
ne:
  %empty
| T_NE			{ parse_not_value(ps, &@1); }
| negation		{ parse_not_value(ps, &@1); }
;

one_match:
  T_ANY			{ parse_any(ps, &@$); }
| T_INNER		{ parse_level(ps, true); ps->has_inner = true; }
| T_OUTER		{ parse_level(ps, false); }
| T_ETH			{ parse_eth_word(ps); }
| T_ETHERTYPE ne ethertype	{ ONE; parse_ethertype(ps, &@$, $3); }
| T_TYPE ne T_NUMBER	{ parse_type(ps, &@$, NULL, $3); }
| T_TYPE ne name	{ parse_type(ps, &@$, $3, 0); }
| T_CODE ne T_NUMBER	{ parse_code(ps, &@$, $3); }
| T_VLAN		{ WORD(VLAN); parse_vlan(ps, &@$, true, false); }
| T_VLAN numbers	{ WORD(VLAN); parse_tag_list(ps, &@1, &@2, true); }
| T_VLAN T_NE { parse_not_value(ps, &@2); } numbers	{ WORD(VLAN); parse_tag_list(ps, &@1, &@4, true); }
| T_SVLAN		{ WORD(VLAN); parse_vlan(ps, &@$, false, true); }
| T_SVLAN numbers	{ WORD(VLAN); parse_tag_list(ps, &@1, &@2, false); }
| T_SVLAN T_NE { parse_not_value(ps, &@2); } numbers	{ WORD(VLAN); parse_tag_list(ps, &@1, &@4, false); }
| T_UNTAGGED		{ ONE; parse_vlan(ps, &@$, false, false); }
| T_NATIVE		{ ONE; parse_native(ps, &@$); }
| T_VLANS T_NUMBER	{ ONE; parse_vlan_count(ps, &@$, $2); }
| T_VLANS T_NUMBER '-' T_NUMBER	{ ONE; parse_vlan_counts(ps, &@$, $2, $4); }
| T_ID ne numbers	{ parse_vlan_word(ps, &@$, $1->arg); parse_vlan_list(ps, &@$, KEY_VLAN_ID); }
| T_PCP ne numbers	{ parse_vlan_word(ps, &@$, $1->arg); parse_vlan_list(ps, &@$, KEY_VLAN_PCP); }
| T_DEI numbers		{ PART(VLAN); parse_vlan_list(ps, &@$, KEY_VLAN_DEI); }
| T_ARP			{ ONE; parse_ethertype(ps, &@$, 0x0806); }
| T_IPV4		{ ONE; parse_ip(ps, &@$, 4); }
| T_IPV6		{ ONE; parse_ip(ps, &@$, 6); }
| side ne macs		{ ONE; parse_field_list(ps, &@$, $1 == SIDE_SRC ? KEY_SMAC : KEY_DMAC); }
| side ne nets		{ parse_net_list(ps, &@$, $1); }
| side T_HOST ne nets	{ parse_net_list(ps, &@$, $1); }
| T_HOST ne nets	{ parse_net_list(ps, &@$, SIDE_EITHER); }
| T_PROTO ne proto	{ WORD(L4); parse_proto(ps, &@$, $3); }
| T_PROTOCOL ne T_NUMBER	{ parse_protocol(ps, &@3, NULL, $3); }
| T_PROTOCOL ne name	{ parse_protocol(ps, &@3, $3, 0); }
| T_TOS masked		{ ONE; parse_tos(ps, &@$, $2.value, $2.mask); }
| T_DSCP ne dscps	{ ONE; parse_field_list(ps, &@$, KEY_DSCP); }
| T_ECN ne numbers	{ ONE; parse_field_list(ps, &@$, KEY_ECN); }
| T_TTL ne values	{ ONE; parse_field_list(ps, &@$, KEY_TTL); }
| T_FLOWLABEL ne values	{ ONE; parse_ip(ps, &@1, 6); parse_field_list(ps, &@$, KEY_FLOWLABEL); }
| T_FRAG		{ ONE; parse_field(ps, &@$, KEY_FRAGMENT, 1, 1); }
| T_NOFRAG		{ ONE; parse_field(ps, &@$, KEY_FRAGMENT, 0, 1); }
| T_TCP			{ WORD(L4); parse_proto(ps, &@$, 6); }
| T_UDP			{ WORD(L4); parse_proto(ps, &@$, 17); }
| T_ICMP		{ WORD(L4); parse_proto(ps, &@$, 1); }
| T_ICMP6		{ WORD(L4); parse_proto(ps, &@$, 58); }
| port_side ne ports	{ PART(L4); parse_port_list(ps, &@$, $1); }
| T_FLAGS flags		{ PART(L4); parse_flags(ps, &@$); }
| T_FLAGS masked	{ PART(L4); parse_field(ps, &@$, KEY_TCP_FLAGS, $2.value, $2.mask); }
| T_FLAGS T_NE flags	{ PART(L4); parse_not_value(ps, &@2); parse_flags(ps, &@$); }
| T_FIELD ne values	{ ONE; parse_field_list(ps, &@$, (enum rule_key)$1->arg); }
| T_VPORT T_NUMBER	{ ONE; parse_vport(ps, &@$, $2); }
| tunnel		{ parse_tunnel_word(ps, &@$, (enum parse_tunnel)$1); }
| tunnel { parse_tunnel_word(ps, &@1, (enum parse_tunnel)$1); } values { parse_vni_list(ps, &@3); }
| T_OAM			{ parse_oam(ps, &@$, 1); }
| T_OAM T_NUMBER	{ parse_oam(ps, &@$, $2); }
| T_VNI ne values	{ parse_vni_list(ps, &@$); }
| T_GRE			{ WORD(L4); parse_proto(ps, &@$, 47); }
| T_KEY ne values	{ parse_gre_key_list(ps, &@$); }
| T_MPLS		{ parse_mpls_word(ps, &@$); }
| T_MPLS numbers	{ WORD(MPLS); parse_mpls_list(ps, &@$, KEY_MPLS_LABEL); }
| T_LABEL ne numbers	{ parse_mpls_list(ps, &@$, KEY_MPLS_LABEL); }
| T_TC ne numbers	{ parse_mpls_list(ps, &@$, KEY_MPLS_TC); }
| T_MPLS_BOS numbers	{ parse_mpls_list(ps, &@$, KEY_MPLS_BOTTOM); }
| T_MPLS_TTL ne numbers	{ parse_mpls_list(ps, &@$, KEY_MPLS_TTL); }
| T_SQN T_NUMBER	{ ONE; parse_sqn(ps, &@$, $2); }
;

tunnel:
  T_VXLAN		{ $$ = TUNNEL_VXLAN; }
| T_GPE			{ $$ = TUNNEL_GPE; }
| T_GENEVE		{ $$ = TUNNEL_GENEVE; }
;

negation:
  T_NOT
| '!'
;

side:
  T_SRC			{ $$ = SIDE_SRC; }
| T_DST			{ $$ = SIDE_DST; }
;

port_side:
  T_PORT		{ $$ = SIDE_EITHER; }
| T_SPORT		{ $$ = SIDE_SRC; }
| T_DPORT		{ $$ = SIDE_DST; }
| T_SRC T_PORT		{ $$ = SIDE_SRC; }
| T_DST T_PORT		{ $$ = SIDE_DST; }
;

macs:
  mac
| macs or mac
;

mac:
  T_MAC			{ parse_value(ps, $1.mac, UINT64_MAX); }
| T_MAC '/' T_MAC	{ parse_mac_mask(ps, &@$, $1.mac, $3.mac); }
;

nets:
  net
| nets or net
;

net:
  ip_address		{ parse_net(ps, &@1, &$1); }
| T_IPV4_ADDRESS '-' T_IPV4_ADDRESS	{ parse_net_range(ps, &@$, &$1, &$3); }
| T_IPV6_ADDRESS '-' T_IPV6_ADDRESS	{ parse_net_range(ps, &@$, &$1, &$3); }
;

/* Separates the elements of a list. */
or:
  ','
| T_OR
;

ip_address:
  T_IPV4_ADDRESS
| T_IPV6_ADDRESS
| T_IPV4_ADDRESS '/' T_NUMBER	{ $$ = $1; parse_prefix(ps, &@$, &$$, $3); }
| T_IPV6_ADDRESS '/' T_NUMBER	{ $$ = $1; parse_prefix(ps, &@$, &$$, $3); }
| T_IPV4_ADDRESS '/' T_IPV4_ADDRESS	{ $$ = $1; parse_net_mask(ps, &@$, &$$, &$3); }
| T_IPV6_ADDRESS '/' T_IPV6_ADDRESS	{ $$ = $1; parse_net_mask(ps, &@$, &$$, &$3); }
;

ports:
  range
| ports or range
;

range:
  port			{ parse_range(ps, &@$, $1, $1); }
| port '-' port		{ parse_range(ps, &@$, $1, $3); }
| port '/' T_NUMBER	{ parse_port_mask(ps, &@$, $1, $3); }
;

port:
  T_NUMBER
| name			{ $$ = parse_service(ps, &@$, $1); }
;

flags:
  flag
| flags ',' flag
;

flag:
  name			{ parse_flag(ps, &@$, $1, true); }
| '!' name		{ parse_flag(ps, &@$, $2, false); }
;

numbers:
  T_NUMBER		{ parse_value(ps, $1, UINT64_MAX); }
| numbers or T_NUMBER	{ parse_value(ps, $3, UINT64_MAX); }
;

values:
  masked		{ parse_value(ps, $1.value, $1.mask); }
| values or masked	{ parse_value(ps, $3.value, $3.mask); }
;

dscps:
  dscp
| dscps or dscp
;

masked:
  T_NUMBER		{ $$.value = $1; $$.mask = UINT64_MAX; }
| T_NUMBER '/' T_NUMBER	{
				$$.value = $1;
				$$.mask = $3;
				if ($1 & ~$3)
					parse_mistake(ps, &@$, "the value has bits outside the mask");
			}
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
  masked		{ parse_value(ps, $1.value, $1.mask); }
| name			{ parse_value(ps, named(ps, &@$, $1, "DSCP", dscp_number), UINT64_MAX); }
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
  T_TO T_QUEUE T_NUMBER	{ parse_queue(ps, &@$, $3); }
| T_QUEUE T_NUMBER	{ parse_queue(ps, &@$, $2); }
| T_TO T_RSS rss
| T_GOTO name		{ parse_goto(ps, &@2, $2); }
| T_TAG T_NUMBER	{ parse_tag(ps, &@$, $2); }
| T_COUNT		{ parse_count(ps, &@$); }
| T_NAMED T_STRING	{ parse_rule_name(ps, &@2, $2); }
| T_NAMED name		{ parse_rule_name(ps, &@2, $2); }
| T_SET settings
| T_DEC T_TTL		{ parse_change(ps, &@$, CHANGE_DEC_TTL, 0); }
| T_PUSH T_VLAN T_NUMBER	{ parse_push_vlan(ps, &@$, $3, 0); }
| T_PUSH T_VLAN T_NUMBER T_PCP T_NUMBER	{ parse_push_vlan(ps, &@$, $3, $5); }
| T_POP T_VLAN		{ parse_change(ps, &@$, CHANGE_POP, 0); }
| T_DECAP		{ parse_change(ps, &@$, CHANGE_DECAP, 0); }
| T_ENCAP		{ parse_encap(ps, &@$); YYERROR; }
| T_PUSH pushed		{ parse_encap(ps, &@$); YYERROR; }
;

pushed:
  T_VXLAN | T_GPE | T_GENEVE | T_GRE | T_MPLS
;

rss:
  rss_queues
| rss_queues rss_on
| rss_queues rss_key
| rss_queues rss_on rss_key
| rss_queues rss_key rss_on
;

rss_queues:
  T_NUMBER '-' T_NUMBER	{ parse_rss(ps, &@1, $1, &@3, $3); }
;

rss_on:
  T_ON rss_kind
| rss_on ',' rss_kind
;

rss_kind:
  T_IPV4		{ parse_rss_on(ps, &@$, HASH_IPV4); }
| T_IPV6		{ parse_rss_on(ps, &@$, HASH_IPV6); }
| T_TCP			{ parse_rss_on(ps, &@$, HASH_TCP); }
| T_UDP			{ parse_rss_on(ps, &@$, HASH_UDP); }
;

rss_key:
  T_KEY T_DIGITS	{ parse_rss_key(ps, &@2, $2); }
;

settings:
  setting
| settings setting
;

setting:
  T_ETH side T_MAC	{ parse_change_mac(ps, &@$, $2, &$3); }
| T_IPV4 side T_IPV4_ADDRESS	{ parse_change_address(ps, &@$, 4, $2, &$3); }
| T_IPV6 side T_IPV6_ADDRESS	{ parse_change_address(ps, &@$, 6, $2, &$3); }
| T_TCP port_side port	{ parse_change_port(ps, &@$, L4_TCP, $2, $3); }
| T_UDP port_side port	{ parse_change_port(ps, &@$, L4_UDP, $2, $3); }
| T_TTL T_NUMBER	{ parse_change(ps, &@$, CHANGE_TTL, $2); }
| T_VLAN T_NUMBER	{ parse_change(ps, &@$, CHANGE_VLAN, $2); }
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

#define MODIFIERS "to queue, to rss, goto, tag, count, name, set, push, pop or decap"

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
						  : "drop, pass, send, mirror, count, table, define or include");
		else if (!among(list, n, YYSYMBOL_T_ANY))
			snprintf(text, size, "something to set (eth, ipv4, ipv6, tcp, udp, ttl or vlan)%s",
				 more ? ", to queue, to rss, goto, tag, count, name, push, pop or decap" : "");
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

static int yyreport_syntax_error(const yypcontext_t *ctx, void *scanner, struct rule_parser *ps)
{
	char saw[64], wanted[160], variable[160];
	const char *near = NULL, *other = foreign_word(ctx, ps);

	(void)scanner;
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
