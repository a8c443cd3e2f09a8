/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that rules of the e-switch switch as they are written. Random rule files are put into an
 * FDB domain of the unmodified libmlx5, whose function is the e-switch's manager; random packets
 * come from this function and, by the program dr_fdb_peer, from beyond the wire. The slow matcher
 * and the slow models must agree about every byte that arrives here and beyond the wire, about
 * tunnels that begin and end, and about every counter. Usage:
 * switch_diff [SETS [PACKETS [SEED [hws]]]]
 * Environment: TO_PEER, FROM_PEER, MANAGER (the vport's name), MANAGER_VPORT.
 */
#include <inttypes.h>
#include <string.h>
#include "tests/steer/flow_slow.h"
#include "tests/steer/flow_slow_change.h"
#include "diff_rig.h"

#define SOME	 48u /* packets of a batch: dr_fdb_peer has 64 receives */
#define UPLINK	 0xffffu
#define OTHER	 1u /* vf0: nobody receives there */
#define HEX_MAX	 (2 * PACKET_ROOM + 512)
#define ROOM	 PACKET_ROOM
#define OUTER_L3 14u
#define MASKS	 200u /* of a file, by hardware steering */

struct end_of_way {
	const struct rule *rule;
	enum { NOWHERE, HERE, BEYOND } at;
	bool lost;
	uint8_t bytes[ROOM];
	uint32_t len;
};

static struct {
	struct rig rig;
	FILE *to, *from; /* the peer */
	const char *own;
	uint32_t vport;
} t;
static uint64_t pairs, met, changed, begun, ended, beyond, differences;

/* --- the peer ----------------------------------------------------------------------------------- */

static void peer_line(char line[HEX_MAX])
{
	OK(fgets(line, HEX_MAX, t.from) ? 0 : -1);
	line[strcspn(line, "\n")] = '\0';
}

static void peer_open(void)
{
	char line[HEX_MAX];

	t.to = fopen(getenv("TO_PEER"), "w");
	t.from = fopen(getenv("FROM_PEER"), "r");
	OK(t.to && t.from ? 0 : -1);
	do
		peer_line(line);
	while (strcmp(line, "ready") != 0);
}

static void peer_close(void)
{
	fclose(t.to);
	while (fgetc(t.from) != EOF) /* its results */
		;
	fclose(t.from);
}

static void peer_put(const uint8_t *p, uint32_t len)
{
	char line[HEX_MAX];

	fputs("put ", t.to);
	for (uint32_t i = 0; i < len; i++)
		fprintf(t.to, "%02x", p[i]);
	fputc('\n', t.to);
	fflush(t.to);
	peer_line(line);
}

static uint32_t peer_take(uint8_t bytes[HEX_MAX])
{
	char line[HEX_MAX];
	unsigned int byte;
	uint32_t n = 0;

	fputs("take\n", t.to);
	fflush(t.to);
	peer_line(line);
	while (sscanf(line + 2 * n, "%2x", &byte) == 1)
		bytes[n++] = (uint8_t)byte;
	return n;
}

/* --- random files -------------------------------------------------------------------------------- */

static void add_encap(struct dice *d, char line[LINE_BYTES])
{
	size_t at = strlen(line);
	const bool six = dice_roll(d, 2);
	static const char *const tunnels[] = {
		"vxlan vni",  "geneve vni", "vxlan-gpe vni", "nvgre vni",
		"gretap key", "gretap ttl", "gre key",	     "mplsoudp label",
	};

	snprintf(line + at, LINE_BYTES - at,
		 " encap %s %u src %s dst %s eth src 02:00:00:00:02:%02x eth dst "
		 "02:00:00:00:03:%02x",
		 tunnels[dice_roll(d, 8)], 1 + dice_roll(d, dice_roll(d, 2) ? 255 : 1 << 20),
		 six ? "2001:db8::1" : "192.0.2.1", six ? "2001:db8::2" : "192.0.2.2",
		 dice_roll(d, 256), dice_roll(d, 256));
}

/*
 * Returns whether a rule's changes can be made for packets of this source: format 0 removes headers
 * of packets from the wire only, and adds them to others only. libmlx5 refuses a pop before a push
 * for those from the wire.
 */
static bool fits_source(const char *line, const char *source)
{
	const bool from_wire = !strcmp(source, "uplink"), maybe = !*source || from_wire;
	const bool pop = strstr(line, " pop vlan"), push = strstr(line, " push vlan");
	const bool encap = strstr(line, " encap");

	if (strstr(line, " decap"))
		return from_wire && !encap;
	if (maybe && ((pop && push) || (file_one_side && (push || encap))))
		return false;
	return !file_one_side || !pop || from_wire;
}

/* Writes a match with its verdict, for the end of a tunnel or not; a third match many packets. */
static void switch_match(struct dice *d, bool ends, char line[LINE_BYTES])
{
	static const char *const wide[] = {"any", "ipv4", "ipv6", "tcp", "udp"};
#define NEW_HEADER "eth src 02:00:00:00:04:01 dst 02:00:00:00:05:01"
	static const char *const tunnels[] = {
		"vxlan decap",
		"geneve decap",
		"vxlan-gpe decap",
		"nvgre decap",
		"gretap decap",
		"gre inner ipv4 decap " NEW_HEADER,
		"gre inner ipv6 decap " NEW_HEADER,
		"gtpu inner ipv4 decap " NEW_HEADER,
		"mplsoudp inner ipv4 decap " NEW_HEADER,
	};
	char *to;

	if (ends) {
		sprintf(line, "send in %s", tunnels[dice_roll(d, 9)]);
	} else if (!dice_roll(d, 3)) {
		sprintf(line, "%s in %s", dice_roll(d, 6) ? "send" : "pass", wide[dice_roll(d, 5)]);
	} else {
		file_line(d, "in", 0, line);
		to = strstr(line, " to queue");
		*(to ? to : strstr(line, " count")) = '\0';
	}
}

/* Writes a rule for packets of a source, to one of the vports, with changes. */
static void switch_line(struct dice *d, bool ends, char line[LINE_BYTES])
{
	const char *sources[] = {"", "", "uplink", "uplink", t.own, t.own, "vf0"};
	const char *vports[] = {"uplink", "uplink", t.own, t.own, "vf0"};
	char any[LINE_BYTES];
	const char *source;

	do {
		source = sources[dice_roll(d, 7)];
		switch_match(d, ends, any);
		if (any[0] == 's')
			sprintf(any + strlen(any), " to %s", vports[dice_roll(d, 5)]);
		if (dice_roll(d, 2))
			strcat(any, " count");
		random_changes(d, any, sizeof(any), true);
		if (any[0] != 'd' && !dice_roll(d, 3))
			add_encap(d, any);
		snprintf(line, LINE_BYTES, "%.*s switch%s%s%s", (int)strcspn(any, " "), any,
			 *source ? " from " : "", source, strstr(any, " in") + 3);
	} while (!fits_source(line, source) || !file_line_good(line) ||
		 (t.rig.base.steering == STEERING_HWS && !rig_has_matchers(&t.rig, line)));
}

static bool fits_hardware(const char *text)
{
	struct installed in;
	bool fits;

	OK(file_compile(&in, text) ? 0 : -1);
	fits = file_count_masks(&in) <= MASKS;
	program_free(&in.program);
	ruleset_free(&in.set);
	return fits;
}

static void switch_file(struct dice *d, char text[TEXT_MAX])
{
	size_t at = (size_t)sprintf(text,
				    "send in eth dst 02:ff:00:00:00:00 to queue 0 tag 16777214\n"
				    "send switch eth dst 02:ff:00:00:00:00 to %s\n"
				    "send switch eth dst 02:ff:00:00:00:01 to uplink\n"
				    "send in any to queue 0 tag 3\n",
				    t.own);
	char line[LINE_BYTES];
	const uint32_t rules = 1 + dice_roll(d, RULES_MAX - 1);

	for (uint32_t i = 0; i < rules; i++) {
		switch_line(d, !dice_roll(d, i ? 6 : 2), line);
		sprintf(text + at, "%s\n", line);
		if (t.rig.base.steering == STEERING_HWS && !fits_hardware(text))
			break;
		at += strlen(text + at);
	}
	text[at] = '\0';
}

/* --- the model ------------------------------------------------------------------------------------ */

static uint32_t load16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static void store16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

/*
 * Puts a tunnel's header before the packet, with lengths and checksum. The source port and the
 * identification are the device's: fill_in() takes them from what arrived.
 */
static void begin_tunnel(const struct rule_encap *e, struct end_of_way *w)
{
	uint8_t *ip = w->bytes + OUTER_L3;
	const uint32_t l3 = e->family == 4 ? 20 : 40;

	const uint32_t skip = e->l3 ? slow_ip(w->bytes, w->len) : 0;

	memmove(w->bytes + e->bytes, w->bytes + skip, w->len - skip);
	memcpy(w->bytes, e->header, e->bytes);
	w->len += e->bytes - skip;
	store16(ip + (e->family == 4 ? 2 : 4), w->len - OUTER_L3 - (e->family == 4 ? 0 : l3));
	if (e->port)
		store16(ip + l3 + 4, w->len - OUTER_L3 - l3);
}

static void fill_in(const struct rule_encap *e, uint8_t *want, const uint8_t *got)
{
	uint8_t *ip = want + OUTER_L3;
	uint32_t sum = 0;

	if (e->port)
		memcpy(ip + (e->family == 4 ? 20 : 40), got + OUTER_L3 + (e->family == 4 ? 20 : 40),
		       2);
	if (e->family == 6)
		return;
	memcpy(ip + 4, got + OUTER_L3 + 4, 2);
	for (int i = 0; i < 20; i += 2)
		sum += load16(ip + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	store16(ip + 10, ~sum);
}

static const struct rule_encap *encap_of(const struct rule *r)
{
	for (size_t i = 0; r && i < r->nchanges; i++)
		if (r->change[i].kind == CHANGE_ENCAP)
			return r->encap;
	return NULL;
}

static bool decaps(const struct rule *r)
{
	for (size_t i = 0; i < r->nchanges; i++)
		if (r->change[i].kind == CHANGE_DECAP)
			return true;
	return false;
}

/* Makes the rule's changes. */
static void apply(const struct rule *r, struct end_of_way *w)
{
	w->lost = !slow_change(r, w->bytes, &w->len);
	changed += r->nchanges != 0;
	ended += !w->lost && decaps(r);
	if (w->lost || !encap_of(r))
		return;
	begin_tunnel(r->encap, w);
	begun++;
}

/* Finds where a packet ends: a port pads what comes from the wire, and what leaves the chip. */
static void expect(const struct installed *in, const struct made_packet *p, bool wire,
		   struct end_of_way *w)
{
	struct fields f = {.option = RANDOM_OPTION};

	memset(w, 0, sizeof(*w));
	memcpy(w->bytes, p->bytes, p->len);
	w->len = wire && p->len < SHORTEST ? SHORTEST : p->len;
	fields_of_frame(&f, w->bytes, w->len);
	f.value[F_SOURCE] = wire ? UPLINK : t.vport;
	w->rule = slow_match(&in->set, RULE_SWITCH, &f);
	w->at = HERE;
	if (!w->rule)
		return;
	met++;
	if (w->rule->verdict == RULE_DROP)
		w->at = NOWHERE;
	else if (w->rule->verdict == RULE_SEND)
		w->at = w->rule->vport == t.vport	    ? HERE
			: w->rule->vport == UPLINK && !wire ? BEYOND
							    : NOWHERE;
	if (w->rule->verdict != RULE_DROP)
		apply(w->rule, w);
	if (w->lost)
		w->at = NOWHERE;
	beyond += w->at == BEYOND;
}

static void show(const char *what, const uint8_t *bytes, uint32_t len)
{
	printf("# %s ", what);
	for (uint32_t i = 0; i < len; i++)
		printf("%02x", bytes[i]);
	putchar('\n');
}

/* Returns whether these bytes arrived. Behind a short packet may be padding. */
static bool arrived(struct end_of_way *w, const uint8_t *got, uint32_t len)
{
	const struct rule_encap *e = w ? encap_of(w->rule) : NULL;

	if (e)
		fill_in(e, w->bytes, got);
	if (w && len >= w->len && (len == w->len || len <= SHORTEST) &&
	    !memcmp(got, w->bytes, w->len))
		return true;
	show("arrived", got, len);
	if (w)
		show("wanted ", w->bytes, w->len);
	return false;
}

/* --- batches -------------------------------------------------------------------------------------- */

static struct end_of_way *next_at(struct end_of_way *w, uint32_t n, uint32_t *i, int at)
{
	while (*i < n && (int)w[*i].at != at)
		++*i;
	return *i < n ? &w[(*i)++] : NULL;
}

static bool here_agrees(struct end_of_way *w, uint32_t n)
{
	uint32_t tag = 0, len, i = 0;
	bool same = true;

	while (tag != LAST_TAG) {
		const uint8_t *got = packet_receive(&t.rig, 0, &tag, &len);
		struct end_of_way *want = next_at(w, n, &i, HERE);

		if (tag == LAST_TAG)
			same = same && !want;
		else
			same = same && arrived(want, got, len);
	}
	dvx_rq_ring(t.rig.queue[0].rq);
	return same;
}

static bool beyond_agrees(struct end_of_way *w, uint32_t n)
{
	static const uint8_t last[] = {0x02, 0xff, 0, 0, 0, 1};
	uint8_t got[HEX_MAX];
	uint32_t i = 0, len;
	bool same = true;

	while (len = peer_take(got), memcmp(got, last, sizeof(last)) != 0) {
		struct end_of_way *want = next_at(w, n, &i, BEYOND);

		same = same && arrived(want, got, len);
	}
	return same && !next_at(w, n, &i, BEYOND);
}

static void read_counters(uint64_t packets[RULES_ALL])
{
	struct dvx_flow_count count[RULES_ALL];

	OK(dvx_flow_counter_query(t.rig.counter, 0, RULES_ALL, count));
	for (uint32_t i = 0; i < RULES_ALL; i++)
		packets[i] = count[i].packets;
}

/* A rule may or may not count a packet that it loses. */
static bool counted(const struct installed *in, const uint64_t *before, const struct end_of_way *w,
		    uint32_t n)
{
	uint64_t least[RULES_ALL], lost[RULES_ALL] = {0}, after[RULES_ALL];
	bool same = true;

	memcpy(least, before, sizeof(least));
	for (uint32_t i = 0; i < n; i++)
		if (w[i].rule && w[i].rule->count)
			++(w[i].lost ? lost : least)[w[i].rule - in->set.rule];
	read_counters(after);
	for (uint32_t i = 0; i < RULES_ALL; i++) {
		if (after[i] >= least[i] && after[i] - least[i] <= lost[i])
			continue;
		printf("# rule %u counts %" PRIu64 " more\n", i, after[i] - least[i]);
		same = false;
	}
	return same;
}

static void send_from_wire(const struct made_packet *p, uint32_t n)
{
	static const uint8_t last[SHORTEST] = {0x02, 0xff, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 9};

	for (uint32_t i = 0; i < n; i++)
		peer_put(p[i].bytes, p[i].len);
	peer_put(last, sizeof(last));
}

static bool batch(const struct installed *in, const struct made_packet *p, uint32_t n, bool wire)
{
	static struct end_of_way w[SOME];
	uint64_t before[RULES_ALL];
	bool same;

	for (uint32_t i = 0; i < n; i++)
		expect(in, &p[i], wire, &w[i]);
	read_counters(before);
	if (wire)
		send_from_wire(p, n);
	else
		packets_send(&t.rig, p, n);
	same = here_agrees(w, n);
	if (!wire)
		same = beyond_agrees(w, n) && same;
	return counted(in, before, w, n) && same;
}

/* --- what differs --------------------------------------------------------------------------------- */

static void report(const struct installed *in, const char *text, const struct made_packet *p,
		   bool wire, uint64_t seed)
{
	struct end_of_way w;

	expect(in, p, wire, &w);
	printf("# seed %" PRIu64 ": differs for a packet from %s, rule \"%s\":\n", seed,
	       wire ? "the wire" : "here", w.rule ? w.rule->text : "");
	show("packet", p->bytes, p->len);
	printf("# under:\n# ");
	for (; *text; text++)
		printf(*text == '\n' && text[1] ? "\n# " : "%c", *text);
}

static void find_difference(const struct installed *in, const char *text,
			    const struct made_packet *p, uint32_t n, bool wire, uint64_t seed)
{
	differences++;
	for (uint32_t i = 0; i < n; i++)
		if (!batch(in, &p[i], 1, wire)) {
			report(in, text, &p[i], wire, seed);
			return;
		}
	printf("# seed %" PRIu64 ": a batch of %u differs, none of its packets alone\n", seed, n);
}

/* --- sets ------------------------------------------------------------------------------------------ */

/* Makes packets for addresses of one station: the chip beyond the wire keeps none for a group. */
static void make_packets(struct dice *d, struct made_packet *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		any_packet(d, &p[i]);
		if (dice_roll(d, 2))
			random_tunnel(d, &p[i]);
		p[i].bytes[0] = 0x02;
	}
}

static void one_set(uint64_t seed, uint32_t n)
{
	struct dice d = {seed * 0x9e3779b97f4a7c15ull + 1};
	struct made_packet p[SOME];
	struct installed in;
	char text[TEXT_MAX];

	switch_file(&d, text);
	OK(file_compile(&in, text) ? 0 : -1);
	file_install(&t.rig, &in, &d);
	for (bool wire = false; n && !differences; wire = !wire) {
		uint32_t some = n < SOME ? n : SOME;

		make_packets(&d, p, some);
		if (!batch(&in, p, some, wire))
			find_difference(&in, text, p, some, wire, seed);
		pairs += some;
		n -= some;
	}
	file_uninstall(&in);
}

int main(int argc, char **argv)
{
	uint64_t sets = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
	uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 1000;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	bool fine;

	printf("1..1\n");
	t.own = getenv("MANAGER");
	t.vport = (uint32_t)strtoul(getenv("MANAGER_VPORT"), NULL, 0);
	peer_open();
	t.rig.base.steering = argc > 4 && !strcmp(argv[4], "hws") ? STEERING_HWS : STEERING_SWS;
	rig_open(&t.rig);
	rig_open_switch(&t.rig, (const uint32_t[RIG_VPORTS]){t.vport, UPLINK, OTHER});
	for (uint64_t i = 0; i < sets && !differences; i++)
		one_set(seed + i, n);
	rig_close(&t.rig);
	peer_close();
	fine = !differences && (sets < 10 || (changed && begun && ended && beyond));
	printf("%s 1 - %" PRIu64 " pairs of rule file and packet (%" PRIu64 " met a rule, %" PRIu64
	       " were changed, %" PRIu64 " went into a tunnel, %" PRIu64
	       " came out of one, %" PRIu64 " beyond the wire), seeds %" PRIu64 " to %" PRIu64
	       ", %" PRIu64 " differences\n",
	       fine ? "ok" : "not ok", pairs, met, changed, begun, ended, beyond, seed,
	       seed + sets - 1, differences);
	return !fine;
}
