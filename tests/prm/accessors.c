/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that every generated accessor touches exactly the bits that its reflection row names. */
#define PRM_DEBUG 1 /* asserts */
/* Thousands of functions, each called a few times: optimising them would cost most of a build. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O0")
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/alias.h>
#include <dvx/prm/boot.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cong.h>
#include <dvx/prm/cq.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/db.h>
#include <dvx/prm/dct.h>
#include <dvx/prm/eq.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/hws.h>
#include <dvx/prm/match.h>
#include <dvx/prm/misc.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/object.h>
#include <dvx/prm/qp.h>
#include <dvx/prm/query.h>
#include <dvx/prm/reg.h>
#include <dvx/prm/rq.h>
#include <dvx/prm/ste.h>
#include <dvx/prm/ste1.h>
#include <dvx/prm/vport.h>
#include <dvx/prm/wqe.h>
#include "tests/test.h"
#include "src/prm/reflect.h"

struct accessor {
	const char *type, *field;
	uint64_t (*get)(const void *p, size_t i);
	void (*set)(void *p, size_t i, uint64_t v);
	void *(*at)(void *p, size_t i);
	const void *(*cat)(const void *p, size_t i);
	size_t size;
};

#define WORD_(s, f, ...)                                                               \
	static uint64_t s##_get_##f(const void *p, size_t i)                           \
	{                                                                              \
		(void)i;                                                               \
		return prm_##s##_get_##f(p, ##__VA_ARGS__);                            \
	}                                                                              \
	static void s##_set_##f(void *p, size_t i, uint64_t v)                         \
	{                                                                              \
		(void)i;                                                               \
		prm_##s##_set_##f(p, ##__VA_ARGS__,                                    \
				  (__typeof__(prm_##s##_get_##f(p, ##__VA_ARGS__)))v); \
	}
#define AT_(s, f, ...)                                          \
	static void *s##_at_##f(void *p, size_t i)              \
	{                                                       \
		(void)i;                                        \
		return prm_##s##_at_##f(p, ##__VA_ARGS__);      \
	}                                                       \
	static const void *s##_cat_##f(const void *p, size_t i) \
	{                                                       \
		(void)i;                                        \
		return prm_##s##_cat_##f(p, ##__VA_ARGS__);     \
	}
#define WORD(s, f)  WORD_(s, f)
#define WORDS(s, f) WORD_(s, f, i) AT_(s, f)
#define AT(s, f)    AT_(s, f)
#define ATS(s, f)   AT_(s, f, i)
#define BYTES(s, n)
#include "src/prm/fields.inc"
#undef WORD
#undef WORDS
#undef AT
#undef ATS
#undef BYTES

#define WORD(s, f)  {#s, #f, s##_get_##f, s##_set_##f, NULL, NULL, 0},
#define WORDS(s, f) {#s, #f, s##_get_##f, s##_set_##f, s##_at_##f, s##_cat_##f, 0},
#define AT(s, f)    {#s, #f, NULL, NULL, s##_at_##f, s##_cat_##f, 0},
#define ATS(s, f)   AT(s, f)
#define BYTES(s, n) {#s, NULL, NULL, NULL, NULL, NULL, n},
static const struct accessor accessors[] = {
#include "src/prm/fields.inc"
};

#define COUNT (sizeof(accessors) / sizeof(accessors[0]))

static uint64_t random_state = 88172645463325252ull;

static uint64_t pseudo_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void fill(uint8_t *p, size_t n)
{
	while (n--)
		*p++ = (uint8_t)pseudo_random();
}

static const struct prm_field *row_of(const struct accessor *a, const struct prm_struct **s)
{
	uint64_t bit;
	const struct prm_field *f;

	*s = prm_find_struct(a->type);
	assert_non_null(*s);
	f = prm_find_field(*s, a->field, &bit);
	assert_non_null(f);
	assert_int_equal(bit, f->offset);
	return f;
}

/* Sets through the accessor, reads through the row, and the other way; nothing else may change. */
static void round_trip(const struct accessor *a, const struct prm_field *f, size_t bytes, size_t i)
{
	uint64_t bit = f->offset + i * f->width;
	uint64_t v = pseudo_random() >> (64 - f->width);
	uint8_t *p = malloc(bytes), *q = malloc(bytes);

	assert_non_null(p);
	assert_non_null(q);
	fill(p, bytes);
	memcpy(q, p, bytes);
	a->set(p, i, v);
	prm_bits_set(q, bit, f->width, v);
	if (memcmp(p, q, bytes) || a->get(p, i) != v || prm_bits_get(p, bit, f->width) != v)
		fail_msg("%s.%s[%zu]", a->type, a->field, i);
	prm_bits_set(p, bit, f->width, ~v);
	assert_int_equal(a->get(p, i), ~v & (UINT64_MAX >> (64 - f->width)));
	free(p);
	free(q);
}

TEST(none, words)
{
	for (size_t k = 0; k < COUNT; k++) {
		const struct accessor *a = &accessors[k];
		const struct prm_struct *s;
		const struct prm_field *f;
		size_t n, bytes;

		if (!a->get)
			continue;
		f = row_of(a, &s);
		/* A flexible array is tried with three elements. */
		n = f->count ? f->count : 3;
		bytes = f->count ? s->bytes : s->bytes + n * f->width / 8;
		for (size_t i = 0; i < n; i++)
			for (int again = 0; again < 8; again++)
				round_trip(a, f, bytes, i);
	}
}

TEST(none, pointers)
{
	for (size_t k = 0; k < COUNT; k++) {
		const struct accessor *a = &accessors[k];
		const struct prm_struct *s;
		const struct prm_field *f;
		static uint8_t p[8192];
		size_t step;

		if (!a->at)
			continue;
		f = row_of(a, &s);
		step = f->count != 1 && f->width != 8 && !a->get ? f->width / 8 : 0;
		assert_ptr_equal(a->at(p, 0), p + f->offset / 8);
		assert_ptr_equal(a->cat(p, 2), p + f->offset / 8 + 2 * step);
	}
}

TEST(none, sizes)
{
	size_t fields = 0, rows = 0, structs = 0;

	for (size_t k = 0; k < COUNT; k++) {
		const struct prm_struct *s = prm_find_struct(accessors[k].type);

		assert_non_null(s);
		if (accessors[k].field) {
			fields++;
			continue;
		}
		structs++;
		assert_int_equal(s->bytes, accessors[k].size);
	}
	for (size_t i = 0; i < prm_struct_count; i++)
		rows += prm_structs[i].field_count;
	assert_int_equal(fields, rows);
	assert_int_equal(structs, prm_struct_count);
	print_message("# %zu structures, %zu fields\n", structs, fields);
}

/* A pack writes all bytes, what is not named becomes 0, and rows read back what was packed. */
TEST(none, packs)
{
	const struct prm_struct *s = prm_find_struct("wqe_ctrl_seg");
	static const char *const path[] = {"opmod",    "wqe_index", "opcode",	"qpn",
					   "ds",       "fm",	    "ce",	"se",
					   "fm_ce_se", "imm",	    "signature"};
	static const uint64_t want[] = {1, 0xfedc, 0x2f, 0xabcdef, 4, 4, 2, 1, 0x8a, 0x12345678, 0};
	uint8_t seg[PRM_WQE_UMR_CTRL_SEG_BYTES];
	uint64_t v;

	memset(seg, 0xff, sizeof(seg));
	prm_wqe_ctrl_seg_pack(seg, .opmod = 1, .wqe_index = 0xfedc, .opcode = PRM_WQE_OPCODE_MMO,
			      .qpn = 0xabcdef, .ds = 4, .fm = PRM_WQE_FM_SMALL_AND_FENCE,
			      .ce = PRM_WQE_CE_ALWAYS, .se = 1, .imm = 0x12345678);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(prm_field_get(s, seg, PRM_WQE_CTRL_SEG_BYTES, path[i], &v), 0);
		assert_int_equal(v, want[i]);
	}
	memset(seg, 0xff, sizeof(seg));
	prm_wqe_umr_ctrl_seg_pack(seg, .mkey_mask = 0x0102030405060708, .bsf_octowords = 0x1234);
	assert_int_equal(prm_wqe_umr_ctrl_seg_get_mkey_mask(seg), 0x0102030405060708);
	assert_int_equal(prm_wqe_umr_ctrl_seg_get_xlt_offset(seg), 0x1234);
	for (size_t i = 16; i < sizeof(seg); i++)
		assert_int_equal(seg[i], 0);
}
