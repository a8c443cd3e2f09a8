/* SPDX-License-Identifier: BSD-2-Clause */
#include "finding.h"

#include <stdio.h>
#include <string.h>
#include "prm/reflect.h"

static const struct {
	const char *name, *sentence;
	enum finding_class class;
} finding_rows[FINDINGS] = {
#define FINDING(kind, name, class, sentence) [FINDING_##kind] = {name, sentence, FINDING_##class},
#include "findings.def"
#undef FINDING
};

const char *finding_name(enum finding_kind kind)
{
	return finding_rows[kind].name;
}

enum finding_class finding_class_of(enum finding_kind kind)
{
	return finding_rows[kind].class;
}

/* A placeholder of a sentence, without its braces. */
struct finding_field {
	const char *at;
	size_t len;  /* of the name */
	char format; /* the character behind it, or 0 */
};

/* Returns what follows the next placeholder, or NULL: there is none. */
static const char *finding_field_next(const char *text, struct finding_field *f)
{
	const char *open = strchr(text, '{'), *end = open ? strchr(open, '}') : NULL;

	if (!end)
		return NULL;
	f->at = open + 1;
	f->format = strchr("#@!*", end[-1]) ? end[-1] : 0;
	f->len = (size_t)(end - f->at) - (f->format != 0);
	return end + 1;
}

static bool finding_field_is_plural(const struct finding_field *f)
{
	return f->len == 1 && *f->at == 's';
}

bool finding_number_name(enum finding_kind kind, unsigned int i, char *name, size_t size)
{
	const char *text = finding_rows[kind].sentence;
	struct finding_field f;

	while ((text = finding_field_next(text, &f)))
		if (!finding_field_is_plural(&f) && !i--) {
			snprintf(name, size, "%.*s", (int)f.len, f.at);
			return true;
		}
	return false;
}

static const char *finding_state_name(uint64_t state)
{
	static const char *const names[] = {"RST",  "INIT", "RTR", "RTS",
					    "SQER", "SQD",  "ERR", "SQ_DRAINING"};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "?";
}

static void finding_number(FILE *to, char format, uint64_t n)
{
	switch (format) {
	case '#':
		fprintf(to, "0x%llx", (unsigned long long)n);
		break;
	case '@':
		fputs(finding_state_name(n), to);
		break;
	case '!':
		fprintf(to, "%s (0x%02llx)", prm_syndrome_name((uint32_t)n), (unsigned long long)n);
		break;
	case '*':
		fputs(prm_wqe_opcode_name((uint32_t)n), to);
		break;
	default:
		fprintf(to, "%llu", (unsigned long long)n);
	}
}

void finding_sentence(const struct lab_finding *f, char *text, size_t size)
{
	const char *at = finding_rows[f->kind].sentence, *next;
	FILE *to = fmemopen(text, size, "w");
	struct finding_field field;
	const uint64_t *n = f->n;

	if (!to)
		return;
	for (; (next = finding_field_next(at, &field)); at = next) {
		fprintf(to, "%.*s", (int)(field.at - 1 - at), at);
		if (!finding_field_is_plural(&field))
			finding_number(to, field.format, *n++);
		else if (n[-1] != 1)
			fputc('s', to);
	}
	fputs(at, to);
	fclose(to);
}

bool finding_lasts(const struct lab_finding *a, const struct lab_finding *b)
{
	return a->kind == b->kind && a->id == b->id && a->at == b->at &&
	       !strncmp(a->object, b->object, sizeof(a->object)) &&
	       !strncmp(a->function, b->function, sizeof(a->function));
}
