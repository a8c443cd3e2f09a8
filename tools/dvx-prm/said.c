/* SPDX-License-Identifier: BSD-2-Clause */
#include "said.h"

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

#define LONGEST 1024 /* of a line; the rest is ignored */

/* A line and the same in lower case, for the keys of forms. */
struct said_line {
	char text[2 * LONGEST], lower[2 * LONGEST];
	size_t first; /* length of the first of two joined lines */
	int fails;    /* whether it reports a failure; -1: not looked yet */
};

struct said_reader {
	const char *text;
	size_t len, at;
	unsigned int number; /* of the line at `at`, from 1 */
	struct said *list;
	size_t count, lost;
	regex_t regs[FORMS_MOST];
	signed char compiled[FORMS_MOST]; /* 1: yes, -1: it cannot be */
};

void said_set(struct said *s, enum said_value v, uint64_t value)
{
	s->has |= 1u << v;
	s->value[v] = value;
}

static void said_take(struct said *s, char group, const char *text)
{
	static const struct {
		char group;
		uint8_t value, base;
	} numbers[] = {
		{'w', SAID_WC, 0},	  {'s', SAID_SYNDROME, 0}, {'v', SAID_VENDOR, 0},
		{'V', SAID_VENDOR, 16},	  {'q', SAID_QPN, 0},	   {'i', SAID_INDEX, 10},
		{'c', SAID_COMMAND, 16},  {'m', SAID_OP_MOD, 16},  {'t', SAID_STATUS, 0},
		{'y', SAID_FIRMWARE, 16}, {'d', SAID_NUMBER, 10},  {'D', SAID_NUMBER, 16},
		{'r', SAID_NUMBER, 10},
	};

	if (group == 'n' || group == 'k')
		snprintf(s->call, sizeof(s->call), "%s", text);
	if (group == 'x')
		snprintf(s->word, sizeof(s->word), "%.63s", text);
	if (group == 'W')
		said_set(s, SAID_WC, wc_of_text(text));
	if (group == 'N' && wc_of_name(text))
		said_set(s, SAID_WC, wc_of_name(text));
	if (group == 'k' && wc_syndrome_of_kernel(text))
		said_set(s, SAID_SYNDROME, wc_syndrome_of_kernel(text));
	if (group == 'e' || (group == 'r' && *text == '-'))
		said_set(s, SAID_ERRNO, (uint32_t)abs(atoi(text)));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].group == group && *text != '-')
			said_set(s, (enum said_value)numbers[i].value,
				 (uint32_t)strtoul(text, NULL, numbers[i].base));
}

static void take_groups(struct said *s, const struct form *form, const char *line,
			const regmatch_t *m)
{
	for (const char *g = form->groups; *g; g++) {
		char text[96];

		if (*g == 'E' || (++m)->rm_so < 0)
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)(m->rm_eo - m->rm_so), line + m->rm_so);
		said_take(s, *g, text);
	}
}

/* The errno that the line has, unless a group of its form was one. */
static void take_errno(struct said *s, const char *line, const char *lower)
{
	unsigned int e = said_has(s, SAID_ERRNO) ? 0 : errnum_find(line, lower);

	if (e)
		said_set(s, SAID_ERRNO, e);
}

static void set_text(struct said *s, const char *line)
{
	size_t n = 0;

	while (isspace((unsigned char)*line))
		line++;
	for (; line[n] && n < sizeof(s->text) - 1; n++)
		s->text[n] = isprint((unsigned char)line[n]) ? line[n] : '?';
	s->text[n] = 0;
}

/* The line at offset `at` without what a paste puts before it; returns where the next begins. */
static size_t line_at(const struct said_reader *r, size_t at, char *to)
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

static void lower_line(struct said_line *l)
{
	size_t i = 0;

	for (; l->text[i]; i++)
		l->lower[i] = (char)tolower((unsigned char)l->text[i]);
	l->lower[i] = 0;
	l->fails = -1;
}

/* Most inputs need a few of the regular expressions, and compiling one takes long. */
static bool form_compiled(struct said_reader *r, size_t i)
{
	if (!r->compiled[i])
		r->compiled[i] =
			regcomp(&r->regs[i], forms[i].pattern, REG_EXTENDED | REG_ICASE) ? -1 : 1;
	return r->compiled[i] > 0;
}

/*
 * Whether a word of the line (in lower case) reports a failure, and not how few there were, as "0
 * errors" and "failed: 0" do.
 */
static bool line_reports_failure(const struct said_line *l)
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

/* Whether the errno may be anywhere in such a line. */
static bool form_has_errno(const struct form *f)
{
	return !f->who || strchr(f->groups, 'E');
}

static bool line_fails(struct said_line *l)
{
	if (l->fails < 0)
		l->fails = line_reports_failure(l);
	return l->fails;
}

/* The first form that fits; of two joined lines only a form that reaches from one to the other. */
static const struct form *form_find(struct said_reader *r, struct said_line *l, regmatch_t *m)
{
	for (size_t i = 0; i < form_count; i++) {
		if ((l->first && forms[i].loose) || !strstr(l->lower, forms[i].key) ||
		    (!forms[i].who && !line_fails(l)) || !form_compiled(r, i) ||
		    regexec(&r->regs[i], l->text, FORMS_GROUPS, m, 0))
			continue;
		if (!l->first || ((size_t)m->rm_so < l->first && (size_t)m->rm_eo > l->first + 1))
			return &forms[i];
	}
	return NULL;
}

/* Lines of one failure may differ in QP and WQE index. */
static bool said_same(const struct said *a, const struct said *b)
{
	const unsigned int own = 1u << SAID_QPN | 1u << SAID_INDEX;

	if (a->who != b->who || a->topic != b->topic || a->has != b->has ||
	    strcmp(a->call, b->call) || strcmp(a->word, b->word) || a->health.has)
		return false;
	for (unsigned int v = 0; v < SAID_VALUES; v++)
		if (!(own >> v & 1) && a->value[v] != b->value[v])
			return false;
	return true;
}

static bool topic_is_kin(enum topic_id a, enum topic_id b)
{
	return a == b || (a == TOPIC_DMABUF && b == TOPIC_MEMORY);
}

/*
 * Whether the line only repeats that a call failed which the line before it reported: programs
 * print one for each function on the way out. The kernel's log is another one.
 */
static bool said_echoes(const struct said *last, const struct said *s)
{
	return (s->topic == TOPIC_MEMORY || s->topic == TOPIC_OBJECT) &&
	       topic_is_kin(last->topic, s->topic) && last->line + last->times == s->line &&
	       !said_has(s, SAID_ERRNO) &&
	       (last->who == s->who || (!*s->word && strncmp(s->who, "the kernel", 10)));
}

static void said_keep(struct said_reader *r, const struct said *s)
{
	if (r->count && said_echoes(&r->list[r->count - 1], s)) {
		r->list[r->count - 1].times++;
		return;
	}
	for (size_t i = 0; i < r->count; i++)
		if (said_same(&r->list[i], s)) {
			r->list[i].times++;
			return;
		}
	if (r->count < SAID_MOST)
		r->list[r->count++] = *s;
	else
		r->lost++;
}

/* The newest health report of the line's device: those of two devices mix in a log. */
static struct said *said_report(const struct said_reader *r, const char *line)
{
	char device[sizeof(r->list->health.device)];

	health_device(device, sizeof(device), line);
	for (size_t i = r->count; i--;)
		if (r->list[i].topic == TOPIC_HEALTH_REPORT &&
		    !strcmp(r->list[i].health.device, device))
			return &r->list[i];
	return NULL;
}

static bool said_health(struct said_reader *r, const char *line)
{
	struct said s = {.who = "the kernel's mlx5 driver",
			 .topic = TOPIC_HEALTH_REPORT,
			 .line = r->number,
			 .times = 1};
	struct said *report = said_report(r, line);

	if (report && health_take(&report->health, line, true)) {
		report->times++;
		return true;
	}
	if (!health_take(&s.health, line, false))
		return false;
	set_text(&s, line);
	said_keep(r, &s);
	return true;
}

/* "rx_out_of_buffer: 12" of ethtool -S, "out_of_buffer 12" of rdma statistic; 0 is no news. */
static bool said_counters(struct said_reader *r, const char *line)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	const struct topic_detail *d;
	bool found = false;

	for (const char *p = line; (p += strcspn(p, letters), *p); p += strspn(p, letters)) {
		size_t n = strspn(p, letters);
		const char *value = p + n + strspn(p + n, ": \t");
		struct said s = {.who = "ethtool or rdma",
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
		said_set(&s, SAID_NUMBER, strtoull(value, NULL, 10));
		snprintf(s.call, sizeof(s.call), "%s %" PRIu64, s.word, s.value[SAID_NUMBER]);
		set_text(&s, line);
		said_keep(r, &s);
		found = true;
	}
	return found;
}

/* Keeps what was found in the line, unless it is nothing. */
static void said_add(struct said_reader *r, struct said *s, const char *line)
{
	/* A status of 0 is success; of a name that libibverbs does not have nothing is known. */
	if (said_has(s, SAID_WC) ? !s->value[SAID_WC] : !s->topic && !s->has)
		return;
	s->line = r->number;
	s->times = 1;
	set_text(s, line);
	said_keep(r, s);
}

/* Whether the line names no program and no function: its words may be about something else. */
static bool line_is_guess(const char *who, const char *lower)
{
	static const char *const names[] = {"ibv_", "rdma", "mlx5", "fi_", "ib_", "dma"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(lower, names[i]))
			return false;
	return !strncmp(who, "a program with", 14);
}

/* A user of the device inside the kernel; mlx5_ib's own lines are about requests of programs. */
static bool who_is_module(const char *who)
{
	return !strncmp(who, "the kernel's ", 13) && strcmp(who, "the kernel's mlx5 driver");
}

/* whole: the line, or with the next one, which has its errno. */
static void said_add_form(struct said_reader *r, const struct form *f, const struct said_line *l,
			  const regmatch_t *m, const struct said_line *whole)
{
	struct said s = {.who = f->who ? f->who : form_program(l->lower, f->topic),
			 .topic = f->topic};

	if ((s.topic == TOPIC_OBJECT || s.topic == TOPIC_MEMORY) && who_is_module(s.who))
		s.topic = TOPIC_KERNEL_OBJECT;
	s.guess = !f->who && line_is_guess(s.who, l->lower);
	take_groups(&s, f, l->text, m);
	if (form_has_errno(f))
		take_errno(&s, whole->text, whole->lower);
	if (said_has(&s, SAID_FIRMWARE) && !said_has(&s, SAID_COMMAND) && command_of_call(s.call))
		said_set(&s, SAID_COMMAND, command_of_call(s.call));
	if (s.topic != TOPIC_VERB || said_has(&s, SAID_ERRNO))
		said_add(r, &s, l->text);
}

/* The line, or with its end on the next one: mail and narrow terminals break lines. */
static void said_read_line(struct said_reader *r)
{
	regmatch_t alone[FORMS_GROUPS], both[FORMS_GROUPS];
	struct said_line l = {.first = 0}, two;
	const struct form *f, *g = NULL;
	size_t next = line_at(r, r->at, l.text), after = next;
	struct said refused = {.who = NULL};
	bool more = false; /* the next line has the errno */

	lower_line(&l);
	if (said_health(r, l.text) || said_counters(r, l.text)) {
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
		said_add_form(r, g, &two, both, &two);
	else if ((!f || !f->who) && refusal_find(&refused, l.text, l.lower))
		said_add(r, &refused, l.text);
	else if (f)
		said_add_form(r, f, &l, alone, more ? &two : &l);
	r->at = g || more ? after : next;
	r->number += g || more;
}

struct said *said_read(const char *text, size_t len, size_t *count, size_t *lost)
{
	struct said_reader *r = calloc(1, sizeof(*r));
	struct said *list = calloc(SAID_MOST, sizeof(*list));

	*count = *lost = 0;
	if (r && list) {
		*r = (struct said_reader){.text = text, .len = len, .list = list};
		while (r->at < len) {
			r->number++;
			said_read_line(r);
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
