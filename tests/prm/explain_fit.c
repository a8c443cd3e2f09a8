/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that explain finds a page's layout by its bits: pages of each type, filled as devices fill
 * them (a third of the bits), are recognised, and a wrong layout is never called likely.
 */
#include "tests/test.h"
#include "explain.h"
#include "dvx-prm.h"
#include "walk.h"

#define ROUNDS 8
#define PAGE   4112
#define HEADER 16

static uint32_t seed = 88172645u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

static int fill(const struct walk_leaf *leaf, void *ctx)
{
	for (uint64_t i = 0; i < leaf->width; i++)
		if (below(100) < 35)
			prm_bits_set(ctx, leaf->bit + i, 1, 1);
	return 0;
}

/* Whether explain offers this name. */
static bool offered(const struct finding *f, const char *name)
{
	const json_t *list = json_object_get(f->facts, "candidates"), *one;
	size_t i;

	json_array_foreach ((json_t *)list, i, one)
		if (!strcmp(json_string_value(one), name))
			return true;
	return false;
}

static int count_bits(const struct walk_leaf *leaf, void *ctx)
{
	*(size_t *)ctx += leaf->width;
	return 0;
}

/* Whether the layout has so few bits that several others fit as well. */
static bool is_small(const struct prm_struct *s)
{
	static const uint8_t zero[PAGE];
	size_t bits = 0;

	walk(s, zero, s->bytes, count_bits, &bits);
	return bits < 100;
}

/* Returns 1 if the page is recognised as s, 0 if not. *likely: a layout is called likely. */
static int found(const struct prm_struct *s, const uint8_t *page, size_t len, int *likely)
{
	const struct dump d = {.bytes = page, .len = len, .line = 1};
	const struct prm_args a = {.json = true};
	json_t *also = json_array();
	struct wanted none = {NULL, NULL};
	struct finding f;
	int right;

	find_out(&f, &d, &none, &a, also);
	right = f.kind == &recognise_cap &&
		(!strcmp(json_string_value(json_object_get(f.facts, "page")), s->name) ||
		 (is_small(s) && offered(&f, s->name)));
	*likely = f.known && !strcmp(finding_sure(&f), "likely");
	finding_end(&f);
	json_decref(also);
	return right;
}

TEST(none, each_page)
{
	const struct prm_enum *types = prm_find_enum("hca_cap_type");
	size_t pages = 0;

	for (size_t i = 0; i < types->count; i++) {
		const struct prm_struct *s = prm_capability((uint32_t)types->values[i].value);
		unsigned int right = 0;

		/* The first page is recognised by its numbers, which random bits do not have. */
		if (!s || !strcmp(s->name, "cmd_hca_cap"))
			continue;
		pages++;
		for (int round = 0; round < ROUNDS; round++) {
			uint8_t page[PAGE] = {0};
			int likely, ok;

			while (all_zero(page, PAGE))
				walk(s, page + HEADER, s->bytes, fill, page + HEADER);
			ok = found(s, page, sizeof(page), &likely);
			right += (unsigned int)ok;
			if (likely && !ok)
				fail_msg("%s is called another page, and likely", s->name);
		}
		print_message("# %s: %u of %d\n", s->name, right, ROUNDS);
		assert_true(right >= ROUNDS - 1);
	}
	assert_true(pages > 15);
}

/* Random bits are not recognised as a page. */
TEST(none, noise)
{
	for (int round = 0; round < 20; round++) {
		uint8_t page[PAGE] = {0};
		int likely;

		for (size_t i = HEADER; i < PAGE; i++)
			page[i] = (uint8_t)below(256);
		found(prm_find_struct("cmd_hca_cap"), page, sizeof(page), &likely);
		assert_false(likely);
	}
}

/* Every structure accepts 0xff bytes of every length, up to its own and past it. */
TEST(none, ones_in_every_structure)
{
	for (size_t i = 0; i < prm_struct_count; i++) {
		for (int round = 0; round < 4; round++) {
			size_t len = below(prm_structs[i].bytes + 64);
			uint8_t *bytes = malloc(len + !len);

			assert_non_null(bytes);
			memset(bytes, round % 2 ? 0xff : (int)below(256), len);
			json_decref(tree_make(&prm_structs[i], bytes, len, round > 2));
			free(bytes);
		}
	}
}
