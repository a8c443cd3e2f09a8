/* SPDX-License-Identifier: BSD-2-Clause */
#include "drops.h"

static const struct {
	const char *cause, *words;
} drop_rows[DROPS] = {
#define DROP(name, cause, words) [DROP_##name] = {cause, words},
#include "drops.def"
#undef DROP
};

const char *drop_cause(enum drop d)
{
	return drop_rows[d].cause;
}

const char *drop_words(enum drop d)
{
	return drop_rows[d].words;
}
