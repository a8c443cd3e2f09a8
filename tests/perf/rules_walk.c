/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work that rules.sh counts of the device: packets of N IPv4 connections that meet a rule of
 * hardware steering, or a steering entry as software writes it in a hashed table.
 * rules_walk rule|entry N PACKETS
 */
#include <stdio.h>
#include "tests/test.h"
#include <dvx/prm/hws.h>
#include "tests/steer/walk_rig.h"
#include "obj/flow.h"
#include "obj/rtc.h"
#include "steer/rules/rules.h"
#include "steer/rules/select.h"
#include "steer/ste/definer.h"

#define LOG_STES  23u
#define BYTES	  0xffffu /* of a tag, all hashed */
#define ADDRESS	  0x0a000000u
#define PORTS(i)  (1000u << 16 | (1 + (i) % 60000))
#define SOURCE_AT 26u
#define PORTS_AT  34u
#define SELECTED  4u

static uint32_t size; /* of the table: a power of two */
static struct rtc *t;

/* Makes the packet of connection i. */
static void connection(uint32_t i)
{
	uint8_t bytes[sizeof(udp4)];

	memcpy(bytes, udp4, sizeof(udp4));
	prm_store32(bytes, SOURCE_AT, ADDRESS + i);
	prm_store32(bytes, PORTS_AT, PORTS(i));
	packet(bytes, sizeof(bytes));
}

/* Writes the entry of connection i; false if its place has one. */
static bool entry_write(uint32_t i)
{
	uint8_t tag[STE_TAG_BYTES] = {0}, *s;
	uint32_t slot;

	prm_ste_eth_l3_ipv4_5_tuple_v1_set_destination_address(tag, 0x0a000002);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_source_address(tag, ADDRESS + i);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_source_port(tag, PORTS(i) >> 16);
	prm_ste_eth_l3_ipv4_5_tuple_v1_set_destination_port(tag, PORTS(i) & 0xffff);
	slot = ste_hash(tag, BYTES & 0xfff0, size);
	if (tag_of(ste(size + slot))[0])
		return false;
	s = entry(size + slot, 7, END_HIT, END_MISS);
	memset(mask_of(s), 0xff, 12);
	memcpy(tag_of(s), tag, sizeof(tag));
	return true;
}

static void entries_open(void)
{
	uint8_t *s;

	take(at(0), LOG_STES);
	r.stes = (uint8_t *)(uintptr_t)icm_bytes(r.f->v, at(0), 64);
	s = entry(0, 0x0f, 0, END_MISS);
	set_hit(s, at(size), size);
	prm_ste_match_bwc_v1_set_byte_mask(s, BYTES & 0xfff0);
	prm_ste_match_bwc_v1_set_hash_definer_ctx_idx(s, 7);
}

/* Makes a table of rules for ports, addresses and the kinds of headers. */
static void rules_open(void)
{
	static const uint8_t dwords[SELECT_DWORDS] = {2, 0x18, 0x40, 0x41};
	static const uint32_t masks[SELECTED] = {0x003c0000, UINT32_MAX, UINT32_MAX, UINT32_MAX};
	struct stc_range *stcs =
		obj_new(r.f->v, OBJ_STC, FX_UID, sizeof(*stcs) + sizeof(stcs->stc[0]));
	struct ste_range *entries = obj_new(r.f->v, OBJ_STE, FX_UID, sizeof(*entries));
	struct match_definer *d = obj_new(r.f->v, OBJ_MATCH_DEFINER, FX_UID, sizeof(*d));
	uint8_t mask[SELECT_BYTES] = {0}, octets[SELECT_OCTETS] = {0};

	for (unsigned int i = 0; i < SELECTED; i++)
		prm_store32(mask, 4 * (SELECT_DWORDS - 1 - i), masks[i]);
	assert_null(select_make(&d->select, dwords, octets, mask));
	stcs->n = 1;
	stcs->stc[0] = calloc(1, sizeof(struct stc));
	stcs->stc[0]->refs = 1;
	prm_stc_set_action_type(stcs->stc[0]->prm, PRM_STC_ACTION_DROP);
	t = obj_new(r.f->v, OBJ_RTC, FX_UID, sizeof(*t));
	t->definer = d;
	t->stcs = stcs;
	t->entries = entries;
	t->miss = obj_new(r.f->v, OBJ_FLOW_TABLE, FX_UID, sizeof(*t->miss));
	t->log_depth = 1;
	while (2u << t->log_rows < size)
		t->log_rows++;
	entries->n = rtc_entries(t);
	entries->rules = calloc(entries->n, sizeof(entries->rules[0]));
}

/* Writes the rule of the packet; false if its row is full. */
static bool rule_write(void)
{
	struct rtc_rule rule = {.stc = {[RULE_HIT] = t->stcs->stc[0]}};
	uint8_t tag[SELECT_BYTES];

	r.w = (struct steer_walk){.function = r.f->v, .vhca = r.f->v, .packet = &r.p};
	select_fill(t->definer->select, &r.w, tag);
	memcpy(rule.entry + RULE_TAG_AT, tag + SELECT_BYTES - RULE_TAG_BYTES, RULE_TAG_BYTES);
	return rtc_write(t, 0, &rule);
}

static __attribute__((noipa)) bool connection_met(bool rules)
{
	r.w = (struct steer_walk){.version = r.version,
				  .function = r.f->v,
				  .vhca = r.f->v,
				  .packet = &r.p,
				  .hops = STEER_HOPS,
				  .steps = STEER_STEPS};
	return rules ? rules_walk(&r.w, t) == icm_addr(ICM_END, ICM_DROP)
		     : ste_walk(&r.w, at(0)) == END_HIT;
}

int main(int argc, char **argv)
{
	const bool rules = argc == 4 && !strcmp(argv[1], "rule");
	const uint32_t n = argc == 4 ? (uint32_t)atoi(argv[2]) : 0;
	uint32_t packets = 0, wrong = 0, next = 0;
	bool *has = calloc(n + 1, 1);
	void *fx;

	if (!n || !has || fx_setup(&fx))
		return 2;
	packets = (uint32_t)atoi(argv[3]);
	r.f = fx;
	r.version = &ste_v1;
	for (size = 4; size < 2 * n;)
		size *= 2;
	if (rules)
		rules_open();
	else
		entries_open();
	for (uint32_t i = 0; i < n; i++) {
		connection(i);
		has[i] = rules ? rule_write() : entry_write(i);
	}
	for (uint32_t met = 0; met < packets; next = (next + 7919) % n) {
		if (!has[next])
			continue;
		connection(next);
		wrong += !connection_met(rules);
		met++;
	}
	printf("%u of %u packets met no rule\n", wrong, packets);
	return wrong != 0;
}
