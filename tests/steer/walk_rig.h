/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_WALK_RIG_H
#define TESTS_WALK_RIG_H

/* Entries in steering memory, a packet, and its walk through them. */
#include "flow_rig.h"
#include "steer/ste/v1.h"

#define FIXTURE_walk(name) FIXTURE(name, void *no_state, setup, teardown)

#define ENTRIES		   4096u
#define END_HIT		   icm_addr(ICM_TIR, 7)
#define END_MISS	   icm_addr(ICM_END, ICM_DROP)

struct rig {
	struct fx *f;
	const struct ste_version *version;
	enum steer_domain domain;
	uint8_t *stes; /* ENTRIES of them, and as many bytes of rewrites */
	uint8_t *lists;
	uint8_t buffer[512];
	struct packet p;
	struct steer_walk w;
};
static struct rig r;

static inline uint64_t at(unsigned int index)
{
	return icm_addr(ICM_STE, 0) + 64ull * index;
}

static inline uint8_t *ste(unsigned int index)
{
	return r.stes + 64 * index;
}

static inline void take(uint64_t addr, unsigned int log_size)
{
	assert_int_equal(fx_sw_icm(r.f, FX_UID, addr, log_size), 0);
}

static inline int setup(void **state)
{
	if (fx_setup(state))
		return -1;
	memset(&r, 0, sizeof(r));
	r.f = *state;
	r.version = &ste_v1;
	take(icm_addr(ICM_STE, 0), 18);
	take(icm_addr(ICM_MODIFY, 0), 12);
	r.stes = (uint8_t *)(uintptr_t)icm_bytes(r.f->v, icm_addr(ICM_STE, 0), 1u << 18);
	r.lists = (uint8_t *)(uintptr_t)icm_bytes(r.f->v, icm_addr(ICM_MODIFY, 0), 1u << 12);
	return 0;
}

static inline int teardown(void **state)
{
	fw_uid_reap(r.f->v, FX_UID);
	return fx_teardown(state);
}

/* IPv4 UDP 10.0.0.1:1000 -> 10.0.0.2:53, TTL 64, with good checksums */
static const uint8_t udp4[] = {0x02, 0xd7, 0,	 0,  0,	   1,	 0x02, 0x11, 0x22, 0x33, 0x44, 0x55,
			       0x08, 0x00, 0x45, 0,  0,	   32,	 0,    1,    0,	   0,	 64,   17,
			       0x66, 0xca, 10,	 0,  0,	   1,	 10,   0,    0,	   2,	 0x03, 0xe8,
			       0,    53,   0,	 12, 0x0b, 0x1f, 'd',  'v',  'x',  '!'};

static inline void packet(const void *bytes, uint32_t len)
{
	r.p = (struct packet){.data = r.buffer + STEER_HEADROOM,
			      .len = len,
			      .headroom = STEER_HEADROOM,
			      .tailroom = (uint32_t)sizeof(r.buffer) - STEER_HEADROOM - len,
			      .source_vhca = STEER_FROM_WIRE};
	memcpy(r.p.data, bytes, len);
	packet_parse_headers(&r.p);
}

static inline uint64_t walk(uint64_t addr)
{
	r.w = (struct steer_walk){.version = r.version,
				  .function = r.f->v,
				  .vhca = r.f->v,
				  .packet = &r.p,
				  .domain = r.domain,
				  .tx = r.domain == STEER_NIC_TX,
				  .hops = STEER_HOPS,
				  .steps = STEER_STEPS};
	return ste_walk(&r.w, addr);
}

static inline void set_miss(uint8_t *s, uint64_t addr)
{
	prm_ste_match_bwc_v1_set_miss_address_39_32(s, (uint32_t)(addr >> 32));
	prm_ste_match_bwc_v1_set_miss_address_31_6(s, (uint32_t)addr >> 6);
}

static inline void set_hit(uint8_t *s, uint64_t addr, uint32_t n)
{
	uint64_t base = addr >> 5 | n;

	prm_ste_match_bwc_v1_set_next_table_base_39_32_size(s, (uint32_t)(base >> 27));
	prm_ste_match_bwc_v1_set_next_table_base_31_5_size(s, base & 0x7ffffff);
}

/* Writes an entry that sends any packet to `hit`; a test narrows it. */
static inline uint8_t *entry(unsigned int index, uint16_t lookup, uint64_t hit, uint64_t miss)
{
	uint8_t *s = ste(index);

	memset(s, 0, 64);
	prm_ste_match_bwc_v1_set_entry_format(s, lookup >> 8);
	prm_ste_match_bwc_v1_set_match_definer_ctx_idx(s, lookup & 0xff);
	prm_ste_match_bwc_v1_set_hash_definer_ctx_idx(s, 0x0f);
	set_hit(s, hit, 1);
	set_miss(s, miss);
	return s;
}

static inline uint8_t *mask_of(uint8_t *s)
{
	return s + 32;
}

static inline uint8_t *tag_of(uint8_t *s)
{
	return s + 48;
}

static inline void put_set(uint8_t *a, uint8_t id, uint8_t dword, unsigned int low,
			   unsigned int bits, uint32_t value)
{
	a[0] = id;
	prm_ste_double_action_set_v1_set_destination_dw_offset(a, dword);
	prm_ste_double_action_set_v1_set_destination_left_shifter(a, 32 + low);
	prm_ste_double_action_set_v1_set_destination_length(a, bits & 31);
	prm_ste_double_action_set_v1_set_inline_data(a, value);
}

/* Walks an entry with a list of n rewrites at the beginning of their memory. */
static inline uint64_t rewritten(unsigned int n)
{
	uint8_t *s = entry(0, 0x0f, END_HIT, END_MISS);

	prm_ste_match_bwc_v1_set_reparse(s, 1);
	s[24] = PRM_STE_ACTION_MODIFY_LIST;
	s[25] = (uint8_t)n;
	return walk(at(0));
}

#endif
