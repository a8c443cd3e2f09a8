/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DPDK testpmd's "flow create PORT ... pattern ... actions ...", as the mlx5 PMD understands it: a
 * pattern without a VLAN item is for tagged packets, too. Smaller priorities come first.
 */
#include <string.h>

#include "testpmd.h"
#include "values.h"
#include <stdlib.h>

/* --- attributes -------------------------------------------------------------------------------- */

static bool pmd_number(struct pmd_read *r, uint64_t *n)
{
	const struct token *at = tokens_next(r->line);

	if (!at->text)
		return pmd_leave(r, at, REASON_ENDS);
	return value_number(at->text, 0, UINT32_MAX, n) || pmd_leave(r, at, REASON_VALUE);
}

static bool pmd_attribute(struct pmd_read *r, const struct token *at)
{
	uint64_t n;

	if (token_is(at, "ingress")) {
		r->d->direction = "in";
	} else if (token_is(at, "egress")) {
		r->d->direction = "out";
	} else if (token_is(at, "priority")) {
		if (!pmd_number(r, &n))
			return false;
		r->d->order = n;
	} else if (token_is(at, "group")) {
		if (!pmd_number(r, &n))
			return false;
		return !n || pmd_leave(r, at, REASON_GROUP);
	} else if (token_is(at, "user_id")) {
		/* The flow's name for its program. */
		return pmd_number(r, &n);
	} else if (token_is(at, "transfer")) {
		return pmd_leave(r, at, REASON_TRANSFER);
	} else {
		return pmd_leave(r, at, at->text ? REASON_SYNTAX : REASON_ENDS);
	}
	return true;
}

/* Reads attributes up to the word `pattern`. */
static bool pmd_head(struct pmd_read *r)
{
	const struct token *port = tokens_next(r->line);
	int ours;

	if (!port->text)
		return pmd_leave(r, port, REASON_ENDS);
	ours = import_netdev(r->im, port->text);
	if (ours < 0)
		return pmd_leave(r, port, REASON_INTERFACE);
	r->elsewhere = !ours;
	while (!tokens_take(r->line, "pattern"))
		if (!pmd_attribute(r, tokens_next(r->line)))
			return false;
	/* The driver refuses a flow of no direction. */
	return r->d->direction || pmd_leave(r, tokens_peek(r->line), REASON_VALIDATE);
}

/* --- lines ------------------------------------------------------------------------------------- */

static void pmd_line(struct import *im, struct tokens *line)
{
	struct draft d = {.at = &line->token[0]};
	struct pmd_read r = {.im = im, .d = &d, .line = line};

	tokens_take(line, "testpmd>");
	if (!testpmd_looks(line)) {
		dialect_leave_line(im, &d, line);
		return;
	}
	tokens_next(line);
	if (!tokens_take(line, "create")) {
		import_leave(im, &d, tokens_peek(line), REASON_VALIDATE);
		return;
	}
	if (pmd_head(&r) && !r.elsewhere && pmd_pattern(&r) && pmd_actions(&r))
		import_add(im, &d);
}

void testpmd_read(struct import *im, struct token_reader *r)
{
	struct tokens line = {0};

	while (tokens_line(r, &line))
		pmd_line(im, &line);
	free(line.token);
}

bool testpmd_looks(const struct tokens *line)
{
	static const char *const verbs[] = {"create", "validate", "destroy", "flush",
					    "list",   "query",	  "isolate", NULL};
	size_t i = token_is(&line->token[0], "testpmd>");

	return line->n > i + 1 && token_is(&line->token[i], "flow") &&
	       dialect_among(&line->token[i + 1], verbs);
}
