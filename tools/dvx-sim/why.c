/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints what the queues of a chip wait for; its lab finds that (src/sim/lab/why.h). */
#include "dvx-sim.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "src/sim/link/link.h"
#include "tools/cli/json.h"

#define SAMPLE_MS 100 /* between two answers: what has moved since waits for nothing */

void why_forget(struct why *w)
{
	free(w->rows);
	*w = (struct why){0};
}

/* Returns a copy; without memory, an empty one. */
struct why why_copy(const struct why *from)
{
	struct why w = {.rows = calloc(from->n + 1, sizeof(*w.rows))};

	w.n = w.rows ? from->n : 0;
	if (w.n)
		memcpy(w.rows, from->rows, w.n * sizeof(*w.rows));
	return w;
}

static bool why_rows_fit(const struct link_message *m)
{
	const struct lab_finding *rows = (const void *)m->body;

	if (m->h.result || m->h.len % sizeof(*rows))
		return false;
	for (size_t i = 0; i < m->h.len / sizeof(*rows); i++)
		if (rows[i].kind >= FINDINGS)
			return false;
	return true;
}

bool why_ask(const char *name, uint16_t question, const void *body, size_t len, struct why *w)
{
	struct link_message answer = {0};
	int sock = registry_try(name), err;

	*w = (struct why){0};
	if (sock < 0)
		return false;
	err = link_ask(sock, question, body, len, -1, &answer);
	close(sock);
	if (!err && why_rows_fit(&answer)) {
		w->n = answer.h.len / sizeof(w->rows[0]);
		w->rows = (void *)answer.body;
		return true;
	}
	if (registry_is_ours(name, err))
		message_print("%s %s", name,
			      answer.h.result == -ENODATA ? "was started without --check"
							  : "does not answer");
	link_message_free(&answer);
	return false;
}

bool why_query(const char *name, struct why *w)
{
	return why_ask(name, LINK_WHY, NULL, 0, w);
}

/* Finds it in another answer, where it is probably behind the last one found. */
static bool why_finds(const struct why *earlier, const struct lab_finding *f, size_t *from)
{
	for (size_t i = 0; i < earlier->n; i++) {
		const size_t at = (*from + i) % earlier->n;

		if (finding_lasts(&earlier->rows[at], f)) {
			*from = at + 1;
			return true;
		}
	}
	return false;
}

void why_keep_lasting(struct why *later, const struct why *earlier)
{
	size_t n = 0, from = 0;

	for (size_t i = 0; i < later->n; i++)
		if (later->rows[i].ended || why_finds(earlier, &later->rows[i], &from))
			later->rows[n++] = later->rows[i];
	later->n = n;
}

bool why_query_lasting(const char *name, int until, struct why *w)
{
	struct pollfd pause = {.fd = until, .events = POLLIN};
	struct why earlier;

	if (!why_query(name, &earlier))
		return false;
	if (!earlier.n) {
		*w = earlier;
		return true;
	}
	poll(&pause, 1, SAMPLE_MS);
	if (!why_query(name, w)) {
		why_forget(&earlier);
		return false;
	}
	why_keep_lasting(w, &earlier);
	why_forget(&earlier);
	return true;
}

size_t why_count(const struct why *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += finding_class_of(w->rows[i].kind) != FINDING_IDLE;
	return n;
}

void why_drop(struct why *w, bool ended)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->rows[i].ended != ended)
			w->rows[n++] = w->rows[i];
	w->n = n;
}

void why_drop_left(struct why *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (finding_class_of(w->rows[i].kind) == FINDING_WORK)
			w->rows[n++] = w->rows[i];
	w->n = n;
}

static const char *const why_classes[] = {[FINDING_WORK] = "work",
					  [FINDING_LEFT] = "left",
					  [FINDING_IDLE] = "idle",
					  [FINDING_WRONG] = "wrong",
					  [FINDING_LUCK] = "right on mlx5 by luck"};

/* Returns whether it is of dvx-check's rules, and counts how often it came. */
static bool why_is_rule(const struct lab_finding *f)
{
	return finding_class_of(f->kind) >= FINDING_WRONG;
}

/* --- text -------------------------------------------------------------------------------------- */

/* Brings each program's rows together; those of programs that ended are last. */
static int why_by_program(const void *va, const void *vb)
{
	const struct lab_finding *a = va, *b = vb;
	int order = (a->ended > b->ended) - (a->ended < b->ended);

	order = order ? order : !*a->object - !*b->object;
	order = order ? order : (a->pid > b->pid) - (a->pid < b->pid);
	order = order ? order : strncmp(a->function, b->function, sizeof(a->function));
	order = order ? order : strncmp(a->object, b->object, sizeof(a->object));
	order = order ? order : (a->id > b->id) - (a->id < b->id);
	return order ? order : (a->kind > b->kind) - (a->kind < b->kind);
}

static bool why_same_program(const struct lab_finding *a, const struct lab_finding *b)
{
	return a && a->pid == b->pid && a->ended == b->ended &&
	       !strncmp(a->function, b->function, sizeof(a->function));
}

static void why_print_program(FILE *to, const struct lab_finding *f)
{
	fprintf(to, "%.8s", f->function);
	if (f->pid)
		fprintf(to, ", %.16s (pid %u)", f->program, f->pid);
	fprintf(to, "%s:\n", f->ended ? ", which ended with this under way" : "");
}

static void why_print_row(FILE *to, const struct lab_finding *f)
{
	char text[FINDING_TEXT], object[sizeof(f->object) + 1] = "";

	for (size_t i = 0; i < sizeof(f->object) && f->object[i]; i++)
		object[i] = (char)toupper((unsigned char)f->object[i]);
	finding_sentence(f, text, sizeof(text));
	fprintf(to, "  %s 0x%x: %s", object, f->id, text);
	if (why_is_rule(f))
		fprintf(to, " (%s; %" PRIu64 " time%s)", why_classes[finding_class_of(f->kind)],
			f->at, f->at == 1 ? "" : "s");
	fputc('\n', to);
}

void why_print(FILE *to, struct why *w)
{
	const struct lab_finding *before = NULL;
	uint64_t more[FINDINGS] = {0};
	uint32_t printed[FINDINGS] = {0};

	if (w->n)
		qsort(w->rows, w->n, sizeof(w->rows[0]), why_by_program);
	for (size_t i = 0; i < w->n; i++) {
		const struct lab_finding *f = &w->rows[i];

		if (!*f->object || printed[f->kind] >= FINDING_LINES) {
			more[f->kind] += *f->object ? 1 : f->n[0];
			continue;
		}
		printed[f->kind]++;
		if (!why_same_program(before, f))
			why_print_program(to, f);
		why_print_row(to, f);
		before = f;
	}
	for (unsigned int kind = 0; kind < FINDINGS; kind++)
		if (more[kind])
			fprintf(to, "and %" PRIu64 " more of the kind %s\n", more[kind],
				finding_name(kind));
}

/* --- JSON -------------------------------------------------------------------------------------- */

static json_t *why_json_numbers(const struct lab_finding *f)
{
	json_t *numbers = json_object();
	char name[32];

	for (unsigned int i = 0; finding_number_name(f->kind, i, name, sizeof(name)); i++)
		json_object_set_new(numbers, name, json_number(f->n[i]));
	return numbers;
}

static json_t *why_json_row(const struct lab_finding *f)
{
	char text[FINDING_TEXT];
	json_t *row;

	finding_sentence(f, text, sizeof(text));
	row = json_pack(
		"{s:o, s:i, s:o, s:o, s:i, s:s, s:s, s:o, s:s}", "program",
		json_text(f->program, strnlen(f->program, sizeof(f->program))), "pid", f->pid,
		"function", json_text(f->function, strnlen(f->function, sizeof(f->function))),
		"object", json_text(f->object, strnlen(f->object, sizeof(f->object))), "id", f->id,
		"kind", finding_name(f->kind), "class", why_classes[finding_class_of(f->kind)],
		"numbers", why_json_numbers(f), "sentence", text);
	if (why_is_rule(f))
		json_object_set_new(row, "count", json_number(f->at));
	return row;
}

int why_print_json(const char *name, const struct why *w)
{
	json_t *list = json_array(), *more = json_object();

	for (size_t i = 0; i < w->n; i++)
		if (*w->rows[i].object)
			json_array_append_new(list, why_json_row(&w->rows[i]));
		else
			json_object_set_new(more, finding_name(w->rows[i].kind),
					    json_number(w->rows[i].n[0]));
	return json_out(json_pack("{s:s, s:o, s:o}", "name", name, "findings", list, "more", more));
}

int cmd_why(const struct sim_args *a)
{
	const char *name = a->argv[0];
	int sock = registry_connect(name);
	struct why w;
	int rc = EXIT_DONE;

	if (sock < 0)
		return EXIT_INPUT;
	close(sock);
	if (!why_query_lasting(name, -1, &w))
		return EXIT_INPUT;
	why_drop(&w, true); /* a chip that stays up has had many */
	if (a->json)
		rc = why_print_json(name, &w);
	else if (w.n)
		why_print(stdout, &w);
	else
		puts("Nothing waits.");
	why_forget(&w);
	return rc;
}
