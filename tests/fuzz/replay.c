/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A target without libFuzzer: main() runs it on each file of its corpus, then on damaged copies of
 * them, or on random bytes, the same ones each time. With arguments: on these files only.
 */
#include <glob.h>
#include <stdio.h>
#include "fuzz.h"

#define FILES 64u
#define ROOM  (1u << 17)

static struct input {
	uint8_t *bytes;
	size_t len;
} corpus[FILES];
static unsigned int nfiles;
static uint32_t state = 2463534242u;

static uint32_t below(size_t n)
{
	return fuzz_random(&state) % (uint32_t)n;
}

/* Memory ends with the input, so that a sanitizer sees a byte too far. */
static void run_one(const uint8_t *bytes, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	LLVMFuzzerTestOneInput(copy, len);
	free(copy);
}

static void load(const char *path)
{
	struct input *in = &corpus[nfiles];
	FILE *f = fopen(path, "r");

	if (!f) {
		perror(path);
		exit(99);
	}
	assert_true(nfiles++ < FILES);
	in->bytes = malloc(ROOM);
	assert_non_null(in->bytes);
	in->len = fread(in->bytes, 1, ROOM, f);
	fclose(f);
}

static void load_all(const char *pattern)
{
	char path[4096];
	glob_t g;

	snprintf(path, sizeof(path), "%s/tests/%s", getenv("top_srcdir"), pattern);
	if (glob(path, GLOB_BRACE, NULL, &g)) {
		fprintf(stderr, "no corpus: %s\n", path);
		exit(99);
	}
	for (size_t i = 0; i < g.gl_pathc; i++)
		load(g.gl_pathv[i]);
	globfree(&g);
}

static size_t insert(uint8_t *to, size_t len, size_t at, const uint8_t *from, size_t n)
{
	if (len + n > ROOM)
		return len;
	memmove(to + at + n, to + at, len - at);
	memcpy(to + at, from, n);
	return len + n;
}

static bool blank(uint8_t c)
{
	return c == ' ' || c == '\n' || c == ',';
}

/* A word of some file, with the blanks around it. */
static size_t insert_word(uint8_t *to, size_t len, size_t at)
{
	const struct input *in = &corpus[below(nfiles)];
	size_t from, end;

	if (!in->len)
		return len;
	end = from = below(in->len);
	while (from && !blank(in->bytes[from]))
		from--;
	while (end < in->len && !blank(in->bytes[end]))
		end++;
	return insert(to, len, at, in->bytes + from, end - from + (end < in->len));
}

static size_t damage(uint8_t *to, size_t len)
{
	static const char usual[] = "0123456789abcdefx:*|>< \t\n\r,;{}\"\\.=[]()-/!@\x1b\xff";
	size_t at = below(len), from = below(len), n = 1 + below(60);

	n = n < len - at ? n : len - at;
	switch (below(6)) {
	case 0:
		to[at] = (uint8_t)usual[below(sizeof(usual) - 1)];
		return len;
	case 1:
		to[at] = (uint8_t)below(256);
		return len;
	case 2:
		memmove(to + at, to + at + n, len - at - n);
		return len - n;
	case 3:
		if (from + n <= len)
			memmove(to + from, to + at, n);
		return len;
	case 4:
		return below(8) ? len : at + 1;
	default:
		return insert_word(to, len, at);
	}
}

static size_t make_damaged(uint8_t *to)
{
	const struct input *in = &corpus[below(nfiles)];
	size_t len = in->len;

	memcpy(to, in->bytes, len);
	for (uint32_t n = below(6); n && len; n--)
		len = damage(to, len);
	return len;
}

static size_t make_random(uint8_t *to)
{
	size_t len = below(fuzz_target.longest + 1);

	for (size_t i = 0; i < len; i++)
		to[i] = (uint8_t)(fuzz_random(&state) >> 11);
	return len;
}

/* They are the same ones each time, so check has a part of them. */
static unsigned int inputs_wanted(void)
{
	return getenv("DVX_TEST_LONG") ? fuzz_target.inputs * 10 : fuzz_target.inputs / 4;
}

int main(int argc, char **argv)
{
	unsigned int inputs = inputs_wanted();
	uint8_t *to = malloc(ROOM);

	assert_non_null(to);
	setenv("CMOCKA_TEST_ABORT", "1", 1); /* an assertion outside of a cmocka test */
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++)
		load(argv[i]);
	if (argc == 1 && fuzz_target.corpus)
		load_all(fuzz_target.corpus);
	for (unsigned int i = 0; i < nfiles; i++)
		run_one(corpus[i].bytes, corpus[i].len);
	printf("ok 1 - %u files\n", nfiles);
	for (unsigned int i = 0; argc == 1 && i < inputs; i++)
		run_one(to, fuzz_target.corpus ? make_damaged(to) : make_random(to));
	if (argc == 1 && fuzz_target.judge)
		fuzz_target.judge(inputs);
	printf("ok 2 - %u damaged or random inputs\n1..2\n", argc == 1 ? inputs : 0);
	for (unsigned int i = 0; i < nfiles; i++)
		free(corpus[i].bytes);
	free(to);
	return 0;
}
