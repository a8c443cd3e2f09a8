/* SPDX-License-Identifier: BSD-2-Clause */
/* A rule of nft: its matches, its verdict, and the other statements of nft(8). */
#include "nft.h"

/* --- statements that are no matches ------------------------------------------------------------ */

/* Statements that leave out a rule; arg: the packet goes elsewhere. */
static const struct row nft_others[] = {
	ROW_LEAVE("reject synproxy", REPLY),
	ROW_LEAVE("log", LOG),
	ROW_LEAVE("limit quota meter numgen", LIMIT),
	ROW_LEAVE_END("queue fwd", TARGET),
	ROW_LEAVE("dup tproxy", TARGET),
	ROW_LEAVE("continue", FINAL),
	ROW_LEAVE("goto", RETURN),
	ROW_LEAVE("dnat snat masquerade redirect", NAT),
	ROW_LEAVE("flow ct notrack", CONNTRACK),
	ROW_LEAVE("update add delete", MEMORY),
	ROW_LEAVE("reset", CHANGE),
	ROW_LEAVE("mark", MARK),
	ROW_LEAVE("oif oifname", DIRECTION),
	ROW_LEAVE("fib rt ipsec socket osf skuid skgid pkttype", HOST),
	ROW_LEAVE("jhash symhash arp exthdr sctp dccp udplite esp ah comp igmp hbh dst mh", FIELD),
	ROW_LEAVE("frag", FRAGMENT),
	{0},
};

static size_t nft_counter(struct nft_read *r, size_t at)
{
	if (nft_is(r->t, at, "name"))
		return at + 2;
	r->d.count = true;
	while (at + 1 < r->end && nft_is(r->t, at, "packets bytes"))
		at += 2;
	return at;
}

/* --- verdicts ---------------------------------------------------------------------------------- */

/* Returns whether the rule needs IP, but does not give the version. */
static bool nft_is_of_both(const struct nft_chain *c, const struct draft *d)
{
	bool positive = false, any = false;

	if (draft_has(d, SLOT_IP))
		return false;
	for (unsigned int s = SLOT_SRC; s < SLOT_TUNNEL; s++) {
		bool has = d->part[0][s].n;

		any |= has;
		positive |= has && !d->part[0][s].negated;
	}
	/* A condition on an IP field implies IP, but labels may be between. */
	return d->no_labels ? any || c->family == NFT_INET : c->family == NFT_INET && !positive;
}

/* Adds a rule. In an inet chain it is for both IP versions and for no other packets. */
static void nft_add(struct nft_read *r, const char *verdict)
{
	bool ingress = nft_at_ingress(r->c);
	struct draft *d = &r->d, one;

	d->verdict = verdict;
	/* At ingress the protocol is the one behind the first tag. */
	d->no_labels |= ingress;
	for (uint64_t version = 4; version <= 6; version += 2) {
		bool both = nft_is_of_both(r->c, d);

		one = *d;
		if (both)
			draft_replace(&one, SLOT_IP, version);
		if (ingress)
			draft_one_tag(&one);
		import_add(&one);
		if (!both)
			return;
	}
}

static void nft_jump(struct nft_read *r, size_t at)
{
	struct nft *t = r->t;
	struct nft_chain *to =
		at < t->words.n ? nft_chain_find(t, r->c, t->words.token[at].text) : NULL;

	if (!to || !to->made || to->running || to->base) {
		nft_leave(r, at, REASON_CHAIN);
		return;
	}
	if (t->depth == NFT_DEPTH_MAX) {
		nft_leave(r, at, REASON_LONG);
		return;
	}
	/* Whether an `accept' there is final, and the hook, depend on the place of the jump. */
	to->last = r->c->last;
	to->hook = r->c->hook;
	t->depth++;
	nft_run(t, to, &r->d);
	t->depth--;
}

/* Reads `return`: the policy of a base chain, nothing at another chain's end. */
static void nft_return(struct nft_read *r, size_t at)
{
	const struct nft_chain *c = r->c;

	if (c->base && (c->drops || c->last))
		nft_add(r, c->drops ? "drop" : "pass");
	else if (c->base || !r->is_last)
		nft_leave(r, at, c->base ? REASON_HOOK : REASON_RETURN);
}

/* Reads a verdict. Returns the word behind it, or 0 if there is none. */
static size_t nft_verdict(struct nft_read *r, size_t at)
{
	const struct nft *t = r->t;

	if (nft_is(t, at, "drop")) {
		nft_add(r, "drop");
	} else if (nft_is(t, at, "accept") && r->c->last) {
		nft_add(r, "pass");
	} else if (nft_is(t, at, "accept")) {
		draft_leave_end(&r->d, nft_word(t, at), REASON_HOOK);
	} else if (nft_is(t, at, "return")) {
		nft_return(r, at);
	} else if (nft_is(t, at, "jump") || (nft_is(t, at, "goto") && r->is_last)) {
		/* A goto of a chain's last rule ends where the jump would. */
		nft_jump(r, at + 1);
		return at + 2;
	} else {
		return 0;
	}
	return at + 1;
}

/* --- alternatives ------------------------------------------------------------------------------ */

static void nft_statements(const struct nft_read *before, size_t at);

static bool nft_enough(const struct nft_read *r, size_t at)
{
	if (r->t->emitted++ < NFT_RULES_MAX)
		return false;
	nft_leave(r, at, REASON_LONG);
	return true;
}

/* The keys of a concatenation. */
#define NFT_KEYS_MAX 6
struct nft_keys {
	const struct row *key[NFT_KEYS_MAX];
	size_t n;
	size_t th; /* the word `th` among them; 0: none */
};

/* Reads one value for each key, with a word "." between. */
static bool nft_element(struct nft_read *r, const struct nft_keys *keys, struct nft_span e)
{
	for (size_t k = 0; k < keys->n; k++) {
		while (e.from < e.end && nft_is(r->t, e.from, "\n"))
			e.from++;
		if (e.from >= e.end)
			return nft_leave(r, e.from, REASON_VALUE);
		if (!nft_match_one(r, keys->key[k], &e.from))
			return false;
		if (k + 1 < keys->n && !nft_is(r->t, e.from++, "."))
			return nft_leave(r, e.from - 1, REASON_SYNTAX);
	}
	e.from--;
	return (!keys->th || r->d.nothing || nft_has_ports(r, keys->th)) && nft_element_rest(r, &e);
}

/* Returns the end of an element: one of the words. */
static size_t nft_element_end(const struct nft *t, size_t at, size_t end, const char *stop)
{
	while (at < end && !nft_is(t, at, stop))
		at++;
	return at;
}

/* Adds one rule for each element, with the statements from `rest` on or the element's verdict. */
static void nft_each(const struct nft_read *before, const struct nft_keys *keys,
		     struct nft_span set, bool verdicts, size_t rest)
{
	const struct nft *t = before->t;

	while (set.from < set.end) {
		size_t stop = nft_element_end(t, set.from, set.end, verdicts ? ", :" : ",");
		struct nft_read r = *before;
		bool empty = true;

		for (size_t i = set.from; i < stop; i++)
			empty &= nft_is(t, i, "\n");
		if (nft_enough(before, set.from))
			return;
		if (!empty && nft_element(&r, keys, (struct nft_span){set.from, stop})) {
			if (!verdicts)
				nft_statements(&r, rest);
			else if (!r.d.nothing &&
				 (!nft_is(t, stop, ":") || !nft_verdict(&r, stop + 1)))
				nft_leave(&r, stop, REASON_VALUE);
		}
		set.from = nft_element_end(t, stop, set.end, ",") + 1;
	}
}

/* --- matches ----------------------------------------------------------------------------------- */

/* Reads KEY [. KEY]... [OPERATOR] VALUE|SET|vmap MAP, and the rest of the rule. */
static void nft_match(struct nft_read *r, size_t at)
{
	const struct nft *t = r->t;
	struct nft_keys keys = {.n = 0};
	struct nft_span span;
	bool verdicts;

	do {
		keys.th = keys.n && nft_is(t, at, "th") ? at : keys.th;
		keys.key[keys.n] = nft_key_read(r, &at, keys.n > 0);
		if (!keys.key[keys.n++])
			return;
	} while (keys.n < NFT_KEYS_MAX && nft_is(t, at, ".") && ++at);
	if (keys.n == 1)
		nft_flags_mask(r, keys.key[0], &at);
	verdicts = nft_is(t, at, "vmap");
	if (!verdicts && keys.n == 1) {
		if (nft_match_list(r, keys.key[0], &at)) {
			nft_statements(r, at);
			return;
		}
		if (at == r->end + 1)
			return;
	}
	at += verdicts || nft_is(t, at, "== eq");
	if (!verdicts && nft_is(t, at, "!="))
		nft_leave(r, at, REASON_NEGATION);
	else if (nft_set_span(r, &at, &span))
		nft_each(r, &keys, span, verdicts, at);
}

/* Reads a rule's last statement. Returns false if it is none. */
static bool nft_ends(struct nft_read *r, size_t at)
{
	const struct token *word = nft_word(r->t, at);
	size_t next = nft_verdict(r, at);
	const struct row *other = next ? NULL : row_find(nft_others, word->text);

	if (other)
		(other->arg ? draft_leave_end : draft_leave)(&r->d, word, other->what);
	while (next && next < r->end && nft_is(r->t, next, "comment"))
		next += 2;
	if (next && next < r->end)
		nft_leave(r, next, REASON_SYNTAX);
	return next || other;
}

/* Reads the statements of a rule from here on. */
static void nft_statements(const struct nft_read *before, size_t at)
{
	struct nft_read r = *before;

	r.d.inner = false;
	while (at < r.end && !r.d.nothing && nft_is(r.t, at, "counter comment"))
		at = nft_is(r.t, at, "comment") ? at + 2 : nft_counter(&r, at + 1);
	if (r.d.nothing)
		return;
	if (at >= r.end) {
		nft_leave(&r, r.end, REASON_FINAL);
	} else if (!nft_ends(&r, at)) {
		if (r.t->depth == NFT_DEPTH_MAX) {
			nft_leave(&r, at, REASON_LONG);
			return;
		}
		r.t->depth++;
		nft_match(&r, at);
		r.t->depth--;
	}
}

/*
 * Returns whether the rule, which is left out, leads packets out of the chain and back, by a map
 * of that name perhaps.
 */
static bool nft_leaves(const struct nft *t, struct nft_span words)
{
	for (size_t i = words.from; i < words.end; i++)
		if ((nft_is(t, i, "return goto") && !nft_word(t, i)->quoted) ||
		    (nft_is(t, i, "vmap") && i + 1 < words.end && *nft_word(t, i + 1)->text == '@'))
			return true;
	return false;
}

/*
 * Adds one rule, once for each alternative of its sets. Returns whether those behind it in the
 * chain get all packets that it does not take. If `all' is false, this rule itself does not.
 */
static bool nft_rule(struct nft *t, struct nft_chain *chain, const struct nft_rule *rule,
		     const struct draft *before, bool all)
{
	struct nft_read r = {
		.d = *before, .t = t, .c = chain, .end = rule->words.end, .is_last = !rule->next};
	size_t left = t->im->out->left_out;

	r.d.at = nft_word(t, rule->words.from);
	if (!chain->base && nft_enough(&r, rule->words.from))
		return all;
	if (all)
		nft_statements(&r, rule->words.from);
	else
		nft_leave(&r, rule->words.from, REASON_BEHIND);
	if (chain->base || left == t->im->out->left_out)
		return all;
	return all && !nft_leaves(t, rule->words);
}

void nft_run(struct nft *t, struct nft_chain *chain, const struct draft *before)
{
	bool all = true;

	chain->running = true;
	for (const struct nft_rule *r = chain->first; r && t->emitted <= NFT_RULES_MAX; r = r->next)
		all = nft_rule(t, chain, r, before, all);
	chain->running = false;
}
