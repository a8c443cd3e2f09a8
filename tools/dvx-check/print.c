/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_place(const char *label, const struct place *p)
{
	const struct symbol *s = &p->symbol;

	if (!label)
		return;
	if (!p->module)
		fprintf(stderr, "  %s an unknown place\n", label);
	else if (s->line)
		fprintf(stderr, "  %s %s (%s:%d)\n", label, s->function, s->file, s->line);
	else
		fprintf(stderr, "  %s %s (%s+0x%" PRIx64 ")\n", label,
			*s->function ? s->function : "?", p->module, p->offset);
}

static void print_object(const struct check_finding *m)
{
	const char *opcode = kind_opcode(m->opcode);

	if (!m->qp_num && !opcode)
		return;
	fputs("  ", stderr);
	if (m->qp_num)
		fprintf(stderr, "QP 0x%x%s", m->qp_num, opcode ? ", " : "");
	if (opcode)
		fprintf(stderr, "%s with wr_id 0x%" PRIx64 ", %" PRIu64 " bytes", opcode, m->wr_id,
			m->bytes);
	if (m->addr)
		fprintf(stderr, " at 0x%" PRIx64, m->addr);
	fputc('\n', stderr);
}

void print_finding(const struct found *f)
{
	const struct kind_row *k = kind_row(f->m.kind);
	char text[512];

	kind_sentence(&f->m, text, sizeof(text));
	message_print("%s (%s): %s", k->name, k->class, text);
	print_object(&f->m);
	for (unsigned int i = 0; i < 2; i++)
		print_place(k->label[i], &f->place[i]);
	fprintf(stderr, "  %s\n", k->advice);
}

static void print_counts(const struct findings *all)
{
	for (uint32_t kind = 0; kind < CHECK_KINDS; kind++) {
		uint64_t n = 0, places = 0;

		for (size_t i = 0; i < all->n; i++)
			if (all->rows[i].m.kind == kind && !all->rows[i].suppressed) {
				n += all->rows[i].count;
				places++;
			}
		if (n)
			fprintf(stderr, "  %s: %" PRIu64 " time%s, at %" PRIu64 " place%s\n",
				kind_row(kind)->name, n, n == 1 ? "" : "s", places,
				places == 1 ? "" : "s");
	}
}

void print_summary(const struct findings *all, const char *program)
{
	const size_t n = findings_count(all);

	if (!all->opened)
		message_print("%s opened no device that dvx-check saw: nothing was watched",
			      program);
	if (all->blind & CHECK_BLIND_FREE)
		message_print("%s brings its own free(): memory_freed was not watched", program);
	if (n)
		message_print("%zu finding%s", n, n == 1 ? ":" : "s:");
	print_counts(all);
	if (all->n > n)
		message_print("%zu suppressed", all->n - n);
}
