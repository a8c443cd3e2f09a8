/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iptables-save, ip6tables-save, and commands of iptables(8). The chains that packets pass until a
 * program gets them become rules for incoming packets. A jump becomes the rules of its chain, each
 * with the jump's conditions.
 */
#include <stdlib.h>
#include <string.h>

#include "dialect.h"
#include "iptables.h"
#include "rules/arena.h"
#include "rules/map.h"

struct ipt_rule {
	struct tokens line; /* `at`: behind the chain's name */
	struct ipt_rule *next;
};

struct ipt_chain {
	const char *table, *name;
	uint8_t family;
	struct ipt_rule *first, *last; /* NULL: none */
	const char *policy;	       /* "drop" or "pass", if packets enter by themselves */
	struct token policy_at;
	bool running, met; /* met: packets come here */
	bool made;	   /* by the text, not only named in rules */
};

struct ipt {
	struct import *im;
	struct ipt_chain *chain;
	size_t n, room;
	struct map names; /* hash -> a place in `chain` */
	const char *table;
	uint8_t family;
	bool last; /* packets are in the last chain, where `pass' is final */
	size_t emitted;
	unsigned int depth; /* of chains that jump to each other */
};

/* The chains that packets enter, in this order. DROP is final in each of them. */
static const struct {
	const char *table, *name;
} ipt_hooks[] = {
	{"raw", "PREROUTING"}, {"mangle", "PREROUTING"}, {"mangle", "INPUT"},
	{"filter", "INPUT"},   {"security", "INPUT"},
};
#define IPT_HOOKS (sizeof(ipt_hooks) / sizeof(ipt_hooks[0]))

static bool ipt_is_hook(const char *table, const char *name)
{
	for (size_t i = 0; i < IPT_HOOKS; i++)
		if (!strcmp(table, ipt_hooks[i].table) && !strcmp(name, ipt_hooks[i].name))
			return true;
	return false;
}

/* Rules that jumps make. */
#define IPT_RULES_MAX 65536u
/* Chains one inside the other. */
#define IPT_DEPTH_MAX 256u

/* Targets that cannot be expressed; arg: the packet goes elsewhere. */
static const struct row ipt_refused[] = {
	ROW_LEAVE("REJECT SYNPROXY", REPLY),
	ROW_LEAVE("LOG NFLOG ULOG AUDIT", LOG),
	ROW_LEAVE_END("QUEUE NFQUEUE", TARGET),
	ROW_LEAVE("TEE", TARGET),
	ROW_LEAVE("MARK", MARK),
	ROW_LEAVE("CONNMARK CT NOTRACK", CONNTRACK),
	ROW_LEAVE("DNAT SNAT MASQUERADE REDIRECT NETMAP", NAT),
	ROW_LEAVE("SET", SETS),
	ROW_LEAVE("LED", FINAL),
	ROW_LEAVE("TCPMSS DSCP TOS TTL HL", CHANGE),
	{0},
};

/* --- chains ------------------------------------------------------------------------------------ */

static struct ipt_chain *ipt_chain(struct ipt *t, const char *name, bool make)
{
	uint64_t h = map_mix_text(map_mix_text(t->family, t->table), name);
	const struct map_slot *slot;

	for (; (slot = map_get(&t->names, h)); h = map_again(h)) {
		struct ipt_chain *c = &t->chain[slot->what];

		if (!strcmp(c->name, name) && !strcmp(c->table, t->table) && c->family == t->family)
			return c;
	}
	if (!make)
		return NULL;
	if (!array_grow((void **)&t->chain, t->n, &t->room, sizeof(*t->chain)) ||
	    !map_put(&t->names, h, (uint32_t)t->n)) {
		t->im->no_memory = true;
		return NULL;
	}
	t->chain[t->n] = (struct ipt_chain){
		.table = t->table, .name = name, .family = t->family, .policy = "pass"};
	return &t->chain[t->n++];
}

static void ipt_run(struct ipt *t, struct ipt_chain *chain, const struct draft *before);

/*
 * Adds the rules of the chain that a rule jumps to, under this rule's conditions. A goto of a
 * chain's last rule ends where the jump would.
 */
static void ipt_jump(struct ipt *t, struct ipt_read *r, bool last)
{
	struct ipt_chain *to = ipt_chain(t, r->target->text, false);

	if (!to || to->running || ipt_is_hook(to->table, to->name))
		draft_leave(&r->d, r->target, REASON_CHAIN);
	else if (r->is_goto && !last)
		draft_leave(&r->d, r->target, REASON_RETURN);
	else if (t->depth == IPT_DEPTH_MAX)
		draft_leave(&r->d, r->target, REASON_LONG);
	else
		ipt_run(t, to, &r->d);
}

/* Adds a verdict. Packets that one chain accepts are judged by the next chain. */
static void ipt_end(struct ipt *t, struct ipt_read *r, const char *verdict)
{
	r->d.verdict = verdict;
	if (strcmp(verdict, "pass") || t->last)
		import_add(&r->d);
	else
		draft_leave_end(&r->d, r->target, REASON_HOOK);
}

static void ipt_target(struct ipt *t, struct ipt_read *r, const struct ipt_chain *chain, bool last)
{
	const struct row *refused = r->target ? row_find(ipt_refused, r->target->text) : NULL;

	if (r->elsewhere || r->d.nothing)
		return;
	if (!r->target) {
		draft_leave(&r->d, r->d.at, REASON_FINAL);
		return;
	}
	if (refused) {
		(refused->arg ? draft_leave_end : draft_leave)(&r->d, r->target, refused->what);
		return;
	}
	/* More conditions may stand behind a target without words of its own. */
	if (!ipt_words_read(r) || r->elsewhere || r->d.nothing)
		return;
	/* RETURN is the policy of a chain of the kernel, nothing at another chain's end. */
	if (token_among(r->target, "ACCEPT DROP"))
		ipt_end(t, r, token_is(r->target, "DROP") ? "drop" : "pass");
	else if (!token_is(r->target, "RETURN"))
		ipt_jump(t, r, last);
	else if (ipt_is_hook(chain->table, chain->name))
		ipt_end(t, r, chain->policy);
	else if (!last)
		draft_leave(&r->d, r->target, REASON_RETURN);
}

/* Returns whether the rule, which is left out, leads its packets out of the chain and back. */
static bool ipt_leaves(const struct ipt_rule *rule)
{
	const struct token *t = rule->line.token;

	for (size_t i = rule->line.at; i + 1 < rule->line.n; i++)
		if (token_among(&t[i], "-g --goto") ||
		    (token_among(&t[i], "-j --jump") && token_is(&t[i + 1], "RETURN")))
			return true;
	return false;
}

/*
 * Adds a rule. Returns whether those behind it in the chain get all packets that it does not take.
 * If `all' is false, this rule itself does not.
 */
static bool ipt_rule(struct ipt *t, const struct ipt_chain *chain, const struct ipt_rule *rule,
		     const struct draft *before, bool all)
{
	bool hook = ipt_is_hook(chain->table, chain->name);
	size_t left = t->im->out->left_out;
	struct tokens line = rule->line;
	struct ipt_read r = {.d = *before};

	r.d.line = &line;
	r.d.at = &line.token[0];
	t->emitted += !hook;
	if (t->emitted > IPT_RULES_MAX)
		draft_leave(&r.d, r.d.at, REASON_LONG);
	else if (!all)
		draft_leave(&r.d, r.d.at, REASON_BEHIND);
	else if (ipt_words_read(&r))
		ipt_target(t, &r, chain, !rule->next);
	if (hook || r.elsewhere || r.d.nothing || left == t->im->out->left_out)
		return all;
	return all && !ipt_leaves(rule);
}

static void ipt_run(struct ipt *t, struct ipt_chain *chain, const struct draft *before)
{
	bool all = true;

	chain->running = chain->met = true;
	t->depth++;
	for (const struct ipt_rule *r = chain->first; r && t->emitted <= IPT_RULES_MAX; r = r->next)
		all = ipt_rule(t, chain, r, before, all);
	t->depth--;
	chain->running = false;
}

static struct ipt_chain *ipt_hook(struct ipt *t, size_t i)
{
	t->table = ipt_hooks[i].table;
	return ipt_chain(t, ipt_hooks[i].name, false);
}

/* Returns whether a chain behind this one judges packets. */
static bool ipt_hook_follows(struct ipt *t, size_t i)
{
	const struct ipt_chain *c = NULL;

	while (++i < IPT_HOOKS &&
	       (!(c = ipt_hook(t, i)) || (!c->first && !strcmp(c->policy, "pass"))))
		;
	return i < IPT_HOOKS;
}

/* Adds a chain's rules, and its policy. */
static void ipt_enter(struct ipt *t, struct ipt_chain *chain)
{
	struct draft d = {.im = t->im,
			  .at = &chain->policy_at,
			  .family = t->family,
			  .direction = "in",
			  .of_version = true};
	size_t first = t->im->out->n;

	draft_set(&d, SLOT_IP, t->family);
	ipt_run(t, chain, &d);
	import_leave_unmet(t->im, 0, first);
	d.verdict = chain->policy;
	if (strcmp(chain->policy, "pass"))
		import_add_last(&d, first);
}

/* Leaves out the rules of a chain that the text neither makes nor leads to. */
static void ipt_leave_unmet(struct ipt *t, const struct ipt_chain *chain)
{
	if (chain->made || chain->met)
		return;
	for (const struct ipt_rule *r = chain->first; r; r = r->next) {
		struct token at = r->line.token[0];

		at.text = chain->name;
		import_leave(t->im, &at, &at, REASON_CHAIN);
	}
}

/* Adds all rules of one IP version. */
static void ipt_enter_all(struct ipt *t, uint8_t family)
{
	t->family = family;
	for (size_t i = 0; i < IPT_HOOKS; i++) {
		struct ipt_chain *chain;

		t->last = !ipt_hook_follows(t, i);
		chain = ipt_hook(t, i);
		if (chain)
			ipt_enter(t, chain);
	}
}

/* --- lines ------------------------------------------------------------------------------------- */

/* Puts a rule at a place of a chain, counted from 1; 0: behind all others. */
static bool ipt_keep(struct ipt *t, struct ipt_chain *chain, const struct tokens *line,
		     uint64_t where)
{
	struct ipt_rule *rule = arena_get(t->im->out->memory, sizeof(*rule));
	struct token *copy = arena_get(t->im->out->memory, (line->n + 1) * sizeof(*copy));

	if (!rule || !copy)
		return false;
	memcpy(copy, line->token, (line->n + 1) * sizeof(*copy));
	*rule = (struct ipt_rule){.line = {copy, line->n, line->n, line->at}};
	if (!where && chain->first) {
		chain->last->next = rule;
	} else {
		struct ipt_rule **place = &chain->first;

		while (*place && where-- > 1)
			place = &(*place)->next;
		rule->next = *place;
		*place = rule;
	}
	if (!rule->next)
		chain->last = rule;
	return true;
}

/*
 * Returns whether the chain's rules judge incoming packets; if not, sets the reason: other chains
 * of the kernel, and tables whose rules do not see each packet.
 */
static bool ipt_judges(const struct ipt *t, const char *chain, enum import_reason *reason)
{
	static const char others[] = "FORWARD OUTPUT PREROUTING POSTROUTING INPUT";

	*reason = REASON_DIRECTION;
	if (!strcmp(t->table, "nat"))
		*reason = REASON_TABLE;
	else if (names_index("raw mangle filter security", t->table, strlen(t->table)) < 0)
		*reason = REASON_UNKNOWN;
	return *reason == REASON_DIRECTION &&
	       (ipt_is_hook(t->table, chain) || names_index(others, chain, strlen(chain)) < 0);
}

/* Counts the rules of a chain, but no further than `most`. */
static uint64_t ipt_rules(const struct ipt_chain *chain, uint64_t most)
{
	uint64_t n = 0;

	for (const struct ipt_rule *r = chain->first; r && n < most; r = r->next)
		n++;
	return n;
}

static void ipt_append(struct ipt *t, struct tokens *line, bool inserts)
{
	const struct token *name = tokens_next(line), *from = &line->token[0];
	enum import_reason reason;
	struct ipt_chain *chain;
	uint64_t where = inserts;

	if (!name->text) {
		import_leave(t->im, from, name, REASON_ENDS);
	} else if (!ipt_judges(t, name->text, &reason)) {
		import_leave(t->im, from, name, reason);
	} else {
		if (inserts && tokens_peek(line)->text &&
		    number_parse(tokens_peek(line)->text, 10, UINT32_MAX, &where))
			tokens_next(line);
		chain = ipt_chain(t, name->text, true);
		if (chain && ((inserts && !where) || ipt_rules(chain, where) + 1 < where))
			import_leave(t->im, from, name, REASON_COMMAND);
		else if (!chain || !ipt_keep(t, chain, line, where))
			t->im->no_memory = true;
	}
}

static struct ipt_chain *ipt_make(struct ipt *t, const struct token *name)
{
	struct ipt_chain *chain = name->text ? ipt_chain(t, name->text, true) : NULL;

	if (chain)
		chain->made = true;
	return chain;
}

static void ipt_policy(struct ipt *t, const struct token *name, const struct token *policy)
{
	bool drop = token_is(policy, "DROP");
	enum import_reason reason;
	bool judges = ipt_judges(t, name->text, &reason);
	struct ipt_chain *chain;

	if (!token_among(policy, "- DROP ACCEPT")) {
		import_leave(t->im, name, policy, REASON_VALUE);
	} else if (judges) {
		chain = ipt_make(t, name);
		if (chain && !token_is(policy, "-")) {
			chain->policy = drop ? "drop" : "pass";
			chain->policy_at = *name;
		}
	} else if (drop) {
		import_leave(t->im, name, name, reason);
	}
}

/* Removes the rules of a chain, or of all. */
static void ipt_flush(struct ipt *t, const char *chain)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->table, t->chain[i].table) && t->chain[i].family == t->family &&
		    (!chain || !strcmp(t->chain[i].name, chain)))
			t->chain[i].first = NULL;
}

static const char ipt_commands[] =
	"iptables iptables-legacy iptables-nft /sbin/iptables /usr/sbin/iptables";
static const char ipt6_commands[] =
	"ip6tables ip6tables-legacy ip6tables-nft /sbin/ip6tables /usr/sbin/ip6tables";
/* Make or empty chains, as a script does before its rules. */
static const char ipt_silent[] = "-N --new-chain -X --delete-chain -Z --zero COMMIT";

/* Reads options that may stand before the command. */
static void ipt_options(struct ipt *t, struct tokens *line)
{
	uint64_t seconds;

	for (;;) {
		if (tokens_take(line, "-t") || tokens_take(line, "--table")) {
			t->table = tokens_peek(line)->text ? tokens_next(line)->text : "";
		} else if (tokens_take(line, "-c")) {
			tokens_next(line);
			tokens_next(line);
		} else if (tokens_take(line, "-w") || tokens_take(line, "--wait")) {
			/* It may have a number of seconds. */
			if (tokens_peek(line)->text &&
			    number_parse(tokens_peek(line)->text, 10, UINT32_MAX, &seconds))
				tokens_next(line);
		} else if (!tokens_take(line, "-4") && !tokens_take(line, "-6") &&
			   !tokens_take(line, "-v") && !tokens_take(line, "-n")) {
			return;
		}
	}
}

/* Finds -t, which may stand at any place of a command. */
static void ipt_find_table(struct ipt *t, const struct tokens *line)
{
	for (size_t i = line->at; i + 1 < line->n; i++)
		if (token_is(&line->token[i], "-t") || token_is(&line->token[i], "--table"))
			t->table = line->token[i + 1].text;
}

static void ipt_command(struct ipt *t, struct tokens *line)
{
	const struct token *name;

	ipt_options(t, line);
	name = tokens_next(line);
	if (token_among(name, "-A --append -I --insert"))
		ipt_append(t, line, token_among(name, "-I --insert"));
	else if (token_among(name, "-P --policy") && line->n - line->at == 2)
		ipt_policy(t, &line->token[line->at], &line->token[line->at + 1]);
	else if (token_among(name, "-N --new-chain"))
		ipt_make(t, tokens_peek(line));
	else if (token_among(name, "-F --flush"))
		ipt_flush(t, tokens_peek(line)->text);
	else if (!token_among(name, ipt_silent))
		import_leave(t->im, &line->token[0], name->text ? name : &line->token[0],
			     REASON_COMMAND);
}

static bool ipt_is_command(const struct token *t)
{
	return token_among(t, ipt_commands) || token_among(t, ipt6_commands);
}

static void ipt_line(struct ipt *t, struct tokens *line)
{
	struct token name = line->token[0];
	const char *table = t->table;
	uint8_t family = t->family;

	if (*name.text == '*') {
		t->table = name.text + 1;
	} else if (*name.text == ':' && line->n > 1) {
		name.text++;
		ipt_policy(t, &name, &line->token[1]);
	} else if (ipt_is_command(&name)) {
		t->table = "filter";
		t->family = token_among(tokens_next(line), ipt6_commands) ? 6 : 4;
		ipt_find_table(t, line);
		ipt_command(t, line);
		t->family = family;
		t->table = table;
	} else if (iptables_looks(line) || token_among(&name, ipt_silent) ||
		   token_among(&name, "-F --flush")) {
		line->at += *name.text == '[';
		ipt_command(t, line);
	} else {
		dialect_leave_line(t->im, line);
	}
}

static void ipt_read(struct import *im, struct token_reader *r, uint8_t family)
{
	struct ipt t = {.im = im, .family = family, .table = "filter"};
	struct tokens line = {0};

	for (const char *from = r->p; tokens_line(r, &line); from = r->p) {
		uint8_t section = iptables_section(from, r->p);

		t.family = section ? section : t.family;
		ipt_line(&t, &line);
	}
	ipt_enter_all(&t, 4);
	ipt_enter_all(&t, 6);
	for (size_t i = 0; i < t.n; i++)
		ipt_leave_unmet(&t, &t.chain[i]);
	free(t.chain);
	map_free(&t.names);
	free(line.token);
}

void iptables_read(struct import *im, struct token_reader *r)
{
	ipt_read(im, r, 4);
}

void ip6tables_read(struct import *im, struct token_reader *r)
{
	ipt_read(im, r, 6);
}

uint8_t iptables_section(const char *from, const char *end)
{
	static const char four[] = "# Generated by iptables", six[] = "# Generated by ip6tables";
	const char *p4 = memmem(from, (size_t)(end - from), four, sizeof(four) - 1);
	const char *p6 = memmem(from, (size_t)(end - from), six, sizeof(six) - 1);

	if (!p4 && !p6)
		return 0;
	return p4 && (!p6 || p4 < p6) ? 4 : 6;
}

/* Returns whether only iptables has such a line. */
bool iptables_looks(const struct tokens *line)
{
	const struct token *t = &line->token[0];

	if (*t->text == '[' && line->n > 1)
		t++;
	return token_among(t, "*filter *nat *mangle *raw *security -A --append -I --insert -P "
			      "--policy") ||
	       token_among(t, ipt_commands) ||
	       (*t->text == ':' && line->n > 1 && strchr("-AD", *t[1].text));
}

unsigned int iptables_versions(const struct tokens *line)
{
	static const char addresses[] =
		"-s --source --src -d --destination --dst --src-range --dst-range";
	unsigned int versions = 0;

	for (size_t i = 0; i + 1 < line->n; i++) {
		const struct token *t = &line->token[i];

		if (token_among(t, addresses))
			versions |= strchr(t[1].text, ':') ? 2 : 1;
		else if (token_among(t, "-m --match") && token_among(&t[1], "icmp6 icmpv6 hl"))
			versions |= 2;
	}
	return ipt_is_command(&line->token[0]) ? 0 : versions;
}

bool ip6tables_looks(const struct tokens *line)
{
	return token_among(&line->token[0], ipt6_commands);
}
