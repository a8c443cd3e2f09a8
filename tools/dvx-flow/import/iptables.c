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
#include "values.h"

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
	bool running;
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

static const struct {
	const char *name, *verdict;
	enum import_reason reason;
	bool ends; /* the packet is_goto elsewhere */
} ipt_targets[] = {
	{"ACCEPT", "pass", 0, false},
	{"DROP", "drop", 0, false},
	{"RETURN", "", REASON_RETURN, false},
	{"REJECT", NULL, REASON_REPLY, false},
	{"LOG", NULL, REASON_LOG, false},
	{"NFLOG", NULL, REASON_LOG, false},
	{"ULOG", NULL, REASON_LOG, false},
	{"AUDIT", NULL, REASON_LOG, false},
	{"QUEUE", NULL, REASON_TARGET, true},
	{"NFQUEUE", NULL, REASON_TARGET, true},
	{"TEE", NULL, REASON_TARGET, false},
	{"MARK", NULL, REASON_MARK, false},
	{"CONNMARK", NULL, REASON_CONNTRACK, false},
	{"CT", NULL, REASON_CONNTRACK, false},
	{"NOTRACK", NULL, REASON_CONNTRACK, false},
	{"DNAT", NULL, REASON_NAT, false},
	{"SNAT", NULL, REASON_NAT, false},
	{"MASQUERADE", NULL, REASON_NAT, false},
	{"REDIRECT", NULL, REASON_NAT, false},
	{"NETMAP", NULL, REASON_NAT, false},
	{"SET", NULL, REASON_SETS, false},
	{"SYNPROXY", NULL, REASON_REPLY, false},
	{"LED", NULL, REASON_FINAL, false},
	{"TCPMSS", NULL, REASON_CHANGE, false},
	{"DSCP", NULL, REASON_CHANGE, false},
	{"TOS", NULL, REASON_CHANGE, false},
	{"TTL", NULL, REASON_CHANGE, false},
	{"HL", NULL, REASON_CHANGE, false},
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
		import_leave(r->im, r->d, r->target, REASON_CHAIN);
	else if (r->is_goto && !last)
		import_leave(r->im, r->d, r->target, REASON_RETURN);
	else if (t->depth == IPT_DEPTH_MAX)
		import_leave(r->im, r->d, r->target, REASON_LONG);
	else
		ipt_run(t, to, r->d);
}

/* Adds a verdict. Packets that one chain accepts are judged by the next chain. */
static void ipt_end(struct ipt *t, struct ipt_read *r, const char *verdict)
{
	r->d->verdict = verdict;
	if (strcmp(verdict, "pass") || t->last)
		import_add(r->im, r->d);
	else
		import_leave_end(r->im, r->d, r->target, REASON_HOOK);
}

/* Handles RETURN: the policy of a chain of the kernel, nothing at another chain's end. */
static void ipt_return(struct ipt *t, struct ipt_read *r, const struct ipt_chain *chain, bool last)
{
	if (ipt_is_hook(chain->table, chain->name))
		ipt_end(t, r, chain->policy);
	else if (!last)
		import_leave(r->im, r->d, r->target, REASON_RETURN);
}

static void ipt_target(struct ipt *t, struct ipt_read *r, const struct ipt_chain *chain, bool last)
{
	size_t i = 0;

	if (r->elsewhere || r->d->nothing)
		return;
	if (!r->target) {
		import_leave(r->im, r->d, r->d->at, REASON_FINAL);
		return;
	}
	while (i < sizeof(ipt_targets) / sizeof(ipt_targets[0]) &&
	       !token_is(r->target, ipt_targets[i].name))
		i++;
	if (i < sizeof(ipt_targets) / sizeof(ipt_targets[0]) && !ipt_targets[i].verdict) {
		(ipt_targets[i].ends ? import_leave_end : import_leave)(r->im, r->d, r->target,
									ipt_targets[i].reason);
		return;
	}
	/* More conditions may stand behind a target without words of its own. */
	if (!ipt_words_read(r) || r->elsewhere || r->d->nothing)
		return;
	if (i == sizeof(ipt_targets) / sizeof(ipt_targets[0])) {
		ipt_jump(t, r, last);
	} else if (!*ipt_targets[i].verdict) {
		ipt_return(t, r, chain, last);
	} else {
		ipt_end(t, r, ipt_targets[i].verdict);
	}
}

static void ipt_rule(struct ipt *t, const struct ipt_chain *chain, const struct ipt_rule *rule,
		     const struct draft *before)
{
	struct tokens line = rule->line;
	struct draft d = *before;
	struct ipt_read r = {.im = t->im, .d = &d, .line = &line, .family = t->family};

	d.at = &line.token[0];
	t->emitted += !ipt_is_hook(chain->table, chain->name);
	if (t->emitted > IPT_RULES_MAX) {
		import_leave(t->im, &d, d.at, REASON_LONG);
		return;
	}
	if (ipt_words_read(&r))
		ipt_target(t, &r, chain, !rule->next);
}

static void ipt_run(struct ipt *t, struct ipt_chain *chain, const struct draft *before)
{
	chain->running = true;
	t->depth++;
	for (const struct ipt_rule *r = chain->first; r && t->emitted <= IPT_RULES_MAX; r = r->next)
		ipt_rule(t, chain, r, before);
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
	struct draft d = {.direction = "in", .of_version = true};
	size_t first = t->im->out->n;
	const char *policy = chain->policy;

	draft_add(t->im, &d, SLOT_IP, t->family == 4 ? "ipv4" : "ipv6");
	d.at = &chain->policy_at;
	ipt_run(t, chain, &d);
	d.verdict = policy;
	if (strcmp(policy, "pass"))
		import_add_last(t->im, &d, first);
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

static bool ipt_keep(struct ipt *t, struct ipt_chain *chain, const struct tokens *line, bool first)
{
	struct ipt_rule *rule = arena_get(t->im->out->memory, sizeof(*rule));
	struct token *copy = arena_get(t->im->out->memory, (line->n + 1) * sizeof(*copy));

	if (!rule || !copy)
		return false;
	memcpy(copy, line->token, (line->n + 1) * sizeof(*copy));
	*rule = (struct ipt_rule){.line = {copy, line->n, line->n, line->at},
				  .next = first ? chain->first : NULL};
	if (!chain->first || !first) {
		*(chain->first ? &chain->last->next : &chain->first) = rule;
		chain->last = rule;
	}
	if (first)
		chain->first = rule;
	return true;
}

/* Other chains of the kernel, and the tables whose rules do not see each packet. */
static const char *const ipt_other_chains[] = {"FORWARD",     "OUTPUT", "PREROUTING",
					       "POSTROUTING", "INPUT",	NULL};
static const char *const ipt_tables[] = {"raw", "mangle", "filter", "security", NULL};

/* Returns whether the chain's rules judge incoming packets; if not, sets the reason. */
static bool ipt_judges(const struct ipt *t, const char *chain, enum import_reason *reason)
{
	const struct token table = {t->table, 0, 0, false}, name = {chain, 0, 0, false};

	*reason = token_is(&table, "nat")	       ? REASON_TABLE
		  : !dialect_among(&table, ipt_tables) ? REASON_UNKNOWN
						       : REASON_DIRECTION;
	return *reason == REASON_DIRECTION &&
	       (ipt_is_hook(t->table, chain) || !dialect_among(&name, ipt_other_chains));
}

static void ipt_append(struct ipt *t, struct tokens *line, bool first)
{
	const struct token *name = tokens_next(line);
	const struct draft d = {.at = &line->token[0]};
	enum import_reason reason;
	struct ipt_chain *chain;
	uint64_t where;

	if (!name->text) {
		import_leave(t->im, &d, name, REASON_ENDS);
	} else if (!ipt_judges(t, name->text, &reason)) {
		import_leave(t->im, &d, name, reason);
	} else if (first && tokens_peek(line)->text &&
		   value_number(tokens_peek(line)->text, 10, UINT32_MAX, &where) && where != 1) {
		import_leave(t->im, &d, tokens_peek(line), REASON_COMMAND);
	} else {
		if (first && tokens_take(line, "1"))
			where = 1;
		chain = ipt_chain(t, name->text, true);
		if (!chain || !ipt_keep(t, chain, line, first))
			t->im->no_memory = true;
	}
}

static void ipt_policy(struct ipt *t, const struct token *name, const struct token *policy)
{
	const struct draft d = {.at = name};
	bool drop = token_is(policy, "DROP");
	enum import_reason reason;
	bool judges = ipt_judges(t, name->text, &reason);
	struct ipt_chain *chain;

	if (token_is(policy, "-")) {
		if (judges)
			ipt_chain(t, name->text, true);
		return;
	}
	if (!drop && !token_is(policy, "ACCEPT")) {
		import_leave(t->im, &d, policy, REASON_VALUE);
	} else if (judges) {
		chain = ipt_chain(t, name->text, true);
		if (chain) {
			chain->policy = drop ? "drop" : "pass";
			chain->policy_at = *name;
		}
	} else if (drop) {
		import_leave(t->im, &d, name, reason);
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

static const char *const ipt_commands[] = {
	"iptables",	      "sudo", "iptables-legacy", "iptables-nft", "/sbin/iptables",
	"/usr/sbin/iptables", NULL};
static const char *const ipt6_commands[] = {"ip6tables",	   "ip6tables-legacy",
					    "ip6tables-nft",	   "/sbin/ip6tables",
					    "/usr/sbin/ip6tables", NULL};
static const char *const ipt_adds[] = {"-A", "--append", NULL};
static const char *const ipt_inserts[] = {"-I", "--insert", NULL};
static const char *const ipt_policies[] = {"-P", "--policy", NULL};
/* Make or empty chains, as a script does before its rules. */
static const char *const ipt_silent[] = {"-N", "--new-chain", "-X",	"--delete-chain",
					 "-Z", "--zero",      "COMMIT", NULL};
static const char *const ipt_flushes[] = {"-F", "--flush", NULL};

/* Reads options that may stand before the command. */
static void ipt_options(struct ipt *t, struct tokens *line)
{
	for (;;) {
		if (tokens_take(line, "-t") || tokens_take(line, "--table")) {
			t->table = tokens_peek(line)->text ? tokens_next(line)->text : "";
		} else if (tokens_take(line, "-c")) {
			tokens_next(line);
			tokens_next(line);
		} else if (!tokens_take(line, "-w") && !tokens_take(line, "-4") &&
			   !tokens_take(line, "-6")) {
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
	const struct draft d = {.at = &line->token[0]};
	const struct token *name;

	ipt_options(t, line);
	name = tokens_next(line);
	if (dialect_among(name, ipt_adds))
		ipt_append(t, line, false);
	else if (dialect_among(name, ipt_inserts))
		ipt_append(t, line, true);
	else if (dialect_among(name, ipt_policies) && line->n - line->at == 2)
		ipt_policy(t, &line->token[line->at], &line->token[line->at + 1]);
	else if (dialect_among(name, ipt_flushes))
		ipt_flush(t, tokens_peek(line)->text);
	else if (!dialect_among(name, ipt_silent))
		import_leave(t->im, &d, name->text ? name : &line->token[0], REASON_COMMAND);
}

static void ipt_line(struct ipt *t, struct tokens *line)
{
	const struct draft d = {.at = &line->token[0]};
	struct token name = line->token[0];
	const char *table = t->table;
	uint8_t family = t->family;

	if (*name.text == '*') {
		t->table = name.text + 1;
	} else if (*name.text == ':' && line->n > 1) {
		name.text++;
		ipt_policy(t, &name, &line->token[1]);
	} else if (dialect_among(&name, ipt_commands) || dialect_among(&name, ipt6_commands)) {
		t->table = "filter";
		while (dialect_among(tokens_peek(line), ipt_commands) ||
		       dialect_among(tokens_peek(line), ipt6_commands))
			t->family = dialect_among(tokens_next(line), ipt6_commands) ? 6 : 4;
		ipt_find_table(t, line);
		ipt_command(t, line);
		t->family = family;
		t->table = table;
	} else if (iptables_looks(line) || dialect_among(&name, ipt_silent) ||
		   dialect_among(&name, ipt_flushes)) {
		line->at += *name.text == '[';
		ipt_command(t, line);
	} else {
		dialect_leave_line(t->im, &d, line);
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
	static const char *const tables[] = {"*filter", "*nat",	     "*mangle",
					     "*raw",	"*security", NULL};
	const struct token *t = &line->token[0];

	if (*t->text == '[' && line->n > 1)
		t++;
	return dialect_among(t, tables) || dialect_among(t, ipt_adds) ||
	       dialect_among(t, ipt_inserts) || dialect_among(t, ipt_policies) ||
	       (dialect_among(t, ipt_commands) && strcmp(t->text, "sudo")) ||
	       (token_is(t, "sudo") && line->n > 1 && dialect_among(t + 1, ipt_commands)) ||
	       (*t->text == ':' && line->n > 1 && strchr("-AD", *t[1].text));
}

bool ip6tables_looks(const struct tokens *line)
{
	const struct token *t = &line->token[0];

	return dialect_among(t, ipt6_commands) ||
	       (token_is(t, "sudo") && line->n > 1 && dialect_among(t + 1, ipt6_commands));
}
