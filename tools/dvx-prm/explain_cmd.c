/* SPDX-License-Identifier: BSD-2-Clause */
/* Command mailboxes: inputs by their opcode, outputs by what is said around them. */
#include "explain.h"

#include <stdlib.h>
#include <string.h>
#include "walk.h"

enum { HEADER = 16 };

static unsigned int opcode_of(const struct finding *f)
{
	return (unsigned int)field(f, "mbox_in", 0, "opcode");
}

static void score_in(struct finding *f)
{
	unsigned int op = opcode_of(f);
	const struct prm_struct *s = prm_command_in(op);
	size_t set = 0;

	if (!strcmp(prm_opcode_name(op), "?") || f->d->len % 4)
		return;
	weigh(f, 35, "the opcode in bytes 0 and 1 is %s", prm_opcode_name(op));
	if (f->d->len >= s->bytes)
		weigh(f, f->d->len == s->bytes ? 30 : 10, "%s has %u bytes, and %zu are given",
		      s->name, s->bytes, f->d->len);
	else
		weigh(f, -20, "%s has %u bytes, but only %zu are given", s->name, s->bytes,
		      f->d->len);
	walk_strays(s, f->d->bytes, walk_extent(s, f->d->len), NULL, 0, &set);
	if (set)
		weigh(f, set > 8 ? -40 : -10, "%zu reserved bits are set", set);
	else
		weigh(f, 20, "all its reserved bits are 0");
}

static void explain_object(struct finding *f)
{
	unsigned int type = (unsigned int)field(f, "general_obj_in_cmd_hdr", 0, "obj_type");
	const struct prm_struct *s = prm_object(type);

	fact(f, "obj_type", type);
	tell(f, "object", "obj_type", "its object has type 0x%x %s", type,
	     prm_enum_name(prm_find_enum("obj_type"), type));
	part(f, s, HEADER, f->d->len);
}

static void explain_in(struct finding *f)
{
	unsigned int op = opcode_of(f);
	const struct prm_struct *s = prm_command_in(op);

	snprintf(f->what, sizeof(f->what), "input of command %s", prm_opcode_name(op));
	fact(f, "opcode", op);
	fact_name(f, "opcode_name", prm_opcode_name(op));
	fact(f, "uid", field(f, "mbox_in", 0, "uid"));
	tell(f, "what", "opcode", "opcode 0x%x %s: %s", op, prm_opcode_name(op), s->text);
	tell(f, "uid", "uid", "uid %u: it speaks for %s",
	     (unsigned int)field(f, "mbox_in", 0, "uid"),
	     field(f, "mbox_in", 0, "uid") ? "a user context" : "the kernel");
	if (f->d->len < s->bytes)
		tell(f, "cut", NULL, "the dump has %zu of its %u bytes", f->d->len, s->bytes);
	part(f, s, 0, f->d->len);
	if (!strcmp(s->name, "general_obj_in_cmd_hdr"))
		explain_object(f);
}

/* "... dump command CREATE_QP(0x500) OUTPUT" of mlx5_core; 0 if no opcode is in the line. */
static unsigned int labelled_opcode(const struct finding *f)
{
	const char *open = strstr(f->d->label, "(0x");
	unsigned long op = open ? strtoul(open + 1, NULL, 16) : 0;

	return op <= 0xffff && strcmp(prm_opcode_name((unsigned int)op), "?") ? (unsigned int)op
									      : 0;
}

static const struct prm_struct *layout_out(const struct finding *f)
{
	const struct prm_struct *s = NULL;

	if (f->d->structure[0])
		s = prm_find_struct(f->d->structure);
	else if (labelled_opcode(f))
		s = prm_command_out(labelled_opcode(f));
	return s ? s : prm_find_struct("mbox_out");
}

static void score_out(struct finding *f)
{
	const uint8_t *p = f->d->bytes;
	unsigned int status = p[0];

	if (!strcmp(prm_status_name(status), "?") || !all_zero(p + 1, 3) || f->d->len % 4)
		return;
	if (strstr(f->d->label, "OUTPUT") || strcasestr(f->d->label, "output of"))
		weigh(f, 60, "the line before it says that it is a command's output");
	else if (strcasestr(f->d->label, "syndrome") || strcasestr(f->d->label, "mailbox"))
		weigh(f, 30, "the line before it speaks of a command");
	if (f->score)
		weigh(f, 20, "byte 0 is a status, %s, and the 3 after it are 0",
		      prm_status_name(status));
	else if (status && f->d->len == HEADER && !all_zero(p + 4, 4) && all_zero(p + 8, 8))
		weigh(f, 50, "16 bytes of a status (%s), a syndrome and nothing else",
		      prm_status_name(status));
}

static void explain_out(struct finding *f)
{
	unsigned int status = f->d->bytes[0];
	unsigned int syndrome = (unsigned int)field(f, "mbox_out", 0, "syndrome");
	const struct prm_struct *s = layout_out(f);

	if (f->d->structure[0])
		snprintf(f->what, sizeof(f->what), "output of a command, %s", f->d->structure);
	else
		snprintf(f->what, sizeof(f->what), "output of command %s",
			 labelled_opcode(f) ? prm_opcode_name(labelled_opcode(f)) : "(any)");
	tell_status(f, status);
	if (status || syndrome)
		tell_firmware(f, syndrome);
	part(f, s, 0, f->d->len);
}

const struct recogniser recognise_in = {
	"in",	    "a command's input (known opcode in bytes 0 and 1, reserved bits 0)",
	HEADER,	    score_in,
	explain_in,
};

const struct recogniser recognise_out = {
	"out",
	"a command's output (status and syndrome; more than 16 bytes need --as out or a line "
	"that says OUTPUT)",
	HEADER,
	score_out,
	explain_out,
};
