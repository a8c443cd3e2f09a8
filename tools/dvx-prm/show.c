/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>
#include "dvx-prm.h"

static const char *const access_names[] = {[PRM_RW] = "rw", [PRM_RO] = "ro", [PRM_WO] = "wo"};

static json_t *value_json(const struct prm_enum_value *v)
{
	json_t *o = json_pack("{s:s, s:o, s:s}", "name", v->name, "value", json_number(v->value),
			      "text", v->text);

	if (v->cause)
		json_object_set_new(o, "cause", json_string(v->cause));
	if (v->remedy)
		json_object_set_new(o, "remedy", json_string(v->remedy));
	return o;
}

static json_t *enum_json(const struct prm_enum *e)
{
	json_t *values = json_array();

	for (size_t i = 0; i < e->count; i++)
		json_array_append_new(values, value_json(&e->values[i]));
	return json_pack("{s:s, s:i, s:s, s:s, s:o}", "enum", e->name, "bits", (int)e->bits,
			 "family", e->family, "text", e->text, "values", values);
}

static json_t *field_json(const struct prm_struct *s, const struct prm_field *f)
{
	json_t *o = json_pack("{s:s, s:I, s:I, s:s, s:s}", "name", f->name, "offset",
			      (json_int_t)f->offset, "width", (json_int_t)f->width, "access",
			      access_names[f->access], "text", f->text);

	json_object_set_new(o, "count", f->count ? json_integer(f->count) : json_null());
	if (f->values)
		json_object_set_new(o, "enum", json_string(f->values->name));
	if (f->flags)
		json_object_set_new(o, "flags", json_true());
	if (f->type)
		json_object_set_new(o, "struct", json_string(f->type->name));
	if (f->branch >= 0)
		json_object_set_new(o, "variant", json_string(s->branches[f->branch].name));
	return o;
}

static json_t *struct_json(const struct prm_struct *s)
{
	json_t *fields = json_array();

	for (size_t i = 0; i < s->field_count; i++)
		json_array_append_new(fields, field_json(s, &s->fields[i]));
	return json_pack("{s:s, s:i, s:s, s:s?, s:s, s:o}", "struct", s->name, "bytes",
			 (int)s->bytes, "family", s->family, "kernel", s->kernel, "text", s->text,
			 "fields", fields);
}

static void print_enum(const struct prm_enum *e)
{
	printf("%s, %u bits, prm/%s.prm: %s\n", e->name, e->bits, e->family, e->text);
	for (size_t i = 0; i < e->count; i++) {
		printf("  0x%02" PRIx64 "  %-28s %s\n", e->values[i].value, e->values[i].name,
		       e->values[i].text);
		if (e->values[i].cause)
			printf("        seen when: %s\n", e->values[i].cause);
		if (e->values[i].remedy)
			printf("        do: %s\n", e->values[i].remedy);
	}
}

/* Prints the condition of an alternative: "if opcode = REQ". */
static void print_condition(const struct prm_struct *s, const struct prm_branch *b)
{
	const struct prm_field *f = b->selector >= 0 ? &s->fields[b->selector] : NULL;

	for (size_t i = 0; f && i < b->when_count; i++) {
		const struct prm_enum_value *e = prm_enum_find(f->values, b->when[i]);

		printf(i ? " or %s" : " when %s is ", i ? "" : f->name);
		if (e)
			printf("%s", e->name);
		else
			printf("0x%" PRIx64, b->when[i]);
	}
}

static void print_branch(const struct prm_struct *s, int now, int before)
{
	const struct prm_branch *b = now >= 0 ? &s->branches[now] : NULL;

	if (now == before)
		return;
	if (!b) {
		printf("  (always)\n");
		return;
	}
	printf("  (%s %s", before >= 0 && s->branches[before].group == b->group ? "or" : "variant",
	       b->name);
	print_condition(s, b);
	printf(")\n");
}

static void show_print_field(const struct prm_field *f)
{
	char name[96], kind[96] = "";

	snprintf(name, sizeof(name), "%s", f->name);
	if (!f->count)
		snprintf(name, sizeof(name), "%s[]", f->name);
	else if (f->count > 1)
		snprintf(name, sizeof(name), "%s[%u]", f->name, f->count);
	if (f->type)
		snprintf(kind, sizeof(kind), "%s: ", f->type->name);
	else if (f->values)
		snprintf(kind, sizeof(kind), "%s %s: ", f->flags ? "flags" : "enum",
			 f->values->name);
	printf("  0x%04x  0x%03x  %4u  %s  %-30s %s%s\n", f->offset, f->offset / 8, f->width,
	       access_names[f->access], name, kind, f->text);
}

static void print_struct(const struct prm_struct *s, const struct prm_args *a)
{
	int branch = -1;

	printf("%s, %u bytes, prm/%s.prm%s%s: %s\n\n", s->name, s->bytes, s->family,
	       s->kernel ? ", kernel: " : "", s->kernel ? s->kernel : "", s->text);
	printf("  bit     byte   width    field                          meaning\n");
	for (size_t i = 0; i < s->field_count; i++) {
		print_branch(s, s->fields[i].branch, branch);
		branch = s->fields[i].branch;
		show_print_field(&s->fields[i]);
	}
	if (!!a->no_diagram)
		return;
	printf("\n");
	diagram_print(stdout, s, a->variant);
	if (s->branch_count && !a->variant)
		printf("  of a union the first variant is drawn; --variant NAME draws another\n");
}

static bool has_variant(const struct prm_struct *s, const char *name)
{
	for (size_t i = 0; i < s->branch_count; i++)
		if (!strcmp(s->branches[i].name, name))
			return true;
	message_print("%s has no variant \"%s\"; dvx-prm show %s names them", s->name, name,
		      s->name);
	return false;
}

int prm_cmd_show(const struct prm_args *a)
{
	const struct prm_enum *e = prm_find_enum(a->argv[0]);
	const struct prm_struct *s = prm_find_struct(a->argv[0]);

	if (!s && e) {
		if (a->json)
			return json_out(enum_json(e));
		print_enum(e);
		return EXIT_DONE;
	}
	if (!s && !need_struct(a->argv[0]))
		return EXIT_USAGE;
	if (a->variant && !has_variant(s, a->variant))
		return EXIT_USAGE;
	if (a->json)
		return json_out(struct_json(s));
	print_struct(s, a);
	return EXIT_DONE;
}
