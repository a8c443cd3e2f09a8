/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-check.h"

#include <string.h>
#include "tools/cli/json.h"

static json_t *json_place(const char *label, const struct place *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "label", json_string(label));
	if (!p->module)
		return o;
	json_object_set_new(o, "module", json_text(p->module, strlen(p->module)));
	json_object_set_new(o, "offset", json_number(p->offset));
	if (*p->symbol.function)
		json_object_set_new(o, "function",
				    json_text(p->symbol.function, strlen(p->symbol.function)));
	if (p->symbol.line) {
		json_object_set_new(o, "file", json_text(p->symbol.file, strlen(p->symbol.file)));
		json_object_set_new(o, "line", json_integer(p->symbol.line));
	}
	return o;
}

static void json_request(json_t *o, const struct check_finding *m)
{
	const char *opcode = kind_opcode(m->opcode);

	if (m->qp_num)
		json_object_set_new(o, "qp", json_number(m->qp_num));
	if (!opcode)
		return;
	json_object_set_new(o, "opcode", json_string(opcode));
	json_object_set_new(o, "wr_id", json_number(m->wr_id));
	json_object_set_new(o, "bytes", json_number(m->bytes));
	if (m->addr)
		json_object_set_new(o, "address", json_number(m->addr));
}

static json_t *json_finding(const struct found *f)
{
	const struct kind_row *k = kind_row(f->m.kind);
	json_t *o = json_object(), *places = json_array();
	char text[512];

	kind_sentence(&f->m, text, sizeof(text));
	json_object_set_new(o, "kind", json_string(k->name));
	json_object_set_new(o, "class", json_string(f->m.kind < CHECK_KINDS ? k->class : ""));
	json_object_set_new(o, "sentence", json_string(text));
	json_object_set_new(o, "pid", json_number(f->m.h.pid));
	json_object_set_new(o, "count", json_number(f->count));
	json_request(o, &f->m);
	for (unsigned int i = 0; i < 2; i++)
		if (k->label[i])
			json_array_append_new(places, json_place(k->label[i], &f->place[i]));
	json_object_set_new(o, "places", places);
	json_object_set_new(o, "remedy", json_string(k->advice));
	return o;
}

int print_json(const struct findings *all, int code)
{
	json_t *list = json_array();
	int rc;

	for (size_t i = 0; i < all->n; i++)
		if (!all->rows[i].suppressed)
			json_array_append_new(list, json_finding(&all->rows[i]));
	rc = json_out(json_pack("{s:o, s:b, s:b, s:I, s:i}", "findings", list, "watched",
				all->opened, "free_watched", !(all->blind & CHECK_BLIND_FREE),
				"suppressed", (json_int_t)(all->n - findings_count(all)), "exit",
				code));
	return rc ? rc : code;
}
