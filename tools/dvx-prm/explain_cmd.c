/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognises command mailboxes: inputs by their opcode, outputs by the lines around them. */
#include "explain.h"

#include <stdlib.h>
#include <string.h>
#include "fit.h"
#include "walk.h"

enum { HEADER = 16, OP_QUERY_HCA_CAP = 0x100 };

static unsigned int opcode_of(const struct finding *f)
{
	return (unsigned int)finding_field(f, "mbox_in", 0, "opcode");
}

static bool cmd_is_general(const struct prm_struct *s)
{
	return !strcmp(s->name, "general_obj_in_cmd_hdr");
}

/* Returns the general object behind the command's header; NULL: in no table. */
static const struct prm_struct *object_of(const struct finding *f, const struct prm_struct *s)
{
	return cmd_is_general(s) ? prm_object((uint32_t)finding_field(f, s->name, 0, "obj_type"))
				 : NULL;
}

static void weigh_object(struct finding *f, const struct prm_struct *header)
{
	const struct prm_struct *s = object_of(f, header);
	size_t len = f->d->len - HEADER, set = 0;

	if (!s || !len)
		return;
	walk_strays(s, f->d->bytes + HEADER, walk_extent(s, len), NULL, 0, &set);
	finding_weigh(f, set ? -10 : 20, "%s of the %s that follows %s",
		      set ? "reserved bits" : "all reserved bits", s->name,
		      set ? "are set" : "are 0");
}

static void weigh_length(struct finding *f, const struct prm_struct *s)
{
	size_t extent = cmd_is_general(s) ? f->d->len : walk_extent(s, f->d->len);

	if (f->d->len < s->bytes)
		finding_weigh(f, -20, "%s has %u bytes, but only %zu are given", s->name, s->bytes,
			      f->d->len);
	else if (!all_zero(f->d->bytes + extent, f->d->len - extent))
		finding_weigh(f, -50, "%s has %u bytes, but others that are not 0 follow", s->name,
			      s->bytes);
	else
		finding_weigh(f, f->d->len == s->bytes ? 30 : 10,
			      "%s has %u bytes, and %zu are given", s->name, s->bytes, f->d->len);
}

static void score_in(struct finding *f)
{
	unsigned int op = opcode_of(f);
	const struct prm_struct *s = prm_command_in(op);
	size_t set = 0;

	if (!strcmp(prm_opcode_name(op), "?") || f->d->len % 4)
		return;
	finding_weigh(f, 35, "the opcode in bytes 0 and 1 is %s", prm_opcode_name(op));
	weigh_length(f, s);
	walk_strays(s, f->d->bytes, walk_extent(s, f->d->len), NULL, 0, &set);
	weigh_object(f, s);
	if (set)
		finding_weigh(f, set > 8 ? -40 : -10, "%zu reserved bits are set", set);
	else
		finding_weigh(f, 20, "all its reserved bits are 0");
}

static void explain_object(struct finding *f)
{
	unsigned int type = (unsigned int)finding_field(f, "general_obj_in_cmd_hdr", 0, "obj_type");
	const struct prm_struct *s = prm_object(type);

	finding_fact(f, "obj_type", type);
	finding_add(f, "object", "obj_type", "its object has type 0x%x %s", type,
		    prm_enum_name(prm_find_enum("obj_type"), type));
	finding_part(f, s, HEADER, f->d->len);
}

static void explain_register(struct finding *f)
{
	unsigned int id = (unsigned int)finding_field(f, "access_register_in", 0, "register_id");
	const struct prm_struct *s = prm_register(id);

	finding_fact(f, "register_id", id);
	finding_add(f, "register", "register_id", "it %s register 0x%04x %s%s%s",
		    finding_field(f, "mbox_in", 0, "op_mod") ? "reads" : "writes", id,
		    prm_enum_name(prm_find_enum("reg_id"), id), s ? ": " : "", s ? s->text : "");
	finding_part(f, s, HEADER, f->d->len);
}

static void explain_in(struct finding *f)
{
	unsigned int op = opcode_of(f);
	const struct prm_struct *s = prm_command_in(op);

	snprintf(f->what, sizeof(f->what), "input of command %s", prm_opcode_name(op));
	finding_fact(f, "opcode", op);
	finding_fact_name(f, "opcode_name", prm_opcode_name(op));
	finding_fact(f, "uid", finding_field(f, "mbox_in", 0, "uid"));
	finding_add(f, "what", "opcode", "opcode 0x%x %s: %s", op, prm_opcode_name(op), s->text);
	finding_add(f, "uid", "uid", "uid %u: the command is sent for %s",
		    (unsigned int)finding_field(f, "mbox_in", 0, "uid"),
		    finding_field(f, "mbox_in", 0, "uid") ? "a user context" : "the kernel");
	if (f->d->len < s->bytes)
		finding_add(f, "cut", NULL, "the dump has %zu of its %u bytes", f->d->len,
			    s->bytes);
	finding_part(f, s, 0, f->d->len);
	if (cmd_is_general(s))
		explain_object(f);
	else if (!strcmp(s->name, "access_register_in"))
		explain_register(f);
}

/*
 * Finds the opcode in the line of mlx5_core, "... dump command CREATE_QP(0x500) OUTPUT"; 0 if there
 * is none.
 */
static unsigned int labelled_opcode(const struct finding *f)
{
	const char *open = strstr(f->d->label, "(0x");
	unsigned long op = open ? strtoul(open + 1, NULL, 16) : 0;

	return op <= 0xffff && strcmp(prm_opcode_name((unsigned int)op), "?") ? (unsigned int)op
									      : 0;
}

/* Returns the reply that the dump's line, or the line before, names; NULL: none. */
static const struct prm_struct *named_out(const struct finding *f)
{
	if (f->d->structure[0])
		return prm_find_struct(f->d->structure);
	return labelled_opcode(f) ? prm_command_out(labelled_opcode(f)) : NULL;
}

static bool is_reply(const struct prm_struct *s)
{
	size_t n = strlen(s->name);

	return n > 4 && !strcmp(s->name + n - 4, "_out") && strcmp(s->name, "mbox_out");
}

/* Finds replies of exactly this length, or, if there are none, those that end in a list. */
static void fit_replies(struct fits *fits, const struct finding *f)
{
	memset(fits, 0, sizeof(*fits));
	for (size_t i = 0; i < prm_struct_count; i++)
		if (is_reply(&prm_structs[i]) && prm_structs[i].bytes == f->d->len)
			fit_offer(fits, &prm_structs[i], f->d->bytes, f->d->len, 0);
	for (size_t i = 0, exact = fits->count; !exact && i < prm_struct_count; i++) {
		const struct prm_struct *s = &prm_structs[i];

		if (is_reply(s) && s->bytes < f->d->len && walk_extent(s, f->d->len) == f->d->len)
			fit_offer(fits, s, f->d->bytes, f->d->len, 0);
	}
}

static void weigh_replies(struct finding *f)
{
	struct fits fits;

	fit_replies(&fits, f);
	if (!fits.count)
		return;
	finding_weigh(
		f, 40,
		"%zu bytes that begin with status OK and syndrome 0; all bits that are set are "
		"fields of "
		"%s",
		f->d->len, fits.best[0].s->name);
	if (fits.count > 1)
		finding_weigh(f, 0, "and of other replies of that length");
	else
		finding_weigh(f, 10, "and of no other reply of that length");
}

static void score_out(struct finding *f)
{
	const uint8_t *p = f->d->bytes;
	unsigned int status = p[0];

	if (!strcmp(prm_status_name(status), "?") || !all_zero(p + 1, 3) || f->d->len % 4)
		return;
	if (strstr(f->d->label, "OUTPUT") || strcasestr(f->d->label, "output of"))
		finding_weigh(f, 60, "the line before it calls it a command's output");
	else if (strcasestr(f->d->label, "syndrome") || strcasestr(f->d->label, "mailbox"))
		finding_weigh(f, 30, "the line before it mentions a command");
	if (f->score)
		finding_weigh(f, 20, "byte 0 is a status, %s, and the 3 after it are 0",
			      prm_status_name(status));
	else if (status && !all_zero(p + 4, 4) && all_zero(p + 8, f->d->len - 8))
		finding_weigh(f, 50, "a status (%s), a syndrome and nothing else",
			      prm_status_name(status));
	else if (!status && f->d->len > HEADER && all_zero(p, 8))
		weigh_replies(f);
}

static void finding_add_replies(struct finding *f, const struct fits *fits)
{
	json_t *list = json_array();

	for (size_t i = 0; i < fits->count; i++) {
		finding_add(f, "candidate", NULL, "%s%s", fits->best[i].s->name,
			    i ? "" : ": the best, by how many bits it has for those that are set");
		json_array_append_new(list, json_string(fits->best[i].s->name));
	}
	json_object_set_new(f->facts, "candidates", list);
	finding_add(f, "type", NULL,
		    "a reply does not carry its command; if you know it, --as and the structure's "
		    "name decode it");
}

/* Returns the structure, and notes candidates; only the header if nothing is known. */
static const struct prm_struct *layout_out(struct finding *f)
{
	const struct prm_struct *s = named_out(f);
	struct fits fits = {.count = 0};

	if (!s && f->d->len > HEADER && !f->d->bytes[0])
		fit_replies(&fits, f);
	if (fits.count) {
		finding_add_replies(f, &fits);
		return fits.best[0].s;
	}
	return s ? s : prm_find_struct("mbox_out");
}

static void name_out(struct finding *f)
{
	if (f->d->structure[0])
		snprintf(f->what, sizeof(f->what), "output of a command, %s", f->d->structure);
	else
		snprintf(f->what, sizeof(f->what), "output of command %s",
			 labelled_opcode(f) ? prm_opcode_name(labelled_opcode(f)) : "(any)");
}

static void explain_out(struct finding *f)
{
	unsigned int status = f->d->bytes[0];
	unsigned int syndrome = (unsigned int)finding_field(f, "mbox_out", 0, "syndrome");

	name_out(f);
	finding_add_status(f, status);
	if (status || syndrome)
		finding_add_firmware(f, syndrome);
	if (!status && labelled_opcode(f) == OP_QUERY_HCA_CAP && f->d->len >= recognise_cap.least)
		recognise_cap.explain(f);
	else
		finding_part(f, layout_out(f), 0, f->d->len);
}

const struct recogniser recognise_in = {
	"in",	    "a command's input (known opcode in bytes 0 and 1, reserved bits 0)",
	HEADER,	    score_in,
	explain_in,
};

const struct recogniser recognise_out = {
	"out",	     "a command's output (status and syndrome, or a reply's layout)",
	HEADER,	     score_out,
	explain_out,
};
