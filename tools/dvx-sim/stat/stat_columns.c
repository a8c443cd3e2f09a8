/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of dvx-sim stat: of its table, its JSON, its comparisons and its budgets. */
#include "stat.h"

#include <math.h>
#include <string.h>

static struct bounds column_exact(double n)
{
	return (struct bounds){n, n};
}

static struct bounds column_ratio(double n, double of)
{
	return column_exact(of > 0 ? n / of : (double)NAN);
}

static double column_messages(const struct stat_line *l)
{
	return l->n[STAT_MESSAGES];
}

static struct bounds column_mean(const struct stat_line *l, double n)
{
	return column_ratio(n, column_messages(l));
}

/* Returns NAN for receives, which have no doorbell register and no send WQE. */
static struct bounds column_send(const struct stat_line *l, double n)
{
	return l->class == STAT_RECEIVE ? column_exact((double)NAN) : column_mean(l, n);
}

static struct bounds column_traffic(const struct stat_line *l, struct bounds b)
{
	const double n = column_messages(l);

	return (struct bounds){column_ratio(b.least, n).least, column_ratio(b.most, n).most};
}

static struct bounds column_target(const struct stat_line *l, struct bounds b)
{
	return l->n[STAT_TARGET] > 0 ? column_traffic(l, b) : column_exact((double)NAN);
}

/* Names the function of a column, whose value is an expression of the line. */
#define COLUMN(name, ...)                                             \
	static struct bounds column_##name(const struct stat_line *l) \
	{                                                             \
		return __VA_ARGS__;                                   \
	}
COLUMN(count, column_exact(column_messages(l)))
COLUMN(bytes, column_mean(l, l->n[STAT_BYTES]))
COLUMN(post, l->known ? column_ratio(l->requests, l->calls) : column_exact((double)NAN))
COLUMN(blueflame, l->known ? column_send(l, l->blueflame) : column_exact((double)NAN))
COLUMN(blocks, column_send(l, l->n[STAT_BLOCKS]))
COLUMN(inlined, column_send(l, l->n[STAT_INLINED]))
COLUMN(signaled, column_send(l, l->n[STAT_SIGNALED]))
COLUMN(up, column_traffic(l, l->traffic.bytes[STAT_AT_HERE][STAT_UP]))
COLUMN(down, column_traffic(l, l->traffic.bytes[STAT_AT_HERE][STAT_DOWN]))
COLUMN(up_tlps, column_traffic(l, l->traffic.tlps[STAT_AT_HERE][STAT_UP]))
COLUMN(down_tlps, column_traffic(l, l->traffic.tlps[STAT_AT_HERE][STAT_DOWN]))
COLUMN(target_up, column_target(l, l->traffic.bytes[STAT_AT_TARGET][STAT_UP]))
COLUMN(target_down, column_target(l, l->traffic.bytes[STAT_AT_TARGET][STAT_DOWN]))
COLUMN(target_up_tlps, column_target(l, l->traffic.tlps[STAT_AT_TARGET][STAT_UP]))
COLUMN(target_down_tlps, column_target(l, l->traffic.tlps[STAT_AT_TARGET][STAT_DOWN]))
COLUMN(rdcur, column_traffic(l, l->traffic.lines[STAT_AT_HERE][STAT_DOWN]))
COLUMN(itom, column_traffic(l, l->traffic.lines[STAT_AT_HERE][STAT_UP]))
COLUMN(target_rdcur, column_target(l, l->traffic.lines[STAT_AT_TARGET][STAT_DOWN]))
COLUMN(target_itom, column_target(l, l->traffic.lines[STAT_AT_TARGET][STAT_UP]))
COLUMN(doorbells, column_exact(l->known ? l->calls : NAN))
COLUMN(cqes, column_mean(l, l->n[STAT_CQES]))
COLUMN(errors, column_exact(l->n[STAT_ERRORS]))
COLUMN(rnr, column_send(l, l->n[STAT_RNR]))
COLUMN(rnr_us, column_send(l, l->n[STAT_RNR_NS] / 1000))
COLUMN(retries, column_send(l, l->n[STAT_RETRIES]))

/* Columns without a heading are in JSON, comparisons and budgets only. */
#define PCM true
const struct stat_column stat_columns[] = {
	{"messages", "messages", STAT_COUNT, false, column_count},
	{"bytes", "bytes", STAT_MEAN, false, column_bytes},
	{"wqes_per_doorbell", "wqe/db", STAT_MEAN, false, column_post},
	{"blueflame", "bf", STAT_SHARE, false, column_blueflame},
	{"blocks", "blocks", STAT_COST, false, column_blocks},
	{"inline", "inline", STAT_SHARE, false, column_inlined},
	{"signaled", "signal", STAT_SHARE, false, column_signaled},
	{"up_bytes", "up", STAT_COST, false, column_up},
	{"down_bytes", "down", STAT_COST, false, column_down},
	{"target_up_bytes", "t.up", STAT_COST, false, column_target_up},
	{"target_down_bytes", "t.down", STAT_COST, false, column_target_down},
	{"up_tlps", NULL, STAT_COST, false, column_up_tlps},
	{"down_tlps", NULL, STAT_COST, false, column_down_tlps},
	{"target_up_tlps", NULL, STAT_COST, false, column_target_up_tlps},
	{"target_down_tlps", NULL, STAT_COST, false, column_target_down_tlps},
	{"pcie_rdcur", "RdCur", STAT_COST, PCM, column_rdcur},
	{"itom", "ItoM", STAT_COST, PCM, column_itom},
	{"target_pcie_rdcur", "t.RdCur", STAT_COST, PCM, column_target_rdcur},
	{"target_itom", "t.ItoM", STAT_COST, PCM, column_target_itom},
	{"doorbells", NULL, STAT_COUNT, false, column_doorbells},
	{"cqes", NULL, STAT_COST, false, column_cqes},
	{"error_cqes", NULL, STAT_COUNT, false, column_errors},
	{"rnr", NULL, STAT_COST, false, column_rnr},
	{"rnr_us", NULL, STAT_COST, false, column_rnr_us},
	{"retries", NULL, STAT_COST, false, column_retries},
};
const size_t stat_ncolumns = sizeof(stat_columns) / sizeof(stat_columns[0]);

const struct stat_column *stat_column_named(const char *key, size_t len)
{
	for (size_t i = 0; i < stat_ncolumns; i++)
		if (strlen(stat_columns[i].key) == len && !strncmp(stat_columns[i].key, key, len))
			return &stat_columns[i];
	return NULL;
}

static void column_text(char *text, size_t size, const struct stat_column *c, double n)
{
	if (c->kind == STAT_SHARE)
		snprintf(text, size, "%.0f%%", 100 * n);
	else
		snprintf(text, size, "%.*f", n == floor(n) || n >= 1000 ? 0 : 1, n);
}

void stat_text(char *text, size_t size, const struct stat_column *c, struct bounds b)
{
	size_t at;

	if (isnan(b.least)) {
		snprintf(text, size, "-");
		return;
	}
	column_text(text, size, c, b.least);
	at = strlen(text);
	if (b.most > b.least && at + 2 < size) {
		memcpy(text + at, "..", 3);
		column_text(text + at + 2, size - at - 2, c, b.most);
	}
}
