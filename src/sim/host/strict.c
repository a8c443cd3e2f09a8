/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "bar.h"

/*
 * Strict doorbells (doc/design/0040). A register in memory keeps only the last store, so a page is
 * released for one store and protected again. Behind the doorbell's 8 bytes is a number that no
 * program writes: other bytes there are a WQE that the program wrote (BlueFlame).
 */
#define UNWRITTEN   0x5b1fe6d0a93c7481ull
#define BLOCK_WORDS 8u
#define REG_WORDS   (UAR_BF_SIZE / sizeof(uint64_t))
#define WAIT_TURNS  8u
#define LAST_AT	    0x400u /* in the page, not a register's: last doorbell of each register */

void host_be_strict(struct host *h, const struct strict_ops *ops)
{
	h->strict = ops;
}

static uint64_t *strict_word(const struct uar_page *page, uint32_t offset)
{
	void *at = page->bar->map + (size_t)page->index * UAR_PAGE + offset;

	return at;
}

static uint64_t *strict_last(const struct uar_page *page, uint32_t offset)
{
	return strict_word(page, LAST_AT) + (offset - UAR_BF) / UAR_BF_SIZE;
}

static void strict_reg_clear(uint64_t *reg)
{
	for (unsigned int i = 1; i < REG_WORDS; i++)
		__atomic_store_n(&reg[i], UNWRITTEN, __ATOMIC_RELAXED);
}

void strict_page_clear(const struct uar_page *page)
{
	for (uint32_t i = 0; i < UAR_BF_COUNT; i++)
		strict_reg_clear(strict_word(page, UAR_BF + i * UAR_BF_SIZE));
}

void strict_rang(const struct uar_page *page, uint32_t offset, uint64_t value)
{
	if (offset >= UAR_BF)
		*strict_last(page, offset) = value;
}

/* Returns how many words of whole blocks, from the beginning, were written. */
static size_t strict_written(const uint64_t *reg)
{
	size_t n = 1;

	while (n < REG_WORDS && __atomic_load_n(&reg[n], __ATOMIC_ACQUIRE) != UNWRITTEN)
		n++;
	return n / BLOCK_WORDS * BLOCK_WORDS;
}

static bool strict_begun(const struct uar_page *page)
{
	for (uint32_t at = UAR_BF; at < UAR_PAGE; at += UAR_BF_SIZE) {
		const uint64_t *reg = strict_word(page, at);

		if (__atomic_load_n(reg, __ATOMIC_RELAXED) && !strict_written(reg))
			return true;
	}
	return false;
}

bool strict_waits(struct uar_page *page)
{
	if (strict_begun(page) && ++page->strict_turns < WAIT_TURNS)
		return true;
	page->strict_turns = 0;
	return false;
}

/* Checks a register. Its first word may have been taken as a doorbell before the others came. */
static void strict_reg_check(struct host *h, const struct uar_page *page, uint32_t offset)
{
	uint64_t *reg = strict_word(page, offset), copy[REG_WORDS];
	size_t n = strict_written(reg);

	if (!n || !*strict_last(page, offset))
		return;
	memcpy(copy, reg, n * sizeof(*reg));
	copy[0] = *strict_last(page, offset);
	strict_reg_clear(reg);
	h->strict->blueflame(h->doorbell_ctx, page->uar, (const uint8_t *)copy, n * sizeof(*reg));
}

void strict_page_check(struct host *h, const struct uar_page *page)
{
	for (uint32_t i = 0; i < UAR_BF_COUNT; i++)
		strict_reg_check(h, page, UAR_BF + i * UAR_BF_SIZE);
}
