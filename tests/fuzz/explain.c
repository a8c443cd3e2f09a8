/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that no recogniser of dvx-prm explain reads past bytes that are odd, short or damaged:
 * each is asked about, and forced to explain, dumps whose memory ends with them. */
#include "fuzz.h"
#include "explain.h"

static const struct recogniser *const all[] = {
	&recognise_cqe,	 &recognise_mini, &recognise_eqe, &recognise_wqe,
	&recognise_rwqe, &recognise_in,	  &recognise_out, &recognise_cap,
};

/* Beginnings that lead a recogniser on; damage and length do the rest. */
static const struct {
	size_t at;
	uint8_t bytes[8];
	size_t n;
} leads[] = {
	{56, {0x0a, 0, 0x12, 0x34, 0, 1, 0, 0xd2}, 8},	/* error completion */
	{120, {0x0a, 0, 0x12, 0x34, 0, 1, 0, 0xe2}, 8}, /* the same in 128 bytes */
	{0, {0, 0, 1, 0x0e, 0, 0, 0x11, 0x3f}, 8},	/* WQEs: large send, longer than given */
	{0, {0, 0, 1, 0x0a, 0, 0, 0x11, 0x04}, 8},
	{0, {8, 0, 1, 0x14, 0, 0, 0x11, 0x3f}, 8},
	{0, {0, 0, 1, 0x25, 0, 0, 0x11, 0x3f}, 8},
	{0, {0, 0, 1, 0x2c, 0, 0, 0x11, 0x3f}, 8},
	{0, {0, 0, 1, 0x0a, 0, 0, 0x11, 0x02}, 8},
	{0, {1, 0, 1, 0x2f, 0, 0, 0x11, 0x04}, 8},
	{0, {0x02, 0x00, 0, 0, 0, 0, 0, 0}, 8}, /* CREATE_MKEY */
	{0, {0x0a, 0x00, 0, 1, 0, 0, 0xff, 0x10}, 8},
	{0, {0x03, 0, 0, 0, 0, 0x35, 0xe6, 0xec}, 8}, /* a command's failure */
	{0, {0, 0x04, 0, 0, 0, 0, 0, 0}, 8},
	{56, {0, 0, 0x12, 0x34, 0, 1, 0, 0x2c}, 8}, /* titles of compressed completions */
	{44, {0, 0, 0x0f, 0xff, 0, 0, 0, 1}, 8},
	{120, {0, 0, 0x12, 0x34, 0, 1, 0, 0x6c}, 8}, /* a block of them */
	{16, {0x80, 0, 0, 0, 0, 4, 0, 0}, 8},	     /* an UMR's control segment */
};

static size_t length(void)
{
	static const size_t usual[] = {1,  4,	15,  16,  48,	63,   64,  65,
				       80, 128, 256, 272, 1008, 4096, 4112};

	return any(3) ? usual[any(sizeof(usual) / sizeof(usual[0]))] : 1 + any(600);
}

static uint8_t *damaged(size_t len)
{
	uint8_t *p = calloc(1, len);
	size_t i = any(sizeof(leads) / sizeof(leads[0])), changes = any(24);

	assert_non_null(p);
	if (leads[i].at + leads[i].n <= len)
		memcpy(p + leads[i].at, leads[i].bytes, leads[i].n);
	while (changes--)
		p[any((uint32_t)len)] = (uint8_t)any(256);
	return p;
}

static void explain_all(const struct dump *d)
{
	const struct prm_args a = {.json = true};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct finding f;

		finding_begin(&f, d, &a);
		if (d->len >= all[i]->least) {
			all[i]->score(&f);
			all[i]->explain(&f);
		}
		assert_non_null(f.says);
		finding_end(&f);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const struct prm_args a = {.json = true};
	json_t *also = json_array();
	struct dump d = {.line = 1};
	struct finding f;
	uint8_t *p;

	fuzz_begin(bytes, len);
	d.len = length();
	d.bytes = p = damaged(d.len);
	finding_begin(&f, &d, &a);
	recognise(&f, also);
	finding_end(&f);
	json_decref(also);
	if (!any(4))
		explain_all(&d);
	free(p);
	return 0;
}

const struct fuzz_target fuzz_target = {.inputs = 2500, .longest = 96};
