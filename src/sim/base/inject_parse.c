/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults as text, one in a line; # begins a comment:
 *   command CREATE_QP 2 status NO_RES syndrome 0x1234
 *   packet 5 qp 0x40 drop
 *   completion 3 syndrome REMOTE_ACCESS_ERR
 *   event 1 cq 0x3 lose
 *   memory short after 20 objects
 *   port down after 2s
 *   device fatal after 2s
 */
#include "inject.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "prm/reflect.h"

#define WORD_MOST 40u

struct inject_text {
	const char *at, *end, *line_at;
	unsigned int line;
	char word[WORD_MOST + 1]; /* the current word, "" at the line's end */
	unsigned int column;	  /* of it */
	struct inject_error *error;
};

static bool inject_ends_word(const struct inject_text *t)
{
	return t->at == t->end || *t->at == '\n' || *t->at == '#' ||
	       isspace((unsigned char)*t->at) || !*t->at;
}

/* Reads the next word of the line. Longer words are cut, and then match nothing. */
static void inject_next(struct inject_text *t)
{
	size_t n = 0;

	while (t->at < t->end && *t->at != '\n' && (isspace((unsigned char)*t->at) || !*t->at))
		t->at++;
	t->column = (unsigned int)(t->at - t->line_at) + 1;
	for (; !inject_ends_word(t); t->at++)
		if (n < WORD_MOST)
			t->word[n++] = *t->at;
	t->word[n] = 0;
}

/* Reports what was expected instead of the current word. Returns false. */
static bool inject_expected(struct inject_text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static bool inject_expected(struct inject_text *t, const char *fmt, ...)
{
	struct inject_error *e = t->error;
	int n = snprintf(e->why, sizeof(e->why), "expected ");
	va_list ap;

	va_start(ap, fmt);
	n += vsnprintf(e->why + n, sizeof(e->why) - (size_t)n, fmt, ap);
	va_end(ap);
	if (n < INJECT_WHY)
		snprintf(e->why + n, sizeof(e->why) - (size_t)n, *t->word ? ", not \"%s\"" : "%s",
			 t->word);
	e->line = t->line;
	e->column = t->column;
	return false;
}

/* Takes the current word if it is this one. */
static bool inject_take(struct inject_text *t, const char *word)
{
	if (strcmp(t->word, word))
		return false;
	inject_next(t);
	return true;
}

static bool inject_number(struct inject_text *t, uint32_t least, uint32_t most, uint32_t *to,
			  const char *what)
{
	char *end;
	unsigned long long n = isdigit((unsigned char)*t->word) ? strtoull(t->word, &end, 0) : 0;

	if (!isdigit((unsigned char)*t->word) || *end || n < least || n > most)
		return inject_expected(t, "%s", what);
	*to = (uint32_t)n;
	inject_next(t);
	return true;
}

/* Reads a number, or the name of one below `count`. */
static bool inject_named(struct inject_text *t, const char *(*name)(uint32_t), uint32_t count,
			 uint32_t *to, const char *what)
{
	for (uint32_t n = 0; n < count && *t->word && *t->word != '?'; n++)
		if (!strcmp(name(n), t->word)) {
			*to = n;
			inject_next(t);
			return true;
		}
	return inject_number(t, 1, count - 1, to, what);
}

static bool inject_time(struct inject_text *t, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint32_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	char *end = t->word;
	const unsigned long long n =
		isdigit((unsigned char)*t->word) ? strtoull(t->word, &end, 10) : 0;

	for (size_t i = 0; end != t->word && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].name) && n <= INJECT_DELAY_MOST / units[i].ns) {
			*ns = n * units[i].ns;
			inject_next(t);
			return true;
		}
	return inject_expected(t, "a time up to 60s, with ns, us, ms or s");
}

/* Takes a word that must be there. */
static bool inject_must(struct inject_text *t, const char *word)
{
	return inject_take(t, word) || inject_expected(t, "\"%s\"", word);
}

#define NTH "which one: a number from 1"

static bool inject_parse_command(struct inject_text *t, struct inject_fault *f)
{
	uint32_t status;

	f->action = INJECT_ANSWER;
	f->number = INJECT_ANY;
	if ((!inject_take(t, "any") && !inject_named(t, prm_opcode_name, 0x1000, &f->number,
						     "a command, as CREATE_QP or 0x500, or any")) ||
	    !inject_number(t, 1, UINT32_MAX, &f->nth, NTH))
		return false;
	if (!inject_must(t, "status") ||
	    !inject_named(t, prm_status_name, 0x100, &status,
			  "a status that is not OK, by name or number"))
		return false;
	if (!status)
		return inject_expected(t, "a status that is not OK before this");
	f->status = (uint8_t)status;
	return !inject_take(t, "syndrome") ||
	       inject_number(t, 0, UINT32_MAX, &f->syndrome, "a syndrome of 32 bits");
}

/* Reads which one, and maybe the number of a QP. */
static bool inject_parse_nth(struct inject_text *t, struct inject_fault *f)
{
	f->number = INJECT_ANY;
	return inject_number(t, 1, UINT32_MAX, &f->nth, NTH) &&
	       (!inject_take(t, "qp") ||
		inject_number(t, 0, 0xffffff, &f->number, "the number of a QP"));
}

static const char *const inject_packet_words[INJECT_ACTIONS] = {
	[INJECT_DROP] = "drop",
	[INJECT_DOUBLE] = "double",
	[INJECT_CORRUPT] = "corrupt",
	[INJECT_DELAY] = "delay",
};

static bool inject_parse_packet(struct inject_text *t, struct inject_fault *f)
{
	if (!inject_parse_nth(t, f))
		return false;
	for (unsigned int i = INJECT_DROP; i <= INJECT_DELAY; i++)
		if (inject_take(t, inject_packet_words[i])) {
			f->action = (uint8_t)i;
			return i != INJECT_DELAY || inject_time(t, &f->ns);
		}
	return inject_expected(t, "%sdrop, double, corrupt or delay",
			       f->number == INJECT_ANY ? "\"qp\", " : "");
}

static bool inject_parse_completion(struct inject_text *t, struct inject_fault *f)
{
	f->action = INJECT_ERROR;
	if (!inject_parse_nth(t, f))
		return false;
	if (!inject_take(t, "syndrome"))
		return inject_expected(t, "%s\"syndrome\"",
				       f->number == INJECT_ANY ? "\"qp\" or " : "");
	return inject_named(t, prm_syndrome_name, 0x100, &f->syndrome,
			    "a syndrome of a CQE, by name or number");
}

static bool inject_parse_event(struct inject_text *t, struct inject_fault *f)
{
	f->action = INJECT_LOSE;
	f->number = INJECT_ANY;
	if (!inject_number(t, 1, UINT32_MAX, &f->nth, NTH) ||
	    (inject_take(t, "cq") &&
	     !inject_number(t, 0, 0xffffff, &f->number, "the number of a CQ")))
		return false;
	return inject_take(t, "lose") ||
	       inject_expected(t, "%s\"lose\"", f->number == INJECT_ANY ? "\"cq\" or " : "");
}

/* The first object that finds no memory is counted, as all faults are, from 1. */
static bool inject_parse_memory(struct inject_text *t, struct inject_fault *f)
{
	f->action = INJECT_SHORT;
	f->number = INJECT_ANY;
	if (!inject_must(t, "short") || !inject_must(t, "after") ||
	    !inject_number(t, 0, UINT32_MAX - 1, &f->nth, "how many objects still find memory"))
		return false;
	f->nth++;
	return inject_must(t, "objects");
}

static bool inject_parse_after(struct inject_text *t, struct inject_fault *f)
{
	f->number = INJECT_ANY;
	f->nth = 1;
	return inject_must(t, "after") && inject_time(t, &f->ns);
}

static bool inject_parse_port(struct inject_text *t, struct inject_fault *f)
{
	f->action = inject_take(t, "up") ? INJECT_UP : INJECT_DOWN;
	if (f->action == INJECT_DOWN && !inject_take(t, "down"))
		return inject_expected(t, "down or up");
	return inject_parse_after(t, f);
}

static bool inject_parse_device(struct inject_text *t, struct inject_fault *f)
{
	f->action = INJECT_FATAL;
	return inject_must(t, "fatal") && inject_parse_after(t, f);
}

static const struct {
	const char *word;
	bool (*parse)(struct inject_text *, struct inject_fault *);
} inject_rows[INJECT_EVENTS] = {
	[INJECT_COMMAND] = {"command", inject_parse_command},
	[INJECT_PACKET] = {"packet", inject_parse_packet},
	[INJECT_COMPLETION] = {"completion", inject_parse_completion},
	[INJECT_INTERRUPT] = {"event", inject_parse_event},
	[INJECT_OBJECT] = {"memory", inject_parse_memory},
	[INJECT_PORT] = {"port", inject_parse_port},
	[INJECT_DEVICE] = {"device", inject_parse_device},
};

static bool inject_parse_fault(struct inject_text *t, struct inject_fault *f)
{
	for (unsigned int i = 0; i < INJECT_EVENTS; i++)
		if (inject_take(t, inject_rows[i].word)) {
			*f = (struct inject_fault){.event = (uint8_t)i};
			return inject_rows[i].parse(t, f) &&
			       (!*t->word || inject_expected(t, "the line's end"));
		}
	return inject_expected(t, "command, packet, completion, event, memory, port or device");
}

static void inject_next_line(struct inject_text *t)
{
	while (t->at < t->end && *t->at != '\n')
		t->at++;
	t->at += t->at < t->end;
	t->line_at = t->at;
	t->line++;
}

int inject_parse(const char *text, size_t len, struct inject_fault *to, struct inject_error *error)
{
	struct inject_text t = {
		.at = text, .end = text + len, .line_at = text, .line = 1, .error = error};
	int n = 0;

	for (; t.at < t.end; inject_next_line(&t)) {
		inject_next(&t);
		if (!*t.word)
			continue;
		if (n == (int)INJECT_MOST) {
			inject_expected(&t, "at most %u faults", INJECT_MOST);
			return -1;
		}
		if (!inject_parse_fault(&t, &to[n++]))
			return -1;
	}
	return n;
}

/* Writes what a fault selects: a command, "any", or nothing. */
static void inject_print_number(const struct inject_fault *f, FILE *to)
{
	static const char *const words[INJECT_EVENTS] = {
		[INJECT_PACKET] = "qp", [INJECT_COMPLETION] = "qp", [INJECT_INTERRUPT] = "cq"};

	if (f->event == INJECT_COMMAND && f->number == INJECT_ANY)
		fputs(" any", to);
	else if (f->event == INJECT_COMMAND)
		fprintf(to, " 0x%x", f->number);
	fprintf(to, " %u", f->nth);
	if (words[f->event] && f->number != INJECT_ANY)
		fprintf(to, " %s 0x%x", words[f->event], f->number);
}

static void inject_print_action(const struct inject_fault *f, FILE *to)
{
	switch (f->action) {
	case INJECT_ANSWER:
		fprintf(to, " status 0x%02x syndrome 0x%x", f->status, f->syndrome);
		break;
	case INJECT_ERROR:
		fprintf(to, " syndrome 0x%02x", f->syndrome);
		break;
	case INJECT_DELAY:
		fprintf(to, " delay %lluns", (unsigned long long)f->ns);
		break;
	case INJECT_LOSE:
		fputs(" lose", to);
		break;
	default:
		fprintf(to, " %s", inject_packet_words[f->action]);
	}
}

void inject_print(const struct inject_fault *f, char *text, size_t size)
{
	static const char *const after[INJECT_ACTIONS] = {
		[INJECT_DOWN] = "down", [INJECT_UP] = "up", [INJECT_FATAL] = "fatal"};
	FILE *to = fmemopen(text, size, "w");

	if (!to)
		return;
	fputs(inject_rows[f->event].word, to);
	if (f->action == INJECT_SHORT) {
		fprintf(to, " short after %u objects", f->nth - 1);
	} else if (after[f->action]) {
		fprintf(to, " %s after %lluns", after[f->action], (unsigned long long)f->ns);
	} else {
		inject_print_number(f, to);
		inject_print_action(f, to);
	}
	fclose(to);
}
