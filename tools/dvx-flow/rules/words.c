/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "rules/grammar.h"
#include "rule.h"
#include "tools/cli/names.h"
#include "words.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Synonyms are words that users of tcpdump, tc and iptables type. */
static const struct rule_word words[] = {
	{"drop", T_DROP, RULE_DROP},
	{"deny", T_DROP, RULE_DROP},
	{"block", T_DROP, RULE_DROP},
	{"pass", T_PASS, RULE_PASS},
	{"allow", T_PASS, RULE_PASS},
	{"accept", T_PASS, RULE_PASS},
	{"send", T_SEND, RULE_SEND},
	{"count", T_COUNT, RULE_PASS},
	{"mirror", T_MIRROR, RULE_MIRROR},
	{"track", T_TRACK, RULE_TRACK},
	{"table", T_TABLE, 0},
	{"define", T_DEFINE, 0},
	{"include", T_INCLUDE, 0},
	{"goto", T_GOTO, 0},
	{"rss", T_RSS, 0},
	{"on", T_ON, 0},
	{"in", T_IN, RULE_IN},
	{"inbound", T_IN, RULE_IN},
	{"ingress", T_IN, RULE_IN},
	{"out", T_OUT, RULE_OUT},
	{"outbound", T_OUT, RULE_OUT},
	{"egress", T_OUT, RULE_OUT},
	{"switch", T_SWITCH, RULE_SWITCH},
	{"from", T_FROM, 0},
	{"any", T_ANY, 0},
	{"all", T_ANY, 0},
	{"and", T_AND, 0},
	{"or", T_OR, 0},
	{"not", T_NOT, 0},
	{"eth", T_ETH, 0},
	{"ether", T_ETH, 0},
	{"type", T_TYPE, 0},
	{"ethertype", T_ETHERTYPE, 0},
	{"vlan", T_VLAN, KEY_CVLAN},
	{"svlan", T_SVLAN, KEY_SVLAN},
	{"qinq", T_SVLAN, KEY_SVLAN},
	{"untagged", T_UNTAGGED, 0},
	{"novlan", T_UNTAGGED, 0},
	{"native", T_NATIVE, 0},
	{"num_of_vlans", T_VLANS, 0},
	{"id", T_ID, 0},
	{"vlan_id", T_ID, 1},
	{"pcp", T_PCP, 0},
	{"prio", T_PCP, 0},
	{"vlan_prio", T_PCP, 1},
	{"dei", T_DEI, 0},
	{"ipv4", T_IPV4, 0},
	{"ip", T_IPV4, 0},
	{"ip4", T_IPV4, 0},
	{"ipv6", T_IPV6, 0},
	{"ip6", T_IPV6, 0},
	{"arp", T_ARP, 0},
	{"src", T_SRC, SIDE_SRC},
	{"src_ip", T_SRC, SIDE_SRC},
	{"src_mac", T_SRC, SIDE_SRC},
	{"dst", T_DST, SIDE_DST},
	{"dst_ip", T_DST, SIDE_DST},
	{"dst_mac", T_DST, SIDE_DST},
	{"host", T_HOST, 0},
	{"net", T_HOST, 0},
	{"proto", T_PROTO, 0},
	{"protocol", T_PROTOCOL, 0},
	{"ip_proto", T_PROTO, 0},
	{"tos", T_TOS, 0},
	{"ip_tos", T_TOS, 0},
	{"tclass", T_TOS, 0},
	{"dscp", T_DSCP, 0},
	{"ecn", T_ECN, 0},
	{"ttl", T_TTL, KEY_TTL},
	{"ip_ttl", T_TTL, KEY_TTL},
	{"hoplimit", T_TTL, KEY_TTL},
	{"frag", T_FRAG, 0},
	{"fragment", T_FRAG, 0},
	{"nofrag", T_NOFRAG, 0},
	{"flowlabel", T_FLOWLABEL, 0},
	{"tcp", T_TCP, L4_TCP},
	{"udp", T_UDP, L4_UDP},
	{"icmp", T_ICMP, 1},
	{"icmp4", T_ICMP, 1},
	{"icmpv4", T_ICMP, 1},
	{"icmp6", T_ICMP6, 58},
	{"icmpv6", T_ICMP6, 58},
	{"port", T_PORT, SIDE_EITHER},
	{"portrange", T_PORT, SIDE_EITHER},
	{"sport", T_SPORT, SIDE_SRC},
	{"src_port", T_SPORT, SIDE_SRC},
	{"dport", T_DPORT, SIDE_DST},
	{"dst_port", T_DPORT, SIDE_DST},
	{"flags", T_FLAGS, 0},
	{"tcp_flags", T_FLAGS, 0},
	{"code", T_CODE, 0},
#define WORD(key, path, bits, seen, low, noun, word) {word, T_FIELD, KEY_##key},
#include "keys.def"
	{"vport", T_VPORT, KEY_VPORT},
	{"sqn", T_SQN, KEY_SQN},
	{"vxlan", T_VXLAN, TUNNEL_VXLAN},
	{"vxlan-gpe", T_GPE, TUNNEL_GPE},
	{"vxlan_gpe", T_GPE, TUNNEL_GPE},
	{"geneve", T_GENEVE, TUNNEL_GENEVE},
	{"nvgre", T_NVGRE, TUNNEL_NVGRE},
	{"gretap", T_GRETAP, TUNNEL_GRETAP},
	{"gtpu", T_GTPU, TUNNEL_GTPU},
	{"mplsoudp", T_MPLSOUDP, TUNNEL_MPLSOUDP},
	{"vni", T_VNI, 0},
	{"enc_key_id", T_VNI, 0},
	{"teid", T_TEID, 0},
	{"gre", T_GRE, 47},
	{"key", T_KEY, 0},
	{"mpls", T_MPLS, 0},
	{"label", T_LABEL, KEY_MPLS_LABEL},
	{"mpls_label", T_LABEL, KEY_MPLS_LABEL},
	{"tc", T_TC, KEY_MPLS_TC},
	{"mpls_tc", T_TC, KEY_MPLS_TC},
	{"mpls_bos", T_MPLS_BOS, 0},
	{"mpls_ttl", T_MPLS_TTL, KEY_MPLS_TTL},
	{"oam", T_OAM, 0},
	{"gbp", T_GBP, 0},
	{"option", T_OPTION, 0},
	{"inner", T_INNER, 0},
	{"outer", T_OUTER, 0},
	{"to", T_TO, 0},
	{"queue", T_QUEUE, 0},
	{"tag", T_TAG, 0},
	{"name", T_NAMED, 0},
	{"set", T_SET, 0},
	{"dec", T_DEC, 0},
	{"push", T_PUSH, 0},
	{"pop", T_POP, 0},
	{"decap", T_DECAP, 0},
	{"encap", T_ENCAP, 0},
	{"over", T_OVER, 0},
	{"burst", T_BURST, 0},
	{"expire", T_EXPIRE, 0},
	{"sample", T_SAMPLE, 0},
	{"max", T_MAX, 0},
	{"ct", T_CT, 0},
};

struct named {
	const char *name;
	uint64_t number;
};

static const struct named protos[] = {
	{"icmp", 1},   {"igmp", 2},    {"ipip", 4},  {"tcp", 6},    {"udp", 17},
	{"ip6", 41},   {"ipv6", 41},   {"gre", 47},  {"esp", 50},   {"ah", 51},
	{"icmp6", 58}, {"icmpv6", 58}, {"ospf", 89}, {"vrrp", 112}, {"sctp", 132},
};

/* Names that work without /etc/services. */
static const struct named services[] = {
	{"ftp-data", 20}, {"ftp", 21},	   {"ssh", 22},
	{"telnet", 23},	  {"smtp", 25},	   {"domain", 53},
	{"dns", 53},	  {"bootps", 67},  {"bootpc", 68},
	{"tftp", 69},	  {"http", 80},	   {"ntp", 123},
	{"snmp", 161},	  {"bgp", 179},	   {"ldap", 389},
	{"https", 443},	  {"syslog", 514}, {"iscsi-target", 3260},
	{"nvme", 4420},	  {"vxlan", 4789}, {"roce", 4791},
	{"geneve", 6081},
};

static const struct named dscps[] = {
	{"cs0", 0},   {"be", 0},    {"lef", 1},	  {"cs1", 8},	{"af11", 10}, {"af12", 12},
	{"af13", 14}, {"cs2", 16},  {"af21", 18}, {"af22", 20}, {"af23", 22}, {"cs3", 24},
	{"af31", 26}, {"af32", 28}, {"af33", 30}, {"cs4", 32},	{"af41", 34}, {"af42", 36},
	{"af43", 38}, {"cs5", 40},  {"va", 44},	  {"ef", 46},	{"cs6", 48},  {"cs7", 56},
};

static const struct named ethertypes[] = {
	{"ip", 0x0800},	  {"ipv4", 0x0800},   {"ip4", 0x0800},	 {"arp", 0x0806},
	{"rarp", 0x8035}, {"vlan", 0x8100},   {"svlan", 0x88a8}, {"qinq", 0x88a8},
	{"ip6", 0x86dd},  {"ipv6", 0x86dd},   {"mpls", 0x8847},	 {"eapol", 0x888e},
	{"lldp", 0x88cc}, {"macsec", 0x88e5}, {"ptp", 0x88f7},	 {"roce", 0x8915},
};

static const struct named icmps[] = {
	{"echo-reply", 0}, {"unreachable", 3},	  {"redirect", 5},	     {"echo-request", 8},
	{"echo", 8},	   {"time-exceeded", 11}, {"parameter-problem", 12},
};

static const struct named icmp6s[] = {
	{"unreachable", 1},
	{"packet-too-big", 2},
	{"time-exceeded", 3},
	{"parameter-problem", 4},
	{"echo-request", 128},
	{"echo", 128},
	{"echo-reply", 129},
	{"router-solicitation", 133},
	{"router-advertisement", 134},
	{"neighbor-solicitation", 135},
	{"neighbor-advertisement", 136},
	{"redirect", 137},
};

static const struct named flags[] = {
	{"fin", 1 << 0}, {"syn", 1 << 1}, {"rst", 1 << 2}, {"psh", 1 << 3}, {"push", 1 << 3},
	{"ack", 1 << 4}, {"urg", 1 << 5}, {"ece", 1 << 6}, {"cwr", 1 << 7}, {"ns", 1 << 8},
};

static bool look_up(const struct named *table, size_t n, const char *name, uint64_t *number)
{
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(table[i].name, name)) {
			*number = table[i].number;
			return true;
		}
	return false;
}

/* Files of 100,000 rules have a million words, so these are found by their letters as a number. */
#define WORD_PLACES 512u
static struct word_slot {
	uint64_t letters;
	uint8_t n;
	uint8_t word; /* its index, from 1; 0: none */
} word_slots[WORD_PLACES];
_Static_assert(COUNT(words) < 255, "indexes of words have 8 bits");

static uint64_t word_letters(const char *name, size_t n)
{
	uint64_t letters = 0;

	for (size_t i = 0; i < n; i++)
		letters = word_letter(letters, name[i]);
	return letters;
}

/* Returns the word's slot, or the free one where it would be. */
static struct word_slot *word_look(const char *name, size_t n, uint64_t letters)
{
	unsigned int at = (unsigned int)(letters * 0x9e3779b97f4a7c15u >> 55);
	struct word_slot *s;

	for (; s = &word_slots[at], s->word; at = (at + 1) % WORD_PLACES)
		if (s->letters == letters && s->n == n &&
		    (n <= sizeof(letters) || !strncasecmp(words[s->word - 1].name, name, n)))
			break;
	return s;
}

void words_prepare(void)
{
	static bool prepared;

	for (unsigned int i = 0; i < COUNT(words) && !prepared; i++) {
		size_t n = strlen(words[i].name);
		uint64_t letters = word_letters(words[i].name, n);

		*word_look(words[i].name, n, letters) =
			(struct word_slot){letters, (uint8_t)n, (uint8_t)(i + 1)};
	}
	prepared = true;
}

const struct rule_word *word_find_letters(const char *name, size_t n, uint64_t letters)
{
	const struct word_slot *s = word_look(name, n, letters);

	return s->word ? &words[s->word - 1] : NULL;
}

const struct rule_word *word_find(const char *name, size_t n)
{
	words_prepare();
	return word_find_letters(name, n, word_letters(name, n));
}

bool word_is_direction(const char *text)
{
	const struct rule_word *w = word_find(text, strcspn(text, " \t\r\n\f"));

	return w && (w->token == T_IN || w->token == T_OUT || w->token == T_SWITCH);
}

const char *word_near(const char *name, bool (*may)(const void *arg, int token), const void *arg)
{
	const char *best = NULL;
	size_t len = strlen(name);
	unsigned int nearest = len > 4 ? 3 : 2; /* fewer changes than this */

	if (len < 2)
		return NULL;
	for (size_t i = 0; i < COUNT(words); i++) {
		unsigned int changes = name_distance(name, words[i].name);

		if (changes < nearest && may(arg, words[i].token)) {
			nearest = changes;
			best = words[i].name;
		}
	}
	return best;
}

bool proto_number(const char *name, uint64_t *number)
{
	struct protoent found, *p = NULL;
	char room[1024];

	if (look_up(protos, COUNT(protos), name, number))
		return true;
	/* In /etc/protocols "ip" is 0, IPv6's hop-by-hop options, which nobody means. */
	if (!strcasecmp(name, "ip"))
		return false;
	if (!getprotobyname_r(name, &found, room, sizeof(room), &p) && p)
		*number = (uint64_t)p->p_proto;
	return p != NULL;
}

bool service_number(const char *name, uint64_t *number)
{
	struct servent found, *s = NULL;
	char room[1024];

	if (look_up(services, COUNT(services), name, number))
		return true;
	if (!getservbyname_r(name, NULL, &found, room, sizeof(room), &s) && s)
		*number = ntohs((uint16_t)s->s_port);
	return s != NULL;
}

bool dscp_number(const char *name, uint64_t *number)
{
	return look_up(dscps, COUNT(dscps), name, number);
}

bool ethertype_number(const char *name, uint64_t *number)
{
	return look_up(ethertypes, COUNT(ethertypes), name, number);
}

bool icmp_number(const char *name, bool v6, uint64_t *number)
{
	return v6 ? look_up(icmp6s, COUNT(icmp6s), name, number)
		  : look_up(icmps, COUNT(icmps), name, number);
}

bool flag_number(const char *name, uint64_t *number)
{
	return look_up(flags, COUNT(flags), name, number);
}
