/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iptables-save, ip6tables-save, and commands of iptables(8). The chain INPUT becomes rules for
 * packets that come in. A jump becomes the rules of its chain, each with the jump's conditions.
 */
#include <stdlib.h>
#include <string.h>

#include "dialect.h"
#include "iptables.h"
#include "rules/arena.h"
#include "values.h"

struct ipt_rule {
	struct tokens line; /* `at`: behind the chain's name */
};

struct ipt_chain {
	const char *name;
	uint8_t family;
	struct ipt_rule *rule;
	size_t n, room;
	const char *policy; /* "drop" or "pass", of INPUT */
	struct token policy_at;
	bool running;
};

struct ipt {
	struct import *im;
	struct ipt_chain *chain;
	size_t n, room;
	const char *table;
	uint8_t family;
	size_t emitted;
};

/* Rules that jumps make. */
#define IPT_RULES_MAX 65536u

static const struct {
	const char *name, *verdict;
	enum import_reason reason;
} ipt_targets[] = {
	{"ACCEPT", "pass", 0},
	{"DROP", "drop", 0},
	{"RETURN", "", REASON_RETURN},
	{"REJECT", NULL, REASON_REPLY},
	{"LOG", NULL, REASON_LOG},
	{"NFLOG", NULL, REASON_LOG},
	{"ULOG", NULL, REASON_LOG},
	{"AUDIT", NULL, REASON_LOG},
	{"QUEUE", NULL, REASON_TARGET},
	{"NFQUEUE", NULL, REASON_TARGET},
	{"TEE", NULL, REASON_TARGET},
	{"MARK", NULL, REASON_MARK},
	{"CONNMARK", NULL, REASON_CONNTRACK},
	{"CT", NULL, REASON_CONNTRACK},
	{"NOTRACK", NULL, REASON_CONNTRACK},
	{"DNAT", NULL, REASON_NAT},
	{"SNAT", NULL, REASON_NAT},
	{"MASQUERADE", NULL, REASON_NAT},
	{"REDIRECT", NULL, REASON_NAT},
	{"NETMAP", NULL, REASON_NAT},
	{"SET", NULL, REASON_SETS},
	{"SYNPROXY", NULL, REASON_REPLY},
	{"LED", NULL, REASON_FINAL},
	{"TCPMSS", NULL, REASON_CHANGE},
	{"DSCP", NULL, REASON_CHANGE},
	{"TOS", NULL, REASON_CHANGE},
	{"TTL", NULL, REASON_CHANGE},
	{"HL", NULL, REASON_CHANGE},
};

/* --- chains ------------------------------------------------------------------------------------ */

static struct ipt_chain *ipt_chain(struct ipt *t, const char *name, bool make)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->chain[i].name, name) && t->chain[i].family == t->family)
			return &t->chain[i];
	if (!make)
		return NULL;
	if (!array_grow((void **)&t->chain, t->n, &t->room, sizeof(*t->chain))) {
		t->im->no_memory = true;
		return NULL;
	}
	t->chain[t->n] = (struct ipt_chain){.name = name, .family = t->family, .policy = "pass"};
	return &t->chain[t->n++];
}

static void ipt_run(struct ipt *t, struct ipt_chain *chain, const struct draft *before);

/* A jump: the other chain's rules under this rule's conditions. */
static void ipt_jump(struct ipt *t, struct ipt_read *r)
{
	struct ipt_chain *to = ipt_chain(t, r->target->text, false);

	if (!to || to->running || !strcmp(to->name, "INPUT"))
		import_leave(r->im, r->d, r->target, REASON_CHAIN);
	else if (r->goes)
		import_leave(r->im, r->d, r->target, REASON_RETURN);
	else
		ipt_run(t, to, r->d);
}

/* RETURN is the policy in INPUT, and nothing at another chain's end. */
static void ipt_return(struct ipt_read *r, const struct ipt_chain *chain, bool last)
{
	if (!strcmp(chain->name, "INPUT")) {
		r->d->verdict = chain->policy;
		import_add(r->im, r->d);
	} else if (!last) {
		import_leave(r->im, r->d, r->target, REASON_RETURN);
	}
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
		import_leave(r->im, r->d, r->target, ipt_targets[i].reason);
		return;
	}
	/* More conditions may stand behind a target without words of its own. */
	if (!ipt_words_read(r) || r->elsewhere || r->d->nothing)
		return;
	if (i == sizeof(ipt_targets) / sizeof(ipt_targets[0])) {
		ipt_jump(t, r);
	} else if (!*ipt_targets[i].verdict) {
		ipt_return(r, chain, last);
	} else {
		r->d->verdict = ipt_targets[i].verdict;
		import_add(r->im, r->d);
	}
}

static void ipt_rule(struct ipt *t, struct ipt_chain *chain, size_t number,
		     const struct draft *before)
{
	struct tokens line = chain->rule[number].line;
	struct draft d = *before;
	struct ipt_read r = {.im = t->im, .d = &d, .line = &line, .family = t->family};

	d.at = &line.token[0];
	t->emitted += strcmp(chain->name, "INPUT") != 0;
	if (t->emitted > IPT_RULES_MAX) {
		import_leave(t->im, &d, d.at, REASON_LONG);
		return;
	}
	if (ipt_words_read(&r))
		ipt_target(t, &r, chain, number + 1 == chain->n);
}

static void ipt_run(struct ipt *t, struct ipt_chain *chain, const struct draft *before)
{
	size_t which = (size_t)(chain - t->chain);

	t->chain[which].running = true;
	for (size_t i = 0; i < t->chain[which].n && t->emitted <= IPT_RULES_MAX; i++)
		ipt_rule(t, &t->chain[which], i, before);
	t->chain[which].running = false;
}

/* INPUT of one IP version, and its policy. */
static void ipt_input(struct ipt *t, uint8_t family)
{
	struct draft d = {.direction = "in"};
	size_t first = t->im->out->n;
	struct ipt_chain *input;

	t->family = family;
	input = ipt_chain(t, "INPUT", false);
	if (!input)
		return;
	draft_say(t->im, &d, SLOT_IP, family == 4 ? "ipv4" : "ipv6");
	ipt_run(t, input, &d);
	d.at = &input->policy_at;
	d.verdict = input->policy;
	if (strcmp(input->policy, "pass"))
		import_add_last(t->im, &d, first);
}

/* --- lines ------------------------------------------------------------------------------------- */

static bool ipt_keep(struct ipt *t, struct ipt_chain *chain, const struct tokens *line, bool first)
{
	struct ipt_rule *rule;
	struct token *copy;

	if (!array_grow((void **)&chain->rule, chain->n, &chain->room, sizeof(*chain->rule)))
		return false;
	copy = arena_get(t->im->out->memory, (line->n + 1) * sizeof(*copy));
	if (!copy)
		return false;
	memcpy(copy, line->token, (line->n + 1) * sizeof(*copy));
	rule = &chain->rule[first ? 0 : chain->n];
	if (first)
		memmove(rule + 1, rule, chain->n * sizeof(*rule));
	*rule = (struct ipt_rule){.line = {copy, line->n, line->n, line->at}};
	chain->n++;
	return true;
}

/* Where packets of a chain that the kernel enters by itself go; NULL: somewhere else than INPUT. */
static const char *const ipt_other_chains[] = {"FORWARD", "OUTPUT", "PREROUTING", "POSTROUTING",
					       NULL};

static void ipt_append(struct ipt *t, struct tokens *line, bool first)
{
	const struct token *name = tokens_next(line);
	const struct draft d = {.at = &line->token[0]};
	struct ipt_chain *chain;
	uint64_t where;

	if (!name->text) {
		import_leave(t->im, &d, name, REASON_ENDS);
	} else if (strcmp(t->table, "filter")) {
		import_leave(t->im, &d, &line->token[0], REASON_TABLE);
	} else if (dialect_among(name, ipt_other_chains)) {
		import_leave(t->im, &d, name, REASON_DIRECTION);
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
	struct ipt_chain *chain;

	if (strcmp(t->table, "filter"))
		return;
	if (token_is(policy, "-")) {
		ipt_chain(t, name->text, true);
		return;
	}
	if (!drop && !token_is(policy, "ACCEPT")) {
		import_leave(t->im, &d, policy, REASON_VALUE);
	} else if (!strcmp(name->text, "INPUT")) {
		chain = ipt_chain(t, name->text, true);
		if (chain) {
			chain->policy = drop ? "drop" : "pass";
			chain->policy_at = *name;
		}
	} else if (drop) {
		import_leave(t->im, &d, name, REASON_DIRECTION);
	}
}

/* Takes away the rules of a chain, or of all. */
static void ipt_flush(struct ipt *t, const char *chain)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->table, "filter") && t->chain[i].family == t->family &&
		    (!chain || !strcmp(t->chain[i].name, chain)))
			t->chain[i].n = 0;
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

/* Options that may stand before the command. */
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

/* A table may be named at any place of a command. */
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
		dialect_stranger(t->im, &d, line);
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
	ipt_input(&t, 4);
	ipt_input(&t, 6);
	for (size_t i = 0; i < t.n; i++)
		free(t.chain[i].rule);
	free(t.chain);
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

/* Lines that only iptables has. */
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
