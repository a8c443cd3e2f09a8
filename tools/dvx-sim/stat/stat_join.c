/* SPDX-License-Identifier: BSD-2-Clause */
/* Brings together what the device and the program counted (dvx-sim stat). */
#include "stat.h"

#include <stdlib.h>
#include <string.h>

static const char *const class_names[STAT_CLASSES] = {
	[STAT_SEND] = "send",	  [STAT_WRITE] = "write",	[STAT_READ] = "read",
	[STAT_ATOMIC] = "atomic", [STAT_DATAGRAM] = "datagram", [STAT_RAW] = "raw",
	[STAT_LOCAL] = "local",	  [STAT_RECEIVE] = "receive",
};

const char *stat_class_name(unsigned int class)
{
	return class_names[class];
}

unsigned int stat_class_named(const char *name, size_t len)
{
	unsigned int class = 0;

	while (class < STAT_CLASSES &&
	       (strlen(class_names[class]) != len || strncmp(class_names[class], name, len)))
		class ++;
	return class;
}

/* Returns whether a call with this opcode of verbs (enum ibv_wr_opcode) posts such messages. */
static bool stat_opcode_is(uint32_t opcode, unsigned int class)
{
	static const uint8_t classes[] = {STAT_WRITE, STAT_WRITE,  STAT_SEND,	STAT_SEND,
					  STAT_READ,  STAT_ATOMIC, STAT_ATOMIC, STAT_LOCAL,
					  STAT_LOCAL, STAT_SEND,   STAT_RAW};
	const unsigned int has =
		opcode < sizeof(classes) ? classes[opcode] : (unsigned int)STAT_LOCAL;

	return has == class || (has == STAT_SEND && (class == STAT_DATAGRAM || class == STAT_RAW));
}

static struct stat_line *stat_line_new(struct stat_result *r)
{
	struct stat_line *bigger = realloc(r->lines, (r->nlines + 1) * sizeof(*r->lines));

	if (!bigger)
		return NULL;
	r->lines = bigger;
	memset(&bigger[r->nlines], 0, sizeof(*bigger));
	return &bigger[r->nlines++];
}

static struct stat_line *stat_line_of(struct stat_result *r, const char *function,
				      const char *object, uint32_t id, unsigned int class)
{
	struct stat_line *l;

	for (size_t i = r->nqueues; i < r->nlines; i++)
		if (r->lines[i].id == id && r->lines[i].class == class &&
		    !strncmp(r->lines[i].function, function, sizeof(r->lines[i].function)) &&
		    !strncmp(r->lines[i].object, object, sizeof(r->lines[i].object)))
			return &r->lines[i];
	l = stat_line_new(r);
	if (!l)
		return NULL;
	memcpy(l->object, object, strnlen(object, sizeof(l->object) - 1));
	memcpy(l->function, function, strnlen(function, sizeof(l->function) - 1));
	l->id = id;
	l->class = class;
	return l;
}

/* Adds the calls of a queue; a number is a QP's. */
static void stat_add_calls(struct stat_line *l, uint32_t function, const struct count_row *rows)
{
	for (uint32_t i = 0; i < COUNT_ROWS; i++) {
		const uint64_t key = rows[i].key;

		if (!key || count_kind_of(key) != COUNT_POSTS || strcmp(l->object, "qp") ||
		    (key & 0xffffff) != l->id || count_scope_of(key) != function)
			continue;
		l->known = true;
		if (!stat_opcode_is(count_opcode_of(key), l->class))
			continue;
		l->calls += (double)rows[i].n[COUNT_CALLS];
		l->requests += (double)rows[i].n[COUNT_REQUESTS];
		l->blueflame += (double)rows[i].n[COUNT_BLUEFLAME];
	}
}

static bool stat_join_row(struct stat_result *r, const struct stat_row *row,
			  const struct count_file *calls)
{
	struct stat_line *l = stat_line_of(r, row->function, row->object, row->id, row->class);

	if (!l)
		return false;
	for (unsigned int i = 0; i < STAT_COUNTS; i++)
		l->n[i] += (double)row->n[i];
	stat_add_calls(l, count_function(row->guid), calls->rows);
	if (r->exact && l->calls > 0)
		l->requests = l->n[STAT_MESSAGES];
	stat_model(l, &r->pcie);
	return true;
}

static bool stat_join_cq(struct stat_result *r, const struct count_row *row)
{
	const uint32_t context = count_scope_of(row->key), handle = row->key & 0xffffff;
	struct stat_cq *bigger;
	size_t at = 0;

	while (at < r->ncqs && (r->cqs[at].handle != handle || r->cqs[at].context != context))
		at++;
	bigger = at < r->ncqs ? r->cqs : realloc(r->cqs, (at + 1) * sizeof(*bigger));
	if (!bigger)
		return false;
	r->cqs = bigger;
	if (at == r->ncqs)
		bigger[r->ncqs++] = (struct stat_cq){context, handle, {0}};
	for (unsigned int i = 0; i < 4; i++)
		bigger[at].n[i] += (double)row->n[i];
	return true;
}

bool stat_join(struct stat_result *r, const struct stat_row *rows, size_t n,
	       const struct count_file *calls)
{
	struct stat_run *run = &r->runs[r->nruns++];
	bool ok = true;

	r->untrapped += calls->untrapped;
	for (size_t i = 0; i < n && ok; i++) {
		if (rows[i].class < STAT_CLASSES) {
			ok = stat_join_row(r, &rows[i], calls);
			run->messages += (double)rows[i].n[STAT_MESSAGES];
			continue;
		}
		for (unsigned int k = 0; k <= STAT_PAGES; k++)
			r->device[k] += (double)rows[i].n[k];
	}
	for (uint32_t i = 0; i < COUNT_ROWS && ok; i++)
		if (calls->rows[i].key && count_kind_of(calls->rows[i].key) == COUNT_POLLS)
			ok = stat_join_cq(r, &calls->rows[i]);
	return ok;
}

static void stat_add_bounds(struct bounds *to, const struct bounds *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i].least += from[i].least;
		to[i].most += from[i].most;
	}
}

static void stat_add_line(struct stat_line *to, const struct stat_line *from)
{
	for (unsigned int i = 0; i < STAT_COUNTS; i++)
		to->n[i] += from->n[i];
	to->known |= from->known;
	to->calls += from->calls;
	to->requests += from->requests;
	to->blueflame += from->blueflame;
	stat_add_bounds((struct bounds *)&to->traffic, (const struct bounds *)&from->traffic,
			sizeof(to->traffic) / sizeof(struct bounds));
}

bool stat_sum_classes(struct stat_result *r)
{
	const size_t n = r->nqueues = r->nlines;

	for (unsigned int class = 0; class < STAT_CLASSES; class ++)
		for (size_t i = 0; i < n; i++) {
			struct stat_line *sum;

			if (r->lines[i].class != class)
				continue;
			sum = stat_line_of(r, "", "all", 0, class);
			if (!sum)
				return false;
			stat_add_line(sum, &r->lines[i]);
		}
	return true;
}

void stat_cq_name(char *text, size_t size, const struct stat_result *r, const struct stat_cq *cq)
{
	bool several = false;

	for (size_t i = 0; i < r->ncqs; i++)
		several |= r->cqs[i].context != r->cqs[0].context;
	if (several)
		snprintf(text, size, "CQ with handle %u of open device %u", cq->handle,
			 cq->context);
	else
		snprintf(text, size, "CQ with handle %u", cq->handle);
}

void stat_free(struct stat_result *r)
{
	free(r->lines);
	free(r->cqs);
}
