/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule language: dvx-flow(1) describes it in words. */
%define api.pure full
%define api.prefix {flow_}
%define api.location.type {struct place}
%define parse.error custom
%define parse.lac full
%locations
%param {void *scanner}
%parse-param {struct draft *d}
%expect 0

%code top {
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
}

%code requires {
#include "draft.h"
#include "words.h"
}

%union {
	uint64_t number;
	const char *name;
	const struct word *word;
	struct address address;
	struct { uint64_t value, mask; } masked;
	int side;
}

%code provides {
/* flex declares none of these where the grammar could see them. */
int flow_lex(FLOW_STYPE *value, struct place *at, void *scanner);
int flow_lex_init_extra(struct draft *d, void **scanner);
struct yy_buffer_state *flow__scan_bytes(const char *bytes, int len, void *scanner);
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

static void flow_error(const struct place *at, void *scanner, struct draft *d, const char *what)
{
	(void)scanner;
	draft_mistake(d, at, "%s", what);
}

static uint64_t named(struct draft *d, const struct place *at, const char *name, const char *what,
		      bool (*find)(const char *, uint64_t *))
{
	uint64_t v = 0;

	if (!find(name, &v))
		draft_mistake(d, at, "no %s is called \"%s\"; give its number", what, name);
	return v;
}
}

%initial-action {
	@$ = (struct place){1, 1, 1, 1, 0, 0};
}

%token T_EOL "the end of the line"
%token <number> T_NUMBER "a number"
%token <name> T_NAME "a name"
%token <address> T_IPV4_ADDRESS "an IPv4 address" T_IPV6_ADDRESS "an IPv6 address" T_MAC "a MAC address"
%token <word> T_DROP "drop" T_PASS "pass" T_SEND "send" T_COUNT "count" T_IN "in" T_OUT "out"
%token <word> T_ANY "any" T_AND "and" T_OR "or" T_NOT "not" T_NE "!=" T_ETH "eth" T_TYPE "type" T_ETHERTYPE "ethertype"
%token <word> T_VLAN "vlan" T_SVLAN "svlan" T_UNTAGGED "untagged" T_ID "id" T_PCP "pcp" T_DEI "dei"
%token <word> T_IPV4 "ipv4" T_IPV6 "ipv6" T_ARP "arp" T_SRC "src" T_DST "dst" T_HOST "host"
%token <word> T_PROTO "proto" T_PROTOCOL "protocol" T_TOS "tos" T_DSCP "dscp" T_ECN "ecn" T_TTL "ttl" T_FRAG "fragment"
%token <word> T_NOFRAG "nofrag" T_FLOWLABEL "flowlabel" T_TCP "tcp" T_UDP "udp" T_ICMP "icmp"
%token <word> T_ICMP6 "icmp6" T_PORT "port" T_SPORT "sport" T_DPORT "dport" T_FLAGS "flags"
%token <word> T_CODE "code" T_FIELD "reg_c0" T_VPORT "vport" T_SQN "sqn" T_TO "to" T_QUEUE "queue"
%token <word> T_TAG "tag" T_VXLAN "vxlan" T_GPE "vxlan-gpe" T_GENEVE "geneve" T_VNI "vni"
%token <word> T_GRE "gre" T_KEY "key" T_MPLS "mpls" T_LABEL "label" T_TC "tc"
%token <word> T_MPLS_BOS "mpls_bos" T_MPLS_TTL "mpls_ttl" T_OAM "oam"
%token <word> T_INNER "inner" T_OUTER "outer"

%type <name> name
%type <word> keyword
%type <number> proto ethertype dscp port
%type <address> mac ip_address
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
| error T_EOL		{ yyerrok; }
;

rule:
  head matches modifiers	{ draft_end(d, &@$); }
;

head:
  T_DROP { draft_begin(d, &@1, RULE_DROP, false); } direction
| T_PASS { draft_begin(d, &@1, RULE_PASS, false); } direction
| T_SEND { draft_begin(d, &@1, RULE_SEND, false); } direction
| T_COUNT { draft_begin(d, &@1, RULE_PASS, true); } direction
;

direction:
  T_IN			{ draft_direction(d, &@1, RULE_IN); }
| T_OUT			{ draft_direction(d, &@1, RULE_OUT); }
;

matches:
  %empty
| matches match
| matches T_AND match
;

match:
  T_ANY
| T_INNER		{ draft_level(d, true); d->asks_inner = true; }
| T_OUTER		{ draft_level(d, false); }
| T_ETH			{ d->context = CONTEXT_ETH; }
| T_ETHERTYPE ethertype	{ draft_ethertype(d, &@$, $2); }
| T_TYPE T_NUMBER	{ draft_type(d, &@$, NULL, $2); }
| T_TYPE name		{ draft_type(d, &@$, $2, 0); }
| T_CODE T_NUMBER	{ draft_code(d, &@$, $2); }
| T_VLAN		{ draft_vlan(d, &@$, true, false); }
| T_VLAN T_NUMBER	{ draft_vlan(d, &@1, true, false); draft_vlan_part(d, &@2, KEY_VLAN_ID, $2); }
| T_SVLAN		{ draft_vlan(d, &@$, false, true); }
| T_SVLAN T_NUMBER	{ draft_vlan(d, &@1, false, true); draft_vlan_part(d, &@2, KEY_VLAN_ID, $2); }
| T_UNTAGGED		{ draft_vlan(d, &@$, false, false); }
| T_ID T_NUMBER		{ draft_vlan_word(d, &@$, $1->arg); draft_vlan_part(d, &@$, KEY_VLAN_ID, $2); }
| T_PCP T_NUMBER	{ draft_vlan_word(d, &@$, $1->arg); draft_vlan_part(d, &@$, KEY_VLAN_PCP, $2); }
| T_DEI T_NUMBER	{ draft_vlan_part(d, &@$, KEY_VLAN_DEI, $2); }
| T_ARP			{ draft_ethertype(d, &@$, 0x0806); }
| T_IPV4		{ draft_ip(d, &@$, 4); }
| T_IPV6		{ draft_ip(d, &@$, 6); }
| side mac		{ draft_mac(d, &@$, $1, &$2); }
| side nets		{ draft_net_list(d, &@$, $1); }
| side T_HOST nets	{ draft_net_list(d, &@$, $1); }
| T_HOST nets		{ draft_net_list(d, &@$, SIDE_EITHER); }
| T_PROTO proto		{ draft_proto(d, &@$, $2); }
| T_PROTOCOL T_NUMBER	{ draft_protocol(d, &@2, NULL, $2); }
| T_PROTOCOL name	{ draft_protocol(d, &@2, $2, 0); }
| T_TOS masked		{ draft_tos(d, &@$, $2.value, $2.mask); }
| T_DSCP dscp		{ draft_field(d, &@$, KEY_DSCP, $2, 0x3f); }
| T_ECN T_NUMBER	{ draft_field(d, &@$, KEY_ECN, $2, 0x3); }
| T_TTL T_NUMBER	{ draft_field(d, &@$, KEY_TTL, $2, 0xff); }
| T_FLOWLABEL masked	{ draft_ip(d, &@1, 6); draft_field(d, &@$, KEY_FLOWLABEL, $2.value, $2.mask); }
| T_FRAG		{ draft_field(d, &@$, KEY_FRAGMENT, 1, 1); }
| T_NOFRAG		{ draft_field(d, &@$, KEY_FRAGMENT, 0, 1); }
| negation T_FRAG	{ draft_field(d, &@$, KEY_FRAGMENT, 0, 1); }
| T_TCP			{ draft_proto(d, &@$, 6); }
| T_UDP			{ draft_proto(d, &@$, 17); }
| T_ICMP		{ draft_proto(d, &@$, 1); }
| T_ICMP6		{ draft_proto(d, &@$, 58); }
| port_side ports	{ draft_port_list(d, &@$, $1); }
| T_FLAGS flags		{ draft_flags(d, &@$); }
| T_FLAGS masked	{ draft_field(d, &@$, KEY_TCP_FLAGS, $2.value, $2.mask); }
| T_FIELD masked		{ draft_field(d, &@$, (enum rule_key)$1->arg, $2.value, $2.mask); }
| T_VPORT T_NUMBER	{ draft_vport(d, &@$, $2); }
| tunnel		{ draft_tunnel(d, &@$, (enum draft_tunnel)$1); }
| tunnel masked		{ draft_tunnel(d, &@1, (enum draft_tunnel)$1); draft_vni(d, &@2, $2.value, $2.mask); }
| T_OAM			{ draft_oam(d, &@$, 1); }
| T_OAM T_NUMBER	{ draft_oam(d, &@$, $2); }
| T_VNI masked		{ draft_vni(d, &@$, $2.value, $2.mask); }
| T_GRE			{ draft_proto(d, &@$, 47); }
| T_KEY masked		{ draft_gre_key(d, &@$, $2.value, $2.mask); }
| T_MPLS		{ draft_mpls(d, &@$); }
| T_MPLS T_NUMBER	{ draft_mpls_part(d, &@$, KEY_MPLS_LABEL, $2); }
| T_LABEL T_NUMBER	{ draft_mpls_part(d, &@$, KEY_MPLS_LABEL, $2); }
| T_TC T_NUMBER		{ draft_mpls_part(d, &@$, KEY_MPLS_TC, $2); }
| T_MPLS_BOS T_NUMBER	{ draft_mpls_part(d, &@$, KEY_MPLS_BOTTOM, $2); }
| T_MPLS_TTL T_NUMBER	{ draft_mpls_part(d, &@$, KEY_MPLS_TTL, $2); }
| T_SQN T_NUMBER	{ draft_sqn(d, &@$, $2); }
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

mac:
  T_MAC
| T_MAC '/' T_MAC	{ $$ = $1; draft_mac_mask(d, &@$, &$$, $3.mac); }
;

nets:
  net
| nets or net
;

net:
  ip_address		{ draft_net(d, &@1, &$1); }
;

/* Of a list. */
or:
  ','
| T_OR
;

ip_address:
  T_IPV4_ADDRESS
| T_IPV6_ADDRESS
| T_IPV4_ADDRESS '/' T_NUMBER	{ $$ = $1; draft_prefix(d, &@$, &$$, $3); }
| T_IPV6_ADDRESS '/' T_NUMBER	{ $$ = $1; draft_prefix(d, &@$, &$$, $3); }
;

ports:
  range
| ports or range
;

range:
  port			{ draft_range(d, &@$, $1, $1); }
| port '-' port		{ draft_range(d, &@$, $1, $3); }
;

port:
  T_NUMBER
| name			{ $$ = draft_service(d, &@$, $1); }
;

flags:
  flag
| flags ',' flag
;

flag:
  name			{ draft_flag(d, &@$, $1, true); }
| '!' name		{ draft_flag(d, &@$, $2, false); }
;

masked:
  T_NUMBER		{ $$.value = $1; $$.mask = UINT64_MAX; }
| T_NUMBER '/' T_NUMBER	{
				$$.value = $1;
				$$.mask = $3;
				if ($1 & ~$3)
					draft_mistake(d, &@$, "the value has bits that the mask leaves out");
			}
;

proto:
  T_NUMBER
| name			{ $$ = named(d, &@$, $1, "protocol", proto_number); }
;

ethertype:
  T_NUMBER
| name			{ $$ = named(d, &@$, $1, "EtherType", ethertype_number); }
;

dscp:
  T_NUMBER
| name			{ $$ = named(d, &@$, $1, "DSCP", dscp_number); }
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
  T_TO T_QUEUE T_NUMBER	{ draft_queue(d, &@$, $3); }
| T_QUEUE T_NUMBER	{ draft_queue(d, &@$, $2); }
| T_TAG T_NUMBER	{ draft_tag(d, &@$, $2); }
| T_COUNT		{ draft_count(d, &@$); }
;

%%

/* More than this many expected words are told as kinds of words. */
#define EXPECTED_MAX 5

static void found(char *text, size_t size, const yypcontext_t *ctx, struct draft *d)
{
	const struct place *at = yypcontext_location(ctx);
	size_t n = at->end_byte - at->first_byte;

	if (yypcontext_token(ctx) == YYSYMBOL_T_EOL)
		snprintf(text, size, "the line's end");
	else
		snprintf(text, size, "\"%.*s\"", (int)(n > 40 ? 40 : n), d->text + at->first_byte);
}

static bool among(const yysymbol_kind_t *list, int n, yysymbol_kind_t wanted)
{
	for (int i = 0; i < n; i++)
		if (list[i] == wanted)
			return true;
	return false;
}

/* Whether a word may stand where the error is. */
static bool may_stand(const void *ctx, int token)
{
	yysymbol_kind_t list[YYNTOKENS];
	int n = yypcontext_expected_tokens(ctx, list, YYNTOKENS);

	return among(list, n, YYTRANSLATE(token));
}

static const char *const value_kinds[] = {"a number", "a name"};

static void expected(char *text, size_t size, const yypcontext_t *ctx)
{
	yysymbol_kind_t list[YYNTOKENS];
	int n = yypcontext_expected_tokens(ctx, list, YYNTOKENS);
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
			snprintf(text, size, "drop, pass, send or count");
		else
			snprintf(text, size, "something to match (eth, vlan, ipv4, ipv6, src, dst, "
				 "proto, tcp, udp, port, ...)%s", more ? ", to queue, tag or count" : "");
		return;
	}
	*text = 0;
	for (int i = 0; i < n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 i == 0 ? "" : i == n - 1 ? " or " : ", ",
					 yysymbol_name(list[i]));
}

static const char no_or[] =
	"a rule has \"or\" in lists only (port 80,443; src 10.0.0.0/8,192.168.0.0/16): write a rule a "
	"line for each of these";
static const char no_not[] =
	"a rule says what a packet is, not what it isn't (fragments excepted). The first rule that a "
	"packet meets acts: above this one, write one that lets these pass: pass in ...";

/* The word before this place is this one. */
static bool follows(const struct draft *d, const struct place *at, const char *word)
{
	size_t n = strlen(word), end = at->first_byte;

	while (end && strchr(" \t", d->text[end - 1]))
		end--;
	return end >= n && !strncasecmp(d->text + end - n, word, n) &&
	       (end == n || !isalnum((unsigned char)d->text[end - n - 1]));
}

/* What users of tcpdump and tc say otherwise, and what they can say here. */
static const char *other_tongue(const yypcontext_t *ctx, const struct draft *d)
{
	const struct place *at = yypcontext_location(ctx);
	yysymbol_kind_t token = yypcontext_token(ctx);

	if (token == YYSYMBOL_T_OR || follows(d, at, "or") || follows(d, at, "||"))
		return no_or;
	if (token == YYSYMBOL_T_NE || token == YYSYMBOL_T_NOT || follows(d, at, "not") ||
	    follows(d, at, "!") || follows(d, at, "!="))
		return no_not;
	return NULL;
}

static int yyreport_syntax_error(const yypcontext_t *ctx, void *scanner, struct draft *d)
{
	char saw[64], wanted[160];
	const char *near = NULL, *other = other_tongue(ctx, d);

	(void)scanner;
	if (other) {
		draft_mistake(d, yypcontext_location(ctx), "%s", other);
		return 0;
	}
	found(saw, sizeof(saw), ctx, d);
	expected(wanted, sizeof(wanted), ctx);
	if (yypcontext_token(ctx) == YYSYMBOL_T_NAME) {
		saw[strlen(saw) - 1] = 0;
		near = word_near(saw + 1, may_stand, ctx);
		saw[strlen(saw)] = '"';
	}
	draft_mistake(d, yypcontext_location(ctx), "expected %s, not %s%s%s%s", wanted, saw,
		      near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	return 0;
}

size_t rules_mark(const char *text, size_t len)
{
	return len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

static bool is_utf16(const char *text, size_t len)
{
	return len >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2));
}

int rules_parse(const char *text, size_t len, struct ruleset *set, mistake_fn tell, void *arg)
{
	size_t mark = rules_mark(text, len);
	struct draft d = {.text = text + mark,
			  .len = len - mark,
			  .set = set,
			  .tell = tell,
			  .tell_arg = arg};
	void *scanner;
	int ret = 0;

	*set = (struct ruleset){0};
	if (len > RULES_BYTES_MAX)
		return -EFBIG;
	if (is_utf16(text, len)) {
		draft_mistake(&d, &(struct place){1, 1, 1, 2, 0, 2},
			      "the text is UTF-16; save it as UTF-8");
		return d.mistakes;
	}
	set->memory = arena_new();
	if (!set->memory || flow_lex_init_extra(&d, &scanner)) {
		ruleset_free(set);
		return -ENOMEM;
	}
	if (!flow__scan_bytes(d.text, (int)d.len, scanner) || flow_parse(scanner, &d) == 2 || d.no_memory)
		ret = -ENOMEM;
	flow_lex_destroy(scanner);
	if (!ret)
		ret = d.mistakes;
	if (ret)
		ruleset_free(set);
	return ret;
}
