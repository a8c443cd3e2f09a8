/* SPDX-License-Identifier: BSD-2-Clause */
/* Advice of dvx-sim stat: what would make messages cheaper, and by how much. */
#include "stat.h"

#include <math.h>

#define LEAST		 32.0 /* messages of a class, of which something is said */
#define SIGNAL_EVERY	 16.0
#define BATCH		 16.0
#define INLINE_MOST	 204.0 /* data of a WRITE in the four blocks of a BlueFlame register */
#define CQE_MOST	 64.0
#define CQE		 88.0
#define REGISTER_WRITTEN 32.0
#define BLOCK_WRITTEN	 88.0
#define LITTLE		 1.0 /* bytes a message: less is not worth a line */

/* Returns bytes a message that a change would save, or time; 0: it does not apply. */
typedef double stat_gain(const struct stat_line *);

static double advice_mean(const struct stat_line *l, unsigned int what)
{
	return l->n[what] / l->n[STAT_MESSAGES];
}

static bool advice_sends(const struct stat_line *l)
{
	return l->class == STAT_SEND || l->class == STAT_WRITE || l->class == STAT_DATAGRAM;
}

/* Inline data needs no read, but more blocks. */
static double advice_inline(const struct stat_line *l)
{
	const double outside = 1 - advice_mean(l, STAT_INLINED), n = advice_mean(l, STAT_BYTES);
	const double head = l->class == STAT_SEND ? 16 : l->class == STAT_WRITE ? 32 : 64;
	const double blocks = ceil((head + 4 + n) / 64) - advice_mean(l, STAT_BLOCKS);

	if (!advice_sends(l) || outside <= 0 || n <= 0 || n > INLINE_MOST)
		return 0;
	return outside *
	       (STAT_REQUEST + STAT_COMPLETION + n - (blocks > 0 ? blocks * BLOCK_WRITTEN : 0));
}

static double advice_signal(const struct stat_line *l)
{
	const double share = advice_mean(l, STAT_SIGNALED) - 1 / SIGNAL_EVERY;

	return advice_sends(l) && share > 0.1 ? share * CQE : 0;
}

static double advice_batch(const struct stat_line *l)
{
	const double registers = (l->calls - l->blueflame) / l->n[STAT_MESSAGES];

	return l->known && registers > 2 / BATCH ? (registers - 1 / BATCH) * REGISTER_WRITTEN : 0;
}

static double advice_scatter(const struct stat_line *l)
{
	const double n = advice_mean(l, STAT_BYTES);
	const bool answered = l->class == STAT_READ || l->class == STAT_RECEIVE;

	return answered && n > 0 && n <= CQE_MOST && l->n[STAT_HERE] > 0 ? STAT_REQUEST + n : 0;
}

static double advice_rnr(const struct stat_line *l)
{
	return l->n[STAT_RNR_NS] / 1e6;
}

static const struct {
	stat_gain *gain;
	const char *what, *unit;
} advices[] = {
	{advice_inline, "send the data inline (max_inline_data, IBV_SEND_INLINE)",
	 "bytes a message"},
	{advice_signal, "ask for a completion once in 16 messages", "bytes a message"},
	{advice_batch, "post 16 messages in a call", "bytes a message"},
	{advice_scatter,
	 "let the data come in the CQE (MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE, or 128-byte CQEs)",
	 "bytes a message"},
	{advice_rnr, "post receives before the peer sends: no RNR waits", "ms"},
};

static void advise_class(const struct stat_line *l, void (*take)(void *ctx, const char *),
			 void *ctx)
{
	char text[256];

	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++) {
		const double gain = advices[i].gain(l);

		if (gain < LITTLE)
			continue;
		snprintf(text, sizeof(text), "%s: %s: saves %.1f %s", stat_class_name(l->class),
			 advices[i].what, gain, advices[i].unit);
		take(ctx, text);
	}
}

static void advise_polls(const struct stat_result *r, void (*take)(void *ctx, const char *),
			 void *ctx)
{
	char text[256];

	for (size_t i = 0; i < r->ncqs; i++) {
		const double *n = r->cqs[i].n;
		char name[64];

		if (n[COUNT_EMPTY] < 1000 || n[COUNT_EMPTY] < 20 * n[COUNT_COMPLETIONS])
			continue;
		stat_cq_name(name, sizeof(name), r, &r->cqs[i]);
		snprintf(text, sizeof(text),
			 "%s: sleep until its event, or poll less often: saves %.0f "
			 "calls a "
			 "completion (of the processor; no PCIe)",
			 name,
			 n[COUNT_EMPTY] / (n[COUNT_COMPLETIONS] > 0 ? n[COUNT_COMPLETIONS] : 1));
		take(ctx, text);
	}
}

void stat_advise(const struct stat_result *r, void (*take)(void *ctx, const char *), void *ctx)
{
	for (size_t i = r->nqueues; i < r->nlines; i++)
		if (r->lines[i].n[STAT_MESSAGES] >= LEAST)
			advise_class(&r->lines[i], take, ctx);
	advise_polls(r, take, ctx);
}
