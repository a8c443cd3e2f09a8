/* SPDX-License-Identifier: BSD-2-Clause */
#include "failure.h"

#include <ctype.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "errnum.h"
#include "forms.h"
#include "paste.h"
#include "refusal.h"

#define LONGEST 1024 /* bytes of a line; the rest is ignored */

/* A line, and the line in lower case, for the forms' keys. */
struct failure_line {
	char text[2 * LONGEST], lower[2 * LONGEST];
	size_t first; /* length of the first of two joined lines */
	int fails;    /* whether it reports a failure; -1: not known yet */
};

struct failure_reader {
	const char *text;
	size_t len, at;
	unsigned int number; /* of the line at `at`, from 1 */
	struct failure *list;
	size_t count, lost;
	regex_t regs[FORMS_MOST];
	signed char compiled[FORMS_MOST]; /* 1: compiled, -1: it can't be */
};

static void failure_take(struct failure *s, char group, const char *text)
{
	static const struct {
		char group;
		uint8_t value, base;
	} numbers[] = {
		{'w', FAILURE_WC, 0},	     {'s', FAILURE_SYNDROME, 0}, {'v', FAILURE_VENDOR, 0},
		{'V', FAILURE_VENDOR, 16},   {'q', FAILURE_QPN, 0},	 {'i', FAILURE_INDEX, 10},
		{'c', FAILURE_COMMAND, 16},  {'m', FAILURE_OP_MOD, 16},	 {'t', FAILURE_STATUS, 0},
		{'y', FAILURE_FIRMWARE, 16}, {'d', FAILURE_NUMBER, 10},	 {'D', FAILURE_NUMBER, 16},
		{'r', FAILURE_NUMBER, 10},
	};

	if (group == 'n' || group == 'k')
		snprintf(s->call, sizeof(s->call), "%s", text);
	if (group == 'x')
		snprintf(s->word, sizeof(s->word), "%.63s", text);
	if (group == 'W')
		failure_set(s, FAILURE_WC, wc_of_text(text));
	if (group == 'N' && wc_of_name(text))
		failure_set(s, FAILURE_WC, wc_of_name(text));
	if (group == 'k' && wc_syndrome_of_kernel(text))
		failure_set(s, FAILURE_SYNDROME, wc_syndrome_of_kernel(text));
	if (group == 'e' || (group == 'r' && *text == '-'))
		failure_set(s, FAILURE_ERRNO, (uint32_t)abs(atoi(text)));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].group == group && *text != '-')
			failure_set(s, (enum failure_value)numbers[i].value,
				    (uint32_t)strtoul(text, NULL, numbers[i].base));
}

static void take_groups(struct failure *s, const struct form *form, const char *line,
			const regmatch_t *m)
{
	for (const char *g = form->groups; *g; g++) {
		char text[96];

		if (*g == 'E' || (++m)->rm_so < 0)
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)(m->rm_eo - m->rm_so), line + m->rm_so);
		failure_take(s, *g, text);
	}
}

/* Takes the errno of the line, unless a group of the form was one. */
static void take_errno(struct failure *s, const char *line, const char *lower)
{
	unsigned int e = failure_has(s, FAILURE_ERRNO) ? 0 : errnum_find(line, lower);

	if (e)
		failure_set(s, FAILURE_ERRNO, e);
}

static void set_text(struct failure *s, const char *line)
{
	size_t n = 0;

	while (isspace((unsigned char)*line))
		line++;
	for (; line[n] && n < sizeof(s->text) - 1; n++)
		s->text[n] = isprint((unsigned char)line[n]) ? line[n] : '?';
	s->text[n] = 0;
}

/* Copies the line at offset `at` without a paste's prefix. Returns where the next line begins. */
static size_t line_at(const struct failure_reader *r, size_t at, char *to)
{
	const char *end = memchr(r->text + at, '\n', r->len - at);
	size_t n = end ? (size_t)(end - r->text) - at : r->len - at;
	size_t skip = paste_prefix(r->text + at, n), len = n - skip;

	while (len && isspace((unsigned char)r->text[at + skip + len - 1]))
		len--;
	snprintf(to, LONGEST, "%.*s", (int)(len < LONGEST ? len : LONGEST - 1),
		 r->text + at + skip);
	return at + n + 1;
}

static void lower_line(struct failure_line *l)
{
	size_t i = 0;

	for (; l->text[i]; i++)
		l->lower[i] = (char)tolower((unsigned char)l->text[i]);
	l->lower[i] = 0;
	l->fails = -1;
}

/*
 * Compiles a form's expression when it is needed: most inputs need few, and compiling takes long.
 */
static bool form_compiled(struct failure_reader *r, size_t i)
{
	if (!r->compiled[i])
		r->compiled[i] =
			regcomp(&r->regs[i], forms[i].pattern, REG_EXTENDED | REG_ICASE) ? -1 : 1;
	return r->compiled[i] > 0;
}

/*
 * Whether a word of the line (in lower case) reports a failure, but not a count of none, as in "0
 * errors" and "failed: 0".
 */
static bool line_reports_failure(const struct failure_line *l)
{
	static const char *const words[] = {
		"fail",		 "unable",     "cannot", "can't",	"can not",
		"couldn't",	 "could not",  "refus",	 "not support", "unsupport",
		"returned null", "null value", "error",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (const char *p = l->lower; (p = strstr(p, words[i])) != NULL;) {
			const char *after = p + strlen(words[i]);
			bool none = p - l->lower >= 3 && strchr(" \t", p[-1]) &&
				    (!strncmp(p - 3, "no ", 3) || !strncmp(p - 3, " 0 ", 3));

			after += strspn(after, "abcdefghijklmnopqrstuvwxyz_");
			after += strncmp(after, " count", 6) ? 0 : 6;
			after += strspn(after, " =:");
			if (!none && !(*after == '0' && after[1] != 'x' &&
				       !isdigit((unsigned char)after[1])))
				return true;
			p += strlen(words[i]);
		}
	return errnum_find(l->text, l->lower) != 0;
}

/* Whether the errno may be anywhere in a line of this form. */
static bool form_has_errno(const struct form *f)
{
	return !f->program || strchr(f->groups, 'E');
}

static bool line_fails(struct failure_line *l)
{
	if (l->fails < 0)
		l->fails = line_reports_failure(l);
	return l->fails;
}

/*
 * Finds the first form that matches. For two joined lines, only a match that reaches from one to
 * the other counts.
 */
static const struct form *form_find(struct failure_reader *r, struct failure_line *l, regmatch_t *m)
{
	for (size_t i = 0; i < form_count; i++) {
		if ((l->first && forms[i].loose) || !strstr(l->lower, forms[i].key) ||
		    (!forms[i].program && !line_fails(l)) || !form_compiled(r, i) ||
		    regexec(&r->regs[i], l->text, FORMS_GROUPS, m, 0))
			continue;
		if (!l->first || ((size_t)m->rm_so < l->first && (size_t)m->rm_eo > l->first + 1))
			return &forms[i];
	}
	return NULL;
}

/* Whether two lines report one failure: they may differ in QP and WQE index. */
static bool failure_same(const struct failure *a, const struct failure *b)
{
	const unsigned int own = 1u << FAILURE_QPN | 1u << FAILURE_INDEX;

	if (a->program != b->program || a->topic != b->topic || a->has != b->has ||
	    strcmp(a->call, b->call) || strcmp(a->word, b->word) || a->health.has)
		return false;
	for (unsigned int v = 0; v < FAILURE_VALUES; v++)
		if (!(own >> v & 1) && a->value[v] != b->value[v])
			return false;
	return true;
}

static bool topic_is_kin(enum topic_id a, enum topic_id b)
{
	return a == b || (a == TOPIC_DMABUF && b == TOPIC_MEMORY);
}

/*
 * Whether the line only repeats a failed call of the line before: programs print a line for each
 * function on the way out. The kernel's log does not count as such.
 */
static bool failure_echoes(const struct failure *last, const struct failure *s)
{
	return (s->topic == TOPIC_MEMORY || s->topic == TOPIC_OBJECT) &&
	       topic_is_kin(last->topic, s->topic) && last->line + last->times == s->line &&
	       !failure_has(s, FAILURE_ERRNO) &&
	       (last->program == s->program ||
		(!*s->word && strncmp(s->program, "the kernel", 10)));
}

static void failure_keep(struct failure_reader *r, const struct failure *s)
{
	if (r->count && failure_echoes(&r->list[r->count - 1], s)) {
		r->list[r->count - 1].times++;
		return;
	}
	for (size_t i = 0; i < r->count; i++)
		if (failure_same(&r->list[i], s)) {
			r->list[i].times++;
			return;
		}
	if (r->count < FAILURE_MOST)
		r->list[r->count++] = *s;
	else
		r->lost++;
}

/* Returns the newest health report of the line's device: reports of two devices mix in a log. */
static struct failure *failure_report(const struct failure_reader *r, const char *line)
{
	char device[sizeof(r->list->health.device)];

	health_device(device, sizeof(device), line);
	for (size_t i = r->count; i--;)
		if (r->list[i].topic == TOPIC_HEALTH_REPORT &&
		    !strcmp(r->list[i].health.device, device))
			return &r->list[i];
	return NULL;
}

static bool failure_health(struct failure_reader *r, const char *line)
{
	struct failure s = {.program = "the kernel's mlx5 driver",
			    .topic = TOPIC_HEALTH_REPORT,
			    .line = r->number,
			    .times = 1};
	struct failure *report = failure_report(r, line);

	if (report && health_take(&report->health, line, true)) {
		report->times++;
		return true;
	}
	if (!health_take(&s.health, line, false))
		return false;
	set_text(&s, line);
	failure_keep(r, &s);
	return true;
}

/*
 * Takes counters: "rx_out_of_buffer: 12" of ethtool -S, "out_of_buffer 12" of rdma statistic. Zeros
 * are skipped.
 */
static bool failure_counters(struct failure_reader *r, const char *line)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	const struct topic_detail *d;
	bool found = false;

	for (const char *p = line; (p += strcspn(p, letters), *p); p += strspn(p, letters)) {
		size_t n = strspn(p, letters);
		const char *value = p + n + strspn(p + n, ": \t");
		struct failure s = {.program = "ethtool or rdma",
				    .topic = TOPIC_COUNTER,
				    .line = r->number,
				    .times = 1};

		if (value == p + n || n >= sizeof(s.word) || !memchr(p, '_', n) || *value < '1' ||
		    *value > '9')
			continue;
		snprintf(s.word, sizeof(s.word), "%.*s", (int)n, p);
		d = topic_of_word(TOPIC_COUNTER, s.word);
		if (!d)
			continue;
		failure_set(&s, FAILURE_NUMBER, strtoull(value, NULL, 10));
		snprintf(s.call, sizeof(s.call), "%s %" PRIu64, s.word, s.value[FAILURE_NUMBER]);
		set_text(&s, line);
		failure_keep(r, &s);
		found = true;
	}
	return found;
}

/* Keeps what was found in the line, if anything. */
static void failure_add(struct failure_reader *r, struct failure *s, const char *line)
{
	/*
	 * A status of 0 is success, and nothing is known of a name that libibverbs does not have.
	 */
	if (failure_has(s, FAILURE_WC) ? !s->value[FAILURE_WC] : !s->topic && !s->has)
		return;
	s->line = r->number;
	s->times = 1;
	set_text(s, line);
	failure_keep(r, s);
}

/* Whether the line names no program and no function: it may be about something else. */
static bool line_is_guess(const char *program, const char *lower)
{
	static const char *const names[] = {"ibv_", "rdma", "mlx5", "fi_", "ib_", "dma"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(lower, names[i]))
			return false;
	return !strncmp(program, "a program with", 14);
}

/*
 * Whether a kernel module that uses the device wrote the line. Lines of mlx5_ib are about programs'
 * requests.
 */
static bool program_is_module(const char *program)
{
	return !strncmp(program, "the kernel's ", 13) &&
	       strcmp(program, "the kernel's mlx5 driver");
}

/* Adds a match. whole: the line, or the line and the next one, which has its errno. */
static void failure_add_form(struct failure_reader *r, const struct form *f,
			     const struct failure_line *l, const regmatch_t *m,
			     const struct failure_line *whole)
{
	struct failure s = {.program = f->program ? f->program : form_program(l->lower, f->topic),
			    .topic = f->topic};

	if ((s.topic == TOPIC_OBJECT || s.topic == TOPIC_MEMORY) && program_is_module(s.program))
		s.topic = TOPIC_KERNEL_OBJECT;
	s.guess = !f->program && line_is_guess(s.program, l->lower);
	take_groups(&s, f, l->text, m);
	if (form_has_errno(f))
		take_errno(&s, whole->text, whole->lower);
	if (failure_has(&s, FAILURE_FIRMWARE) && !failure_has(&s, FAILURE_COMMAND) &&
	    command_of_call(s.call))
		failure_set(&s, FAILURE_COMMAND, command_of_call(s.call));
	if (s.topic != TOPIC_VERB || failure_has(&s, FAILURE_ERRNO))
		failure_add(r, &s, l->text);
}

/*
 * Reads a line, if necessary with its end on the next one: mail and narrow terminals break lines.
 */
static void failure_read_line(struct failure_reader *r)
{
	regmatch_t alone[FORMS_GROUPS], both[FORMS_GROUPS];
	struct failure_line l = {.first = 0}, two;
	const struct form *f, *g = NULL;
	size_t next = line_at(r, r->at, l.text), after = next;
	struct failure refused = {.program = NULL};
	bool more = false; /* the next line may have the errno */

	lower_line(&l);
	if (failure_health(r, l.text) || failure_counters(r, l.text)) {
		r->at = next;
		return;
	}
	f = form_find(r, &l, alone);
	if (*l.text && (!f || f->more || form_has_errno(f)) && next < r->len) {
		two = l;
		two.first = strlen(l.text);
		two.text[two.first] = ' ';
		after = line_at(r, next, two.text + two.first + 1);
		lower_line(&two);
		if (!f || f->more)
			g = form_find(r, &two, both);
		else
			more = errnum_begins(two.lower + two.first + 1) &&
			       !errnum_find(l.text, l.lower);
	}
	if (g)
		failure_add_form(r, g, &two, both, &two);
	else if ((!f || !f->program) && refusal_find(&refused, l.text, l.lower))
		failure_add(r, &refused, l.text);
	else if (f)
		failure_add_form(r, f, &l, alone, more ? &two : &l);
	r->at = g || more ? after : next;
	r->number += g || more;
}

struct failure *failure_read(const char *text, size_t len, size_t *count, size_t *lost)
{
	struct failure_reader *r = calloc(1, sizeof(*r));
	struct failure *list = calloc(FAILURE_MOST, sizeof(*list));

	*count = *lost = 0;
	if (r && list) {
		*r = (struct failure_reader){.text = text, .len = len, .list = list};
		while (r->at < len) {
			r->number++;
			failure_read_line(r);
		}
		for (size_t i = 0; i < form_count; i++)
			if (r->compiled[i] > 0)
				regfree(&r->regs[i]);
		*count = r->count;
		*lost = r->lost;
	}
	free(r);
	return list;
}
