/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "src/sim/link/link.h"
#include "tools/cli/json.h"

/* The rows of one chip's answer. */
struct ls_chip {
	struct link_message m;
	const struct link_status *head;
	const struct link_function_row *functions;
	const struct link_client_row *clients;
	const struct link_object_row *objects;
	struct link_message dropped;
	const struct link_drop_row *drops;
	uint32_t ndrops;
	size_t waits; /* findings of dvx-sim why */
};

static bool rows_fit(struct ls_chip *c)
{
	const struct link_status *h = c->head = (const void *)c->m.body;
	uint64_t need = sizeof(*h);

	if (c->m.h.result || c->m.h.len < need)
		return false;
	need += (uint64_t)h->nfunctions * sizeof(c->functions[0]) +
		(uint64_t)h->nclients * sizeof(c->clients[0]) +
		(uint64_t)h->nobjects * sizeof(c->objects[0]);
	c->functions = (const void *)(h + 1);
	c->clients = (const void *)(c->functions + h->nfunctions);
	c->objects = (const void *)(c->clients + h->nclients);
	c->drops = (const void *)c->dropped.body;
	c->ndrops = (uint32_t)(c->dropped.h.len / sizeof(c->drops[0]));
	return c->m.h.len == need && !c->dropped.h.result;
}

static void ls_forget(struct ls_chip *c)
{
	link_message_free(&c->m);
	link_message_free(&c->dropped);
}

static size_t ls_waits(const char *name)
{
	struct why w;
	size_t n;

	if (!why_query_lasting(name, -1, &w))
		return 0;
	why_drop(&w, true);
	n = why_count(&w);
	why_forget(&w);
	return n;
}

/*
 * Queries a chip. false: there is none, or it does not answer or has another version, which was
 * reported.
 */
static bool ls_query(const char *name, struct ls_chip *c)
{
	int sock = registry_try(name), err;

	if (sock < 0)
		return false;
	err = link_ask(sock, LINK_STATUS, NULL, 0, -1, &c->m);
	if (!err)
		err = link_ask(sock, LINK_DROPS, NULL, 0, -1, &c->dropped);
	close(sock);
	if (!err && rows_fit(c)) {
		c->waits = ls_waits(name);
		return true;
	}
	if (registry_is_ours(name, err))
		message_print("%s does not answer", name);
	ls_forget(c);
	return false;
}

static void print_function(const struct ls_chip *c, uint32_t f)
{
	const char *comma = "";

	printf("  %-4s vhca %u  clients:", c->functions[f].name, c->functions[f].vhca_id);
	for (uint32_t i = 0; i < c->head->nclients; i++) {
		if (c->clients[i].function != f)
			continue;
		printf("%s %u (%.15s)", comma, c->clients[i].pid, c->clients[i].comm);
		comma = ",";
	}
	printf("%s  objects:", *comma ? "" : " none");
	comma = "";
	for (uint32_t i = 0; i < c->head->nobjects; i++) {
		const struct link_object_row *o = &c->objects[i];

		if (o->function != f)
			continue;
		printf("%s %u %.15s%s%.15s", comma, o->count, o->kind, *o->state ? " " : "",
		       o->state);
		comma = ",";
	}
	printf("%s\n", *comma ? "" : " none");
}

static void print_packets(const struct link_function_row *f)
{
	if (!f->sent && !f->received && !f->out_of_buffer && !f->failed)
		return;
	printf("       raw packets: %" PRIu64 " sent, %" PRIu64 " received", f->sent, f->received);
	if (f->out_of_buffer)
		printf(", %" PRIu64 " dropped: no receive was posted", f->out_of_buffer);
	if (f->failed)
		printf(", %" PRIu64 " did not fit their receive", f->failed);
	putchar('\n');
}

/* Prints why packets were dropped, for a function or, with "", for the chip. */
static void print_drops(const struct ls_chip *c, const char *function)
{
	for (uint32_t i = 0; i < c->ndrops; i++) {
		const struct link_drop_row *d = &c->drops[i];

		if (!strncmp(d->function, function, sizeof(d->function)))
			printf("%7s%" PRIu64 " packet%s dropped: %.71s\n", "", d->count,
			       d->count == 1 ? "" : "s", d->words);
	}
}

static void print_chip(const struct ls_chip *c)
{
	printf("%s (pid %u)\n", c->head->name, c->head->pid);
	for (uint32_t f = 0; f < c->head->nfunctions; f++) {
		print_function(c, f);
		print_packets(&c->functions[f]);
		print_drops(c, c->functions[f].name);
	}
	print_drops(c, "");
	if (c->waits)
		printf("  waits: %zu (dvx-sim why %s prints for what)\n", c->waits, c->head->name);
}

static const char *function_name(const struct ls_chip *c, uint32_t f)
{
	return f < c->head->nfunctions ? c->functions[f].name : "?";
}

static json_t *json_functions(const struct ls_chip *c)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->head->nfunctions; i++) {
		const struct link_function_row *f = &c->functions[i];
		json_t *raw =
			json_pack("{s:I, s:I, s:I, s:I}", "sent", (json_int_t)f->sent, "received",
				  (json_int_t)f->received, "out_of_buffer",
				  (json_int_t)f->out_of_buffer, "failed", (json_int_t)f->failed);

		json_array_append_new(list, json_pack("{s:s, s:i, s:o}", "name", f->name, "vhca_id",
						      f->vhca_id, "raw_packets", raw));
	}
	return list;
}

static json_t *json_clients(const struct ls_chip *c)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->head->nclients; i++) {
		const struct link_client_row *r = &c->clients[i];
		json_t *comm = json_string(r->comm); /* NULL if it is not UTF-8 */

		json_array_append_new(list, json_pack("{s:i, s:o, s:s}", "pid", r->pid, "comm",
						      comm ? comm : json_null(), "function",
						      function_name(c, r->function)));
	}
	return list;
}

static json_t *json_objects(const struct ls_chip *c)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->head->nobjects; i++) {
		const struct link_object_row *r = &c->objects[i];
		json_t *o = json_pack("{s:s, s:s, s:i}", "function", function_name(c, r->function),
				      "kind", r->kind, "count", r->count);

		if (*r->state)
			json_object_set_new(o, "state", json_string(r->state));
		json_array_append_new(list, o);
	}
	return list;
}

/* Lists dropped packets; "function" is null for the chip's. */
static json_t *json_drops(const struct ls_chip *c)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->ndrops; i++) {
		const struct link_drop_row *d = &c->drops[i];

		json_array_append_new(list, json_pack("{s:s?, s:s, s:s, s:I}", "function",
						      *d->function ? d->function : NULL, "cause",
						      d->cause, "words", d->words, "count",
						      (json_int_t)d->count));
	}
	return list;
}

static json_t *json_chip(const struct ls_chip *c)
{
	return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:I}", "name", c->head->name, "pid",
			 c->head->pid, "functions", json_functions(c), "clients", json_clients(c),
			 "objects", json_objects(c), "drops", json_drops(c), "waits",
			 (json_int_t)c->waits);
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void list_one(const char *name, json_t *json)
{
	struct ls_chip c = {0};

	if (!ls_query(name, &c))
		return;
	if (json)
		json_array_append_new(json, json_chip(&c));
	else
		print_chip(&c);
	ls_forget(&c);
}

int cmd_ls(const struct sim_args *a)
{
	json_t *json = a->json ? json_array() : NULL;
	const char *dir = registry();
	struct dirent **names;
	int n = dir ? scandir(dir, &names, visible, alphasort) : -1;

	if (n < 0)
		return EXIT_INPUT;
	for (int i = 0; i < n; i++) {
		list_one(names[i]->d_name, json);
		free(names[i]);
	}
	free(names);
	return json && json_out(json) ? EXIT_INPUT : EXIT_DONE;
}
