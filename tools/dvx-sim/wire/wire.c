/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows and changes the wire of a chip's port: faults and link. */
#include "tools/dvx-sim/dvx-sim.h"

#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "src/sim/link/link.h"
#include "tools/cli/json.h"

static const struct {
	const char *name, *text;
	size_t at;
} wire_counts[] = {
	{"dropped", "dropped", offsetof(struct fault_counts, dropped)},
	{"doubled", "sent twice", offsetof(struct fault_counts, doubled)},
	{"reordered", "overtaken", offsetof(struct fault_counts, reordered)},
	{"corrupted", "damaged", offsetof(struct fault_counts, corrupted)},
	{"delayed", "delayed", offsetof(struct fault_counts, delayed)},
	{"down", "dropped while the link was down", offsetof(struct fault_counts, down)},
};
#define SWITCH_AT   5 /* the name in peer=SWITCH */
#define WIRE_COUNTS (sizeof(wire_counts) / sizeof(wire_counts[0]))

static uint64_t wire_count(const struct link_wire *w, size_t row)
{
	uint64_t n;

	memcpy(&n, (const char *)&w->counts + wire_counts[row].at, sizeof(n));
	return n;
}

static void fault_print_text(const char *name, const struct link_wire *w)
{
	printf("%s: drop=%g,dup=%g,reorder=%g,corrupt=%g,delay=%" PRIu64 "ns,seed=%" PRIu64 "\n",
	       name, (double)w->rates.drop / FAULT_ONE, (double)w->rates.dup / FAULT_ONE,
	       (double)w->rates.reorder / FAULT_ONE, (double)w->rates.corrupt / FAULT_ONE,
	       w->rates.delay, w->rates.seed);
	for (size_t i = 0; i < WIRE_COUNTS; i++)
		if (wire_count(w, i))
			printf("%10" PRIu64 "  %s\n", wire_count(w, i), wire_counts[i].text);
	inject_print_text(name);
}

static int fault_print_json(const char *name, const struct link_wire *w)
{
	json_t *counts = json_object(), *o;

	for (size_t i = 0; i < WIRE_COUNTS; i++)
		json_object_set_new(counts, wire_counts[i].name,
				    json_integer((json_int_t)wire_count(w, i)));
	o = json_pack("{s:s, s:f, s:f, s:f, s:f, s:I, s:I, s:o, s:o}", "name", name, "drop",
		      (double)w->rates.drop / FAULT_ONE, "dup", (double)w->rates.dup / FAULT_ONE,
		      "reorder", (double)w->rates.reorder / FAULT_ONE, "corrupt",
		      (double)w->rates.corrupt / FAULT_ONE, "delay_ns", (json_int_t)w->rates.delay,
		      "seed", (json_int_t)w->rates.seed, "packets", counts, "requested",
		      inject_json(name));
	return json_out(o) ? EXIT_INPUT : EXIT_DONE;
}

/* Whether the chip is on a switch without any other chip. */
static bool wire_alone(const struct link_wire *w)
{
	return !strncmp(w->wire, "peer=", SWITCH_AT) && !w->others;
}

static void link_print_text(const char *name, const struct link_wire *w)
{
	printf("%s: %s, wire %s", name, w->up ? "up" : "down", w->wire);
	if (strcmp(w->wire, "loop"))
		printf(": %" PRIu64 " packets sent, %" PRIu64 " received", w->sent, w->received);
	if (w->lost)
		printf(", %" PRIu64 " not taken by the other side", w->lost);
	if (w->bad)
		printf(", %" PRIu64 " bad ones", w->bad);
	putchar('\n');
	if (wire_alone(w))
		printf("%10s  no other chip is on this switch, %s/.switches/%s\n", "", registry(),
		       w->wire + SWITCH_AT);
}

static int link_print_json(const char *name, const struct link_wire *w)
{
	json_t *o = json_pack("{s:s, s:b, s:s, s:I, s:I, s:I, s:I}", "name", name, "up", (int)w->up,
			      "wire", w->wire, "sent", (json_int_t)w->sent, "received",
			      (json_int_t)w->received, "lost", (json_int_t)w->lost, "bad",
			      (json_int_t)w->bad);

	if (!strncmp(w->wire, "peer=", SWITCH_AT))
		json_object_set_new(o, "others", json_integer(w->others));
	return json_out(o) ? EXIT_INPUT : EXIT_DONE;
}

struct wire_printer {
	void (*text)(const char *name, const struct link_wire *);
	int (*json)(const char *name, const struct link_wire *);
};

/*
 * Sends a request. Returns 0 and an answer, which the caller frees, or an exit code after an error
 * message.
 */
static int wire_query(const char *name, uint16_t type, const void *body, size_t len,
		      struct link_message *answer)
{
	int sock = registry_connect(name), err;

	if (sock < 0)
		return EXIT_INPUT;
	err = link_ask(sock, type, body, len, -1, answer);
	close(sock);
	if (!err)
		return EXIT_DONE;
	if (registry_is_ours(name, err))
		message_print("%s does not answer", name);
	return EXIT_INPUT;
}

/* Gets the wire, after a change if there is one. */
static int wire_get(const char *name, const void *rates, size_t len, struct link_wire *w)
{
	struct link_message answer = {0};
	int rc = wire_query(name, LINK_WIRE, rates, len, &answer);

	if (rc)
		return rc;
	if (answer.h.len == sizeof(*w)) {
		memcpy(w, answer.body, sizeof(*w));
	} else {
		message_print("%s does not answer", name);
		rc = EXIT_INPUT;
	}
	link_message_free(&answer);
	return rc;
}

static int wire_show(const struct sim_args *a, const struct wire_printer *print, const void *rates,
		     size_t len)
{
	struct link_wire w;
	int rc = wire_get(a->argv[0], rates, len, &w);

	if (rc)
		return rc;
	if (a->json)
		return print->json(a->argv[0], &w);
	print->text(a->argv[0], &w);
	return EXIT_DONE;
}

void wire_note_alone(const char *name)
{
	struct link_wire w;

	if (!wire_get(name, NULL, 0, &w) && wire_alone(&w))
		message_print(
			"%s is the first chip on its switch, %s/.switches/%s; others must have the "
			"same folder (XDG_RUNTIME_DIR)",
			name, registry(), w.wire + SWITCH_AT);
}

int cmd_fault(const struct sim_args *a)
{
	static const struct wire_printer print = {fault_print_text, fault_print_json};
	struct fault_rates rates = {.seed = 1};
	char why[FAULT_WHY], file_why[INJECT_SENTENCE];

	if (a->argc == 2 && inject_names_file(a->argv[1])) {
		if (!inject_read(a->argv[1], file_why)) {
			message_print("%s", file_why);
			return EXIT_USAGE;
		}
		if (!inject_send(a->argv[0]))
			return EXIT_INPUT;
		return wire_show(a, &print, NULL, 0);
	}
	if (a->argc < 2)
		return wire_show(a, &print, NULL, 0);
	if (!strcmp(a->argv[1], "off") && !inject_clear(a->argv[0]))
		return EXIT_INPUT;
	if (strcmp(a->argv[1], "off") && fault_rates_parse(&rates, a->argv[1], why)) {
		message_print("%s", why);
		return EXIT_USAGE;
	}
	return wire_show(a, &print, &rates, sizeof(rates));
}

int cmd_link(const struct sim_args *a)
{
	static const struct wire_printer print = {link_print_text, link_print_json};
	const uint32_t up = a->argc > 1 && !strcmp(a->argv[1], "up");
	struct link_message answer = {0};
	int rc;

	if (a->argc < 2)
		return wire_show(a, &print, NULL, 0);
	if (!up && strcmp(a->argv[1], "down")) {
		message_print("the link goes up or down, not \"%s\"", a->argv[1]);
		return EXIT_USAGE;
	}
	rc = wire_query(a->argv[0], LINK_SET_PORT, &up, sizeof(up), &answer);
	if (rc)
		return rc;
	link_message_free(&answer);
	return wire_show(a, &print, NULL, 0);
}
