/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DPDK testpmd's "flow create PORT ... pattern ... actions ...", as the mlx5 PMD understands it: a
 * pattern without a VLAN item is for tagged packets, too. Smaller priorities come first.
 */
#include "testpmd.h"

#include <stdlib.h>

static bool pmd_attribute(struct draft *d)
{
	const struct token *at = tokens_next(d->line), *value;
	uint64_t n;

	if (token_among(at, "ingress egress")) {
		d->direction = token_is(at, "ingress") ? "in" : "out";
		return true;
	}
	if (token_is(at, "transfer"))
		return draft_leave(d, at, REASON_TRANSFER);
	/* The user_id is the flow's name for its program. */
	if (!token_among(at, "priority group user_id"))
		return draft_leave(d, at, at->text ? REASON_SYNTAX : REASON_ENDS);
	value = tokens_next(d->line);
	if (!value->text || !number_parse(value->text, 0, UINT32_MAX, &n))
		return draft_leave(d, value, value->text ? REASON_VALUE : REASON_ENDS);
	if (token_is(at, "priority"))
		d->order = n;
	return !n || !token_is(at, "group") || draft_leave(d, at, REASON_GROUP);
}

/* Reads attributes up to the word `pattern`. Returns false if the flow is another port's, too. */
static bool pmd_head(struct draft *d)
{
	const struct token *port = tokens_next(d->line);
	int ours;

	if (!port->text)
		return draft_leave(d, port, REASON_ENDS);
	ours = import_netdev(d->im, port->text);
	if (ours < 0)
		return draft_leave(d, port, REASON_INTERFACE);
	while (!tokens_take(d->line, "pattern"))
		if (!pmd_attribute(d))
			return false;
	/* The driver refuses a flow of no direction. */
	return (d->direction || draft_leave(d, tokens_peek(d->line), REASON_VALIDATE)) && ours;
}

static void pmd_line(struct import *im, struct tokens *line)
{
	struct pmd_read r = {.d = {.im = im, .line = line, .at = &line->token[0]}};

	tokens_take(line, "testpmd>");
	if (!testpmd_looks(line)) {
		dialect_leave_line(im, line);
		return;
	}
	tokens_next(line);
	if (!tokens_take(line, "create"))
		draft_leave(&r.d, tokens_peek(line), REASON_VALIDATE);
	else if (pmd_head(&r.d) && pmd_pattern(&r.d) && pmd_actions(&r.d))
		import_add(&r.d);
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
	size_t i = token_is(&line->token[0], "testpmd>");

	return line->n > i + 1 && token_is(&line->token[i], "flow") &&
	       token_among(&line->token[i + 1], "create validate destroy flush list query isolate");
}
