/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that every walk through entries ends, whatever their bytes: lost packets, bounded work,
 * garbage; and that it depends on no format of entries. */
#include "tests/test.h"
#include <dvx/prm/object.h>
#include "chip/datapath.h"
#include "port/port.h"
#include "walk_rig.h"

/*
 * Asserts that the packet is lost with this sentence. The log is new each time, as it soon has only
 * some of the losses.
 */
static void assert_lost(const char *text)
{
	steer_free(r.f->dev.steer);
	r.f->dev.steer = steer_new(&r.f->dev);
	assert_int_equal(walk(at(0)), 0);
	assert_true(test_logged(r.f->log, text));
}

/* Circles of hits and of misses, holes, and features that are not implemented: a sentence each. */
TEST(walk, lost)
{
	const struct {
		uint16_t lookup;
		uint64_t hit, miss;
		/* a tag bit that no packet has; action: the entry's end */
		uint8_t never, action[5];
		const char *text;
	} rows[] = {
		{0x0f, at(1), END_MISS, 0, {0}, "more than any packet may"},
		{0x0f, END_HIT, at(0), 0xdc, {0}, "lead in a circle"},
		{0x0f, at(ENTRIES), END_MISS, 0, {0}, "no steering memory is allocated"},
		{0x402, END_HIT, END_MISS, 0, {0}, "definer 2"},
		{0x0f, END_HIT, 0, 0xdc, {0}, "leads to 0x0"},
		{0x0f, END_HIT, END_MISS, 0, {PRM_STE_ACTION_TRAILER}, "action 0x13"},
		{0x0f, END_HIT, END_MISS, 0, {[4] = PRM_STE_ACTION_SET}, "in its last 4"},
		{0x0f,
		 END_HIT,
		 END_MISS,
		 0,
		 {PRM_STE_ACTION_MODIFY_LIST, 200, 0xff},
		 "list of 200 rewrites"},
	};

	packet(udp4, sizeof(udp4));
	entry(1, 0x0f, at(0), END_MISS);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t *s = entry(0, rows[i].lookup, rows[i].hit, rows[i].miss);

		tag_of(s)[0] = rows[i].never;
		memcpy(s + 24, rows[i].action, sizeof(rows[i].action));
		assert_lost(rows[i].text);
	}
	set_hit(entry(0, 0x0f, 0, END_MISS), 0, 0);
	assert_lost("a table of 0 entries");
	/* what an entry does not compare does not matter */
	entry(0, 0x117, END_HIT, END_MISS);
	assert_int_equal(walk(at(0)), END_HIT);
	tag_of(ste(0))[0] = 0xdc;
	assert_int_equal(walk(at(0)), END_MISS);
	mask_of(ste(0))[0] = 1;
	assert_lost("lookup type 0x0117");
	r.lists[0] = PRM_STE_ACTION_MODIFY_LIST;
	(void)rewritten(1);
	assert_lost("names another");
	put_set(r.lists, PRM_STE_ACTION_SET, 0x33, 0, 32, 0);
	(void)rewritten(1);
	assert_lost("dword 0x33");
	put_set(r.lists, PRM_STE_ACTION_SET, 0x90, 8, 32, 0);
	(void)rewritten(1);
	assert_lost("not within a dword");
	assert_int_equal(walk(at(0) | 1ull << 50), 0);
}

/* Returns IPv6 with as many extension headers as fit. */
static uint8_t *long_chain(void)
{
	uint8_t *bytes = calloc(1, STEER_HEADROOM + VHCA_FRAME_MAX), *p = bytes + STEER_HEADROOM;

	prm_store16(p, 12, 0x86dd);
	p[14] = 0x60;
	prm_store16(p, 18, VHCA_FRAME_MAX - 54);
	for (uint32_t at = 54; at + 8 <= VHCA_FRAME_MAX; at += 8)
		p[at] = 60; /* destination options, 8 bytes */
	p[20] = 60;
	r.p = (struct packet){.data = p, .len = VHCA_FRAME_MAX, .headroom = STEER_HEADROOM};
	packet_parse_headers(&r.p);
	assert_true(r.p.outer.end > VHCA_FRAME_MAX - 16);
	return bytes;
}

/* Actions cost steps as entries do, so a circle with many actions ends as early as any other. */
TEST(walk, bounded_work)
{
	uint8_t *s, *bytes;

	packet(udp4, sizeof(udp4));
	for (unsigned int i = 0; i < 200; i++)
		put_set(r.lists + 8ul * i, PRM_STE_ACTION_ADD, 0x90, 0, 32, 1);
	s = entry(0, 0x0f, at(0), END_MISS);
	s[24] = PRM_STE_ACTION_MODIFY_LIST;
	s[25] = 200;
	assert_lost("more work than any packet");
	assert_in_range(r.p.reg_c[0], 255, STEER_STEPS);
	/* each parses the headers again */
	bytes = long_chain();
	put_set(r.lists, PRM_STE_ACTION_SET, 0x0e, 8, 8, 63);
	put_set(r.lists + 8, PRM_STE_ACTION_ADD, 0x90, 0, 32, 1);
	prm_ste_match_bwc_v1_set_reparse(s, 1);
	s[25] = 2;
	assert_lost("more work than any packet");
	assert_in_range(r.p.reg_c[0], 255, STEER_STEPS / 100);
	free(bytes);
	/* so does an entry that removes a dword and inserts it again */
	bytes = long_chain();
	s = entry(0, 0x40f, at(0), END_MISS);
	prm_ste_match_bwc_v1_set_reparse(s, 1);
	s[20] = PRM_STE_ACTION_REMOVE_BY_SIZE;
	prm_ste_single_action_remove_header_size_v1_set_start_anchor(s + 20,
								     PRM_STE_ANCHOR_IPV6_IPV4);
	prm_ste_single_action_remove_header_size_v1_set_start_offset(s + 20, 20);
	prm_ste_single_action_remove_header_size_v1_set_remove_size(s + 20, 2);
	s[24] = PRM_STE_ACTION_INSERT_INLINE;
	prm_ste_double_action_insert_with_inline_v1_set_start_anchor(s + 24,
								     PRM_STE_ANCHOR_IPV6_IPV4);
	prm_ste_double_action_insert_with_inline_v1_set_start_offset(s + 24, 20);
	memcpy(s + 28, r.p.data + 54, 4);
	assert_lost("more work than any packet");
	assert_in_range(STEER_HOPS - r.w.hops, 255, STEER_STEPS / 400);
	free(bytes);
}

/* Packets in a circle don't use up a turn of the loop: other work continues in the next turns. */
TEST(walk, short_turns)
{
	const uint64_t *lost = &steer_stats(r.f->v)->ends[STEER_LOST];
	unsigned int turns = 0;

	entry(0, 0x0f, at(0), END_MISS);
	rig_root(r.f, PRM_FLOW_TABLE_TYPE_NIC_RX, rig_table(r.f, (struct rig_table){.icm = at(0)}));
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(port_inject(r.f->dev.port, udp4, sizeof(udp4)), 0);
	while (*lost < 8) {
		uint64_t before = *lost;

		assert_true(datapath_run(&r.f->dev));
		assert_int_equal(*lost, before + 1);
		turns++;
	}
	assert_int_equal(turns, 8);
	/* other packets are handled together */
	entry(0, 0x0f, END_MISS, END_MISS);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(port_inject(r.f->dev.port, udp4, sizeof(udp4)), 0);
	datapath_run(&r.f->dev);
	assert_int_equal(steer_stats(r.f->v)->ends[STEER_DROP], 100);
}

/*
 * Headers moved without the entry's reparse bit: their old places, which may be behind the packet's
 * end, are neither read nor written. (The test checks the bytes behind it, AddressSanitizer the
 * reads.)
 */
TEST(walk, moved_headers)
{
	uint8_t *bytes = malloc(STEER_HEADROOM + sizeof(udp4)), behind[200], *s;

	packet(udp4, sizeof(udp4));
	memcpy(behind, r.p.data + r.p.len, sizeof(behind));
	/* in one entry: 30 bytes are removed, then UDP's destination port is written */
	s = entry(0, 0x40f, END_HIT, END_MISS);
	s[20] = PRM_STE_ACTION_REMOVE_BY_SIZE;
	prm_ste_single_action_remove_header_size_v1_set_remove_size(s + 20, 15);
	put_set(s + 24, PRM_STE_ACTION_SET, 0x18, 0, 16, 0xbeef);
	(void)walk(at(0));
	assert_memory_equal(r.p.data + r.p.len, behind, sizeof(behind));
	packet(udp4, sizeof(udp4));
	assert_lost("reparse");
	prm_ste_match_bwc_v1_set_reparse(s, 1);
	packet(udp4, sizeof(udp4));
	assert_int_equal(walk(at(0)), END_HIT);
	assert_int_equal(r.p.len, sizeof(udp4) - 30);
	assert_memory_equal(r.p.data, udp4 + 30, sizeof(udp4) - 30);
	assert_memory_equal(r.p.data + r.p.len, behind, sizeof(behind));
	/* the next entry reads them */
	memset(s + 24, 0, 8);
	prm_ste_match_bwc_v1_set_reparse(s, 0);
	set_hit(s, at(1), 1);
	entry(1, 0x07, END_HIT, END_MISS);
	memcpy(bytes + STEER_HEADROOM, udp4, sizeof(udp4));
	r.p = (struct packet){
		.data = bytes + STEER_HEADROOM, .len = sizeof(udp4), .headroom = STEER_HEADROOM};
	packet_parse_headers(&r.p);
	assert_lost("reparse");
	free(bytes);
}

/*
 * Random entries that mostly lead to each other, and random packets: every walk ends, and other
 * memory is not touched (AddressSanitizer checks the packet's surroundings).
 */
TEST(walk, fuzz)
{
	static const uint16_t lookups[] = {0x03,  0x05, 0x0b,  0x02,  0x04,  0x07,  0x08,  0x0d,
					   0x09,  0x0a, 0x104, 0x107, 0x109, 0x10e, 0x10f, 0x113,
					   0x40f, 0x0e, 0x103, 0x10b, 0x10c, 0x10d, 0x111};
	enum { LOOKUPS = sizeof(lookups) / sizeof(lookups[0]) };
	static const uint8_t actions[] = {0, 5, 6, 7, 8, 9, 0xa, 0xc, 0xf, 0x12};
	uint64_t ends[16] = {0};

	srand(4);
	for (unsigned int round = 0; round < 20000; round++) {
		uint32_t len = 14 + (uint32_t)rand() % 200;
		uint8_t *bytes = malloc(STEER_HEADROOM + len);
		bool good = rand() & 1; /* headers that the parser knows */

		for (unsigned int i = 0; i < 16; i++) {
			uint8_t *s =
				entry((unsigned int)rand() % 64, lookups[rand() % LOOKUPS],
				      at((unsigned int)rand() % 64), at((unsigned int)rand() % 64));

			s[24] = actions[rand() % 10];
			s[25] = rand() & 1 ? 0 : (uint8_t)(rand() & 0x1f); /* mostly the start */
			s[27] = (uint8_t)(rand() & 0x3f);
			prm_ste_match_bwc_v1_set_reparse(s, rand() & 1);
			for (unsigned int j = 0; j < 6; j++)
				s[rand() % 64] = (uint8_t)rand();
			if (rand() & 1)
				set_hit(s, END_HIT, 1);
			r.lists[rand() % 4096] = actions[rand() % 10];
		}
		for (uint32_t i = 0; i < len; i++)
			bytes[STEER_HEADROOM + i] =
				(uint8_t)(good && i < sizeof(udp4) ? udp4[i] : rand());
		r.p = (struct packet){
			.data = bytes + STEER_HEADROOM, .len = len, .headroom = STEER_HEADROOM};
		packet_parse_headers(&r.p);
		ends[icm_kind(walk(at((unsigned int)rand() % 64)))]++;
		assert_true(r.p.data >= bytes &&
			    r.p.data + r.p.len == bytes + STEER_HEADROOM + len);
		free(bytes);
	}
	assert_true(ends[ICM_TIR] > 100 && ends[0] > 100);
}

/* --- a version of the test's own ----------------------------------------------------------------
 */

/* An entry of a version that only this test has, with other sizes, in host order. */
struct own_ste {
	uint8_t compares, lookup, next_lookup, log_entries;
	uint16_t port;
	uint16_t pad;
	uint64_t next, miss, tag_register;
};

enum { OWN_PORTS = 3, OWN_REGISTER = 77 };

static const struct own_ste *own(const uint8_t *ste)
{
	return (const struct own_ste *)(const void *)ste;
}

static uint16_t own_lookup(const uint8_t *ste)
{
	return own(ste)->lookup;
}

static enum ste_decision own_decision(const struct steer_walk *w, uint64_t addr, const uint8_t *ste)
{
	(void)w;
	(void)addr;
	return own(ste)->compares ? STE_COMPARES : STE_ALWAYS_HITS;
}

static bool own_fill(struct steer_walk *w, uint16_t lookup, uint8_t *tag)
{
	memcpy(tag, &w->packet->outer.dport, 2);
	return lookup == OWN_PORTS;
}

static bool own_agrees(const uint8_t *ste, const uint8_t *tag, bool wide)
{
	(void)wide;
	return !memcmp(tag, &own(ste)->port, 2);
}

static uint64_t own_miss(const uint8_t *ste)
{
	return own(ste)->miss;
}

static struct ste_next own_next(const uint8_t *ste)
{
	return (struct ste_next){.addr = own(ste)->next,
				 .entries = 1ull << own(ste)->log_entries,
				 .hashed = true,
				 .lookup = own(ste)->next_lookup,
				 .byte_mask = 0xc000};
}

static uint32_t own_counter(const uint8_t *ste)
{
	(void)ste;
	return 0;
}

static bool own_reparse(const uint8_t *ste)
{
	(void)ste;
	return false;
}

static bool own_act(struct steer_walk *w, const uint8_t *ste, unsigned int *changed)
{
	rewrite_add(w->packet, (struct rewrite_bits){REWRITE_REG_A, 0, 32},
		    (uint32_t)own(ste)->tag_register, changed);
	return true;
}

static uint64_t own_walk(struct steer_walk *w, uint64_t addr);

static const struct ste_version own_version = {
	.format = 15,
	.entry_bytes = sizeof(struct own_ste),
	.lookup = own_lookup,
	.decision = own_decision,
	.fill = own_fill,
	.agrees = own_agrees,
	.miss = own_miss,
	.next = own_next,
	.counter = own_counter,
	.reparse = own_reparse,
	.act = own_act,
	.walk = own_walk,
};

static uint64_t own_walk(struct steer_walk *w, uint64_t addr)
{
	return ste_walk_entries(&own_version, w, addr);
}

static uint64_t own_at(uint32_t index)
{
	return icm_addr(ICM_STE, 0) + sizeof(struct own_ste) * (uint64_t)index;
}

static uint64_t walk_own(void)
{
	r.w = (struct steer_walk){.version = &own_version,
				  .function = r.f->v,
				  .vhca = r.f->v,
				  .packet = &r.p,
				  .hops = STEER_HOPS,
				  .steps = STEER_STEPS};
	return ste_walk(&r.w, own_at(0));
}

/*
 * The walk depends on no version: it follows a hash and a chain of entries in the test's own
 * layout.
 */
TEST(walk, other_version)
{
	struct own_ste *s = (struct own_ste *)(void *)r.stes;
	uint8_t tag[STE_TAG_BYTES] = {53};
	uint32_t slot = ste_hash(tag, 0xc000, 8);

	assert_ptr_equal(ste_version_find(1), &ste_v1);
	assert_null(ste_version_find(15));
	packet(udp4, sizeof(udp4));
	s[0] = (struct own_ste){
		.next = own_at(64), .log_entries = 3, .next_lookup = OWN_PORTS, .tag_register = 1};
	s[64 + slot] = (struct own_ste){.compares = 1,
					.lookup = OWN_PORTS,
					.port = 54,
					.next = END_MISS,
					.miss = own_at(9)};
	s[9] = (struct own_ste){.compares = 1,
				.lookup = OWN_PORTS,
				.port = 53,
				.next = END_HIT,
				.miss = END_MISS,
				.tag_register = 2};
	assert_int_equal(walk_own(), END_HIT);
	assert_int_equal(r.p.reg_a, 3);
	assert_int_equal(r.w.hops, STEER_HOPS - 2);
	assert_int_equal(r.w.steps, STEER_STEPS - 3);
	s[9].port = 55;
	assert_int_equal(walk_own(), END_MISS);
	s[9].lookup = OWN_REGISTER;
	assert_int_equal(walk_own(), 0);
	assert_true(test_logged(r.f->log, "lookup type 0x004d"));
	s[9] = (struct own_ste){.next = own_at(0)};
	assert_int_equal(walk_own(), 0);
	assert_true(test_logged(r.f->log, "more than any packet may"));
}
