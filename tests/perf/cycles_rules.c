/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of rules by requests (hws.h) on plain memory, beside loops written by hand: see cycles.c. */
#include <stdio.h>
#include <x86intrin.h>
#define BLOCKS 128u
#include "plain_rings.h"
#include "rule_batches.h"

#define RUNS	    4000
#define BATCHES	    32 /* of a run: clocks tick in steps of tens of cycles */
#define RULE_BLOCKS 2u
#define LINES	    (DVX_BLOCK / (uint32_t)sizeof(__m128i)) /* of a block */

/* ---- By hand: the queue's constants in registers, no cookies, no check for room ---- */

INLINE uint64_t hand_const(uint32_t opmod)
{
	return prm_swap64((uint64_t)opmod << 56 | (uint64_t)PRM_WQE_OPCODE_FLOW_TBL_ACCESS << 32 |
			  0x1234 << 8 | DVX_RULE_DS);
}

/* Writes the control segment of a WQE; returns its first 8 bytes. */
INLINE uint64_t hand_ctrl(__m128i *to, uint64_t head, uint64_t object, uint32_t index)
{
	head |= prm_swap64((uint64_t)index << 40);
	_mm_store_si128(to, _mm_set_epi64x((long long)object, (long long)head));
	return head;
}

INLINE void hand_copy(__m128i *to, const void *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		_mm_store_si128(to + i, _mm_loadu_si128((const __m128i *)from + i));
}

INLINE void hand_zero(__m128i *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		_mm_store_si128(to + i, _mm_setzero_si128());
}

INLINE void hand_ring(uint64_t head, uint32_t index)
{
	DVX_ORDER_STORES();
	*(volatile uint32_t *)sq_dbrec = prm_swap32(index);
	DVX_ORDER_WC();
	*(volatile uint64_t *)(uar + 256) = head;
	DVX_ORDER_WC();
}

NOINLINE void floor_rules(void)
{
	uint64_t head = 0, object = image.wqe[1];

	for (uint32_t i = 0; i < RULES; i++) {
		__m128i *to = (__m128i *)sq_buf[RULE_BLOCKS * i];

		head = hand_ctrl(to, hand_const(0), object, RULE_BLOCKS * i);
		hand_copy(to + 1, image.wqe + 2, 5);
		hand_copy(to + 6, tags[i], 2);
	}
	hand_ring(head, RULE_BLOCKS * RULES);
}

NOINLINE void floor_tuples(void)
{
	uint64_t head = 0, object = image.wqe[1];
	const struct places at = places;

	for (uint32_t i = 0; i < RULES; i++) {
		__m128i *to = (__m128i *)sq_buf[RULE_BLOCKS * i];

		head = hand_ctrl(to, hand_const(0), object, RULE_BLOCKS * i);
		hand_copy(to + 1, image.wqe + 2, 5);
		tuple_tag(&at, &tuples[i], (uint8_t *)(to + 6));
	}
	hand_ring(head, RULE_BLOCKS * RULES);
}

NOINLINE void floor_arguments(void)
{
	uint64_t head = 0, object = image.wqe[1] | prm_swap64(0x20ull << 32);

	for (uint32_t i = 0; i < RULES; i++) {
		__m128i *to = (__m128i *)sq_buf[2 * RULE_BLOCKS * i];

		hand_ctrl(to, hand_const(1), prm_swap64(0x100 + i), 2 * RULE_BLOCKS * i);
		hand_zero(to + 1, LINES - 1);
		hand_copy(to + LINES, arguments[i], LINES);
		to += RULE_BLOCKS * LINES;
		head = hand_ctrl(to, hand_const(0), object, 2 * RULE_BLOCKS * i + RULE_BLOCKS);
		hand_copy(to + 1, image.wqe + 2, 5);
		prm_store32((uint8_t *)to, DVX_BLOCK + 28, i);
		hand_copy(to + 6, tags[i], 2);
	}
	hand_ring(head, 2 * RULE_BLOCKS * RULES);
}

NOINLINE void floor_deletions(void)
{
	uint64_t head = 0, object = image.wqe[1];

	for (uint32_t i = 0; i < RULES; i++) {
		__m128i *to = (__m128i *)sq_buf[RULE_BLOCKS * i];

		head = hand_ctrl(to, hand_const(0), object, RULE_BLOCKS * i);
		_mm_store_si128(to + 1, _mm_set_epi64x(0, PRM_GTA_OP_DEACTIVATE << 4));
		hand_zero(to + 2, 4);
		hand_copy(to + 6, tags[i], 2);
	}
	hand_ring(head, RULE_BLOCKS * RULES);
}

/* ---- libdvx's ---- */

static void dvx_rules(void)
{
	post_rules(tags, 0);
}

static void dvx_tuples(void)
{
	post_tuples(tuples, 0);
}

static void dvx_arguments(void)
{
	post_arguments(tags, arguments, 0);
}

static void dvx_deletions(void)
{
	post_deletions(tags, 0);
}

static void dvx_all_rules(void)
{
	post_all_rules(tags, 0);
}

static void dvx_all_tuples(void)
{
	post_all_tuples(tuples, 0);
}

static void dvx_all_arguments(void)
{
	post_all_arguments(tags, arguments, 0);
}

static void dvx_all_deletions(void)
{
	post_all_deletions(tags, 0);
}

static double least(void (*f)(void))
{
	uint64_t best = UINT64_MAX, t;
	unsigned int aux;

	for (int i = 0; i < RUNS; i++) {
		_mm_lfence();
		t = __rdtsc();
		_mm_lfence();
		for (int j = 0; j < BATCHES; j++) {
			sq.ci = sq.pi = 0;
			f();
		}
		t = __rdtscp(&aux) - t;
		if (t < best)
			best = t;
	}
	return (double)best / RULES / BATCHES;
}

int main(void)
{
	static const struct {
		const char *name;
		void (*hand)(void), (*dvx)(void), (*all)(void);
	} rows[] = {
		{"rule, tag given", floor_rules, dvx_rules, dvx_all_rules},
		{"rule from a 5-tuple", floor_tuples, dvx_tuples, dvx_all_tuples},
		{"rule with an argument", floor_arguments, dvx_arguments, dvx_all_arguments},
		{"deletion of a rule", floor_deletions, dvx_deletions, dvx_all_deletions},
	};

	rings_init();
	rules_init();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double hand = least(rows[i].hand), dvx = least(rows[i].dvx);
		double all = least(rows[i].all);

		printf("%-22s one of 32: %6.2f cycles by hand; by libdvx %6.2f one by one (%.2f), "
		       "%6.2f at once (%.2f, goal 1.15)\n",
		       rows[i].name, hand, dvx, dvx / hand, all, all / hand);
	}
	return 0;
}
