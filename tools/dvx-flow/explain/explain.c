/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvx-flow explain: prints the tables, rules and entries that a packet meets, and the field that
 * decides.
 */
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "explain.h"
#include "rules/words.h"

#define STARTS_MAX     16
#define LINE_MAX_BYTES 256

struct explain_job {
	const struct args *args;
	struct dump_source src;
	struct walk_trace trace;
	enum side side;
	uint32_t start[STARTS_MAX];
	unsigned int nstarts;
	bool lost; /* a walk ended where the dump ends */
	/* sums of a packet file */
	uint64_t packets, cut, *by_rule, by_default, by_lost;
	uint64_t *first_by_rule, first_default, first_lost;
	json_t *out;
};

/* Prepares the job when the dump is open. */
static void explain_begin(struct explain_job *job, bool written)
{
	job->trace = (struct walk_trace){.cache = job->src.cache,
					 .name = job->src.daemon ? dump_source_rule : NULL,
					 .arg = &job->src,
					 .written = written};
	job->trace.registers =
		registers_new(&job->src.d, job->src.cache, job->trace.name, job->trace.arg);
}

/* --- one packet --- */

/*
 * A rule's entries in a row. A range is many entries: prints the first one, then how many more, and
 * the fields in which they differ.
 */
struct entry_run {
	const char *rule;
	unsigned int more;
	char fields[128];
};

static void run_end(struct entry_run *r)
{
	if (r->more)
		printf("      and %u more of its entries%s%s\n", r->more,
		       *r->fields ? ", which miss by " : "", r->fields);
	*r = (struct entry_run){NULL, 0, ""};
}

/* Returns true if the step is another entry of the same rule as the last one. */
static bool run_on(struct entry_run *r, json_t *step)
{
	const char *rule = json_string_value(json_object_get(step, "rule"));
	const char *field = json_string_value(json_object_get(step, "field"));
	size_t len = strlen(r->fields);

	if (!rule || !r->rule || strcmp(rule, r->rule) || json_object_get(step, "changes") ||
	    json_is_true(json_object_get(step, "acts")))
		return false;
	r->more++;
	if (field && !strstr(r->fields, field))
		snprintf(r->fields + len, sizeof(r->fields) - len, "%s%s", len ? ", " : "", field);
	return true;
}

static void print_walk_trace(json_t *j)
{
	json_t *steps = json_object_get(j, "steps"), *step;
	struct entry_run run = {NULL, 0, ""};
	size_t i;

	json_array_foreach (steps, i, step) {
		bool table = !strcmp(json_string_value(json_object_get(step, "step")), "table");

		if (run_on(&run, step))
			continue;
		run_end(&run);
		run.rule = json_string_value(json_object_get(step, "rule"));
		printf("%s%s\n", table ? "  " : "    ",
		       json_string_value(json_object_get(step, "says")));
	}
	run_end(&run);
	printf("  => %s\n", json_string_value(json_object_get(json_object_get(j, "end"), "says")));
}

static int explain_print_packet(struct explain_job *job, const struct seen_packet *seen,
				const char *name, const char *note)
{
	const struct fields *p = &seen->f;
	char line[LINE_MAX_BYTES];
	json_t *ways = json_array();
	int rc = 0;

	fields_line(line, sizeof(line), p);
	if (!job->args->json)
		printf("%s %s%s: %s\n%s", name, job->side == SIDE_RX ? "in" : "out", note, line,
		       job->src.daemon ? "  root table: dvx-flow's rule sends every packet on\n"
				       : "");
	for (unsigned int i = 0; i < job->nstarts && !rc; i++) {
		struct explain_walk w = {.cache = job->src.cache,
					 .frame = seen->bytes,
					 .len = seen->len,
					 .keep = true};
		json_t *j = NULL;

		rc = walk_run(&w, &job->src.d, job->start[i], job->side, p);
		if (!rc)
			j = walk_trace_json(&job->trace, &w);
		job->lost = job->lost || w.end == WALK_LOST;
		walk_free(&w);
		if (j && !job->args->json)
			print_walk_trace(j);
		if (!j || json_array_append_new(ways, j))
			rc = -1;
	}
	json_object_set_new(job->out, "packet", json_string(line));
	json_object_set_new(job->out, "ways", ways);
	if (rc)
		message_print("no memory");
	return rc ? EXIT_INPUT : EXIT_DONE;
}

/* --- the packet that was written down --- */

static void explain_print_mistake(void *arg, const struct mistake *m)
{
	unsigned int before = *(const unsigned int *)arg;
	unsigned int column = m->column > before ? m->column - before : 1;

	message_set_place(NULL, 1, column);
	message_print("the packet, column %u: %s", column, m->text);
}

/*
 * Parses the packet's words. The parser reads rules, so the words that make it a rule are put
 * before them.
 */
static int one_rule(struct ruleset *set, const char *words, const char *direction)
{
	unsigned int before = (unsigned int)(strlen("pass ") + strlen(direction));
	char *text;
	int n;

	if (asprintf(&text, "pass %s%s\n", direction, words) < 0)
		return -1;
	n = rules_parse(text, strlen(text), set, explain_print_mistake, &before);
	free(text);
	return n;
}

static int find_starts(struct explain_job *job)
{
	job->nstarts = dump_source_starts(&job->src, job->side, job->start, STARTS_MAX);
	if (job->nstarts > STARTS_MAX)
		job->nstarts = STARTS_MAX;
	if (job->nstarts)
		return EXIT_DONE;
	if (job->src.daemon) {
		message_print("no rule matches packets that %s: they go the default way",
			      job->side == SIDE_RX ? "come in" : "go out");
		return EXIT_RULES;
	}
	message_print("%s has no first table for packets that %s", job->src.name,
		      job->side == SIDE_RX ? "come in" : "go out");
	return EXIT_INPUT;
}

/* Sets the source of a vport's packet. Entries compare the vport's VHCA. */
static int find_vport(struct explain_job *job, struct fields *p)
{
	const struct steering_dump *d = &job->src.d;
	uint32_t vport = (uint32_t)p->value[F_SOURCE];

	if (!p->known[F_SOURCE] || dump_source_vport(d, d->table[job->start[0]].domain, vport, p))
		return EXIT_DONE;
	message_print("%s does not say which VHCA vport %u is", job->src.name, vport);
	return EXIT_RULES;
}

static int explain_words(struct explain_job *job)
{
	char words[WORDS_BYTES_MAX];
	struct ruleset set;
	struct seen_packet p = {.bytes = NULL};
	bool said;
	int ret;

	words_join(words, sizeof(words), job->args->argv, job->args->argc);
	if (!words[0]) {
		message_print("a packet is written like this: ipv4 dst 10.0.0.1 tcp dst port 80");
		return EXIT_USAGE;
	}
	said = word_is_direction(words);
	if (one_rule(&set, words, said ? "" : job->args->out ? "out " : "in "))
		return EXIT_USAGE;
	if (set.rule[0].nexcepts) {
		message_print("a packet has values: write what it has, not `not' or `!='");
		ruleset_free(&set);
		return EXIT_USAGE;
	}
	job->side = set.rule[0].dir == RULE_IN ? SIDE_RX : SIDE_TX;
	fields_of_rule(&p.f, &set.rule[0]);
	ruleset_free(&set);
	ret = job->args->dump ? dump_source_open(&job->src, job->args, job->args->dump)
			      : dump_source_open_for(&job->src, job->args, job->side, &p);
	if (ret)
		return ret;
	explain_begin(job, true);
	ret = find_starts(job);
	if (!ret)
		ret = find_vport(job, &p.f);
	if (ret)
		return ret;
	return explain_print_packet(job, &p, "packet",
				    said || job->args->out ? "" : " (the default direction)");
}

/* --- the packets of a file --- */

static void explain_count(uint64_t *n, uint64_t *first, uint64_t packet)
{
	if (!(*n)++)
		*first = packet;
}

static void explain_count_rule(struct explain_job *job, uint32_t rule, uint64_t packet)
{
	explain_count(&job->by_rule[rule], &job->first_by_rule[rule], packet);
}

/*
 * Counts the packet for the mirrors and rules that led it to other tables; sum_up() does so for the
 * last rule.
 */
static void count_ways(struct explain_job *job, const struct explain_walk *w, uint64_t packet)
{
	for (uint32_t i = 0; i < w->nsteps; i++) {
		const struct dump_entry *e = &w->d->entry[w->step[i].entry];

		if (w->step[i].kind == STEP_ENTRY && w->step[i].hit && entry_ends(w->d, e) &&
		    (dump_onward_of(w->d, &w->d->rule[e->rule]) ||
		     dump_source_leads(&job->src, w->d->rule[e->rule].id)))
			explain_count_rule(job, e->rule, packet);
	}
}

static int sum_up(struct explain_job *job, const struct seen_packet *p, uint64_t packet)
{
	struct explain_walk w = {.cache = job->src.cache, .frame = p->bytes, .len = p->len};
	int rc = walk_run(&w, &job->src.d, job->start[0], job->side, &p->f);

	if (!rc && w.end == WALK_RULE)
		explain_count_rule(job, walk_trace_rule(&job->trace, &w), packet);
	else if (!rc && w.end == WALK_DEFAULT)
		explain_count(&job->by_default, &job->first_default, packet);
	else if (!rc)
		explain_count(&job->by_lost, &job->first_lost, packet);
	count_ways(job, &w, packet);
	walk_free(&w);
	return rc;
}

static const char default_way[] = "no rule: the default way";

static void explain_add_row(struct explain_job *job, const char *what, uint64_t n, uint64_t first)
{
	json_t *rows = json_object_get(job->out, "rows");

	if (!n)
		return;
	json_array_append_new(rows, json_pack("{s:s, s:I, s:I}", "rule", what, "packets",
					      (json_int_t)n, "first_packet", (json_int_t)first));
	if (!job->args->json)
		printf("%10llu  %10llu  %s\n", (unsigned long long)n, (unsigned long long)first,
		       what);
}

/* Returns the rule's text, or its ID and actions. */
static const char *row_name(struct explain_job *job, uint32_t rule, char *what, size_t size)
{
	const struct dump_rule *r = &job->src.d.rule[rule];
	const char *name = job->trace.name ? job->trace.name(job->trace.arg, r->id) : NULL;
	int at;

	if (job->trace.name)
		return name ? name : default_way;
	at = snprintf(what, size, "rule 0x%llx: ", (unsigned long long)r->id);
	walk_trace_actions(what + at, size - (size_t)at, &job->src.d, r);
	return what;
}

/* Adds up packets of one rule of a file, which is many rules in the dump. */
static void explain_gather(struct explain_job *job)
{
	const struct steering_dump *d = &job->src.d;
	struct rule_sum {
		const char *name;
		uint32_t first;
	} *rows = calloc(d->nrules + 1u, sizeof(*rows));
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->nrules && rows; i++) {
		const char *name = job->trace.name(job->trace.arg, d->rule[i].id);
		uint32_t k = 0;

		if (!job->by_rule[i])
			continue;
		while (k < n && rows[k].name != name)
			k++;
		if (k == n) {
			rows[n++] = (struct rule_sum){name, i};
			continue;
		}
		job->by_rule[rows[k].first] += job->by_rule[i];
		if (job->first_by_rule[i] < job->first_by_rule[rows[k].first])
			job->first_by_rule[rows[k].first] = job->first_by_rule[i];
		job->by_rule[i] = 0;
	}
	free(rows);
}

static void print_sums(struct explain_job *job)
{
	char what[512];

	json_object_set_new(job->out, "packets", json_integer((json_int_t)job->packets));
	json_object_set_new(job->out, "rows", json_array());
	if (job->trace.name)
		explain_gather(job);
	if (!job->args->json)
		printf("   packets  first one  taken by\n");
	for (uint32_t i = 0; i < job->src.d.nrules; i++)
		if (job->by_rule[i])
			explain_add_row(job, row_name(job, i, what, sizeof(what)), job->by_rule[i],
					job->first_by_rule[i]);
	explain_add_row(job, default_way, job->by_default, job->first_default);
	explain_add_row(job, "(unknown: the dump ends there; see --packet)", job->by_lost,
			job->first_lost);
}

/* Prints which table the sums are of: a dump of several domains has several first tables. */
static void explain_print_start(const struct explain_job *job)
{
	if (job->nstarts > 1 && !job->args->packet)
		message_print("%s has %u first tables; the sums are of table 0x%llx", job->src.name,
			      job->nstarts, (unsigned long long)job->src.d.table[job->start[0]].id);
}

#define CUT_MEANS "missing fields count as 0 here, the device has the whole packet"

static int read_packets(struct explain_job *job, pcap_t *in)
{
	struct pcap_pkthdr *head;
	const u_char *bytes;
	int rc = 0, got;

	explain_print_start(job);
	while (!rc && (got = pcap_next_ex(in, &head, &bytes)) > 0) {
		struct seen_packet p = {.bytes = bytes, .len = head->caplen};

		job->packets++;
		if (job->args->packet && job->args->packet != job->packets)
			continue;
		fields_of_frame(&p.f, bytes, head->caplen);
		job->cut += head->caplen < head->len;
		if (job->args->packet) {
			char name[48];

			snprintf(name, sizeof(name), "packet %llu",
				 (unsigned long long)job->packets);
			if (job->cut)
				message_print("the capture cut it (%u of %u bytes): " CUT_MEANS,
					      head->caplen, head->len);
			return explain_print_packet(job, &p, name, "");
		}
		rc = sum_up(job, &p, job->packets);
	}
	if (rc || got == PCAP_ERROR) {
		message_print("%s: packet %llu: %s", job->args->argv[0],
			      (unsigned long long)job->packets + 1,
			      rc ? "no memory" : pcap_geterr(in));
		return EXIT_INPUT;
	}
	if (job->args->packet) {
		message_print("%s has %llu packets, no number %llu", job->args->argv[0],
			      (unsigned long long)job->packets,
			      (unsigned long long)job->args->packet);
		return EXIT_INPUT;
	}
	print_sums(job);
	if (job->cut)
		message_print("%llu packet%s cut when %s captured: " CUT_MEANS,
			      (unsigned long long)job->cut, job->cut == 1 ? " was" : "s were",
			      job->cut == 1 ? "it was" : "they were");
	return EXIT_DONE;
}

static int explain_file(struct explain_job *job, const char *path)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *in;
	int ret = dump_source_open(&job->src, job->args, job->args->dump);

	if (ret)
		return ret;
	explain_begin(job, false);
	in = pcap_open_offline(path, why);
	if (!in) {
		message_print("%s: %s", path, why);
		return EXIT_INPUT;
	}
	job->side = job->args->out ? SIDE_TX : SIDE_RX;
	job->by_rule = calloc(job->src.d.nrules + 1u, sizeof(*job->by_rule));
	job->first_by_rule = calloc(job->src.d.nrules + 1u, sizeof(*job->first_by_rule));
	ret = find_starts(job);
	if (!ret && pcap_datalink(in) != DLT_EN10MB) {
		message_print("%s: its packets are %s; Ethernet is needed", path,
			      pcap_datalink_val_to_description_or_dlt(pcap_datalink(in)));
		ret = EXIT_INPUT;
	} else if (!ret && (!job->by_rule || !job->first_by_rule)) {
		message_print("no memory");
		ret = EXIT_INPUT;
	} else if (!ret) {
		ret = read_packets(job, in);
	}
	pcap_close(in);
	free(job->by_rule);
	free(job->first_by_rule);
	return ret;
}

/* Returns whether the operand is a path, which may not exist, or words of the rule language. */
static bool explain_is_file(const struct args *a)
{
	const char *what = a->argv[0];
	struct stat st;

	if (a->argc > 1 || word_is_direction(what))
		return false;
	return (!strpbrk(what, " \t") && strpbrk(what, "./")) ||
	       (!stat(what, &st) && !S_ISDIR(st.st_mode));
}

int cmd_explain(const struct args *a)
{
	struct explain_job job = {.args = a, .out = json_object()};
	int ret = explain_is_file(a) ? explain_file(&job, a->argv[0]) : explain_words(&job);

	if (!ret && a->json)
		ret = json_out(json_incref(job.out));
	json_decref(job.out);
	registers_free(job.trace.registers);
	dump_source_close(&job.src);
	return ret ? ret : job.lost ? EXIT_RULES : EXIT_DONE;
}
