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
#include <dvx/flow.h>

#include "explain.h"
#include "rules/words.h"

#define STARTS_MAX     16
#define LINE_MAX_BYTES 256

/* Packets, and the number of the first one. */
struct explain_sum {
	uint64_t n, first;
};

struct explain_job {
	const struct args *args;
	struct dump_source src;
	struct direction at;
	char from[48]; /* " from pf", of a switched packet */
	bool written;  /* the packet was given in words */
	uint32_t start[STARTS_MAX];
	unsigned int nstarts;
	bool lost; /* a walk ended where the dump ends */
	/* sums of a packet file */
	uint64_t packets, cut;
	struct explain_sum *by_rule, by_default, by_lost;
	json_t *out;
};

/* --- one packet --- */

/*
 * A rule's entries in a row. A range is many entries: prints the first one, then how many more, and
 * the fields in which they differ.
 */
struct entry_run {
	const char *rule;
	unsigned int more;
	char buf[128];
	struct sentence fields;
};

static void run_begin(struct entry_run *r, const char *rule)
{
	r->rule = rule;
	r->more = 0;
	r->fields = SENTENCE(r->buf);
}

static void run_end(const struct entry_run *r)
{
	if (r->more)
		printf("      and %u more of its entries%s%s\n", r->more,
		       r->fields.at ? ", which miss by " : "", r->buf);
}

/* Returns true if the step is another entry of the same rule as the last one. */
static bool run_on(struct entry_run *r, json_t *step)
{
	const char *rule = json_string_value(json_object_get(step, "rule"));
	const char *field = json_string_value(json_object_get(step, "field"));

	if (!rule || !r->rule || strcmp(rule, r->rule) || json_object_get(step, "changes") ||
	    json_is_true(json_object_get(step, "acts")))
		return false;
	r->more++;
	if (field && !strstr(r->buf, field))
		sentence_add(&r->fields, "%s%s", r->fields.at ? ", " : "", field);
	return true;
}

static const char *explain_sentence(json_t *j)
{
	return json_string_value(json_object_get(j, "says"));
}

static void explain_print_walk(json_t *j)
{
	json_t *steps = json_object_get(j, "steps"), *step;
	struct entry_run run;
	size_t i;

	run_begin(&run, NULL);
	json_array_foreach (steps, i, step) {
		bool table = !strcmp(json_string_value(json_object_get(step, "step")), "table");

		if (run_on(&run, step))
			continue;
		run_end(&run);
		run_begin(&run, json_string_value(json_object_get(step, "rule")));
		printf("%s%s\n", table ? "  " : "    ", explain_sentence(step));
	}
	run_end(&run);
	printf("  => %s\n", explain_sentence(json_object_get(j, "end")));
}

static int explain_way(struct explain_job *job, struct direction at, uint32_t start,
		       struct explain_walk *w, const struct fields *p, json_t **out);

/* Prints where the packet goes on, and walks there. */
static int explain_next(struct explain_job *job, const struct explain_walk *w, const struct goal *g,
			json_t *way)
{
	struct explain_walk next = {.keep = true};
	struct fields f = w->now.f;
	json_t *then = NULL;
	uint32_t start;
	int rc;

	json_object_set_new(way, "vport", json_string(g->vport));
	json_object_set_new(way, "goes_on", json_string(g->says));
	if (!job->args->json)
		printf("  => %s: %s\n", g->vport, g->says);
	if (g->at.dir == RULE_DIRS || !dump_source_starts(&job->src, g->at, &start, 1))
		return 0;
	if (w->now.framed) {
		next.frame = w->now.bytes;
		next.len = w->now.len;
	}
	goal_enter(&job->src, g->at, start, &f);
	rc = explain_way(job, g->at, start, &next, &f, &then);
	walk_free(&next);
	json_object_set_new(way, "then", then);
	return rc;
}

static int explain_way(struct explain_job *job, struct direction at, uint32_t start,
		       struct explain_walk *w, const struct fields *p, json_t **out)
{
	struct goal g;
	int rc = walk_run(w, &job->src.d, start, at.side, p);

	if (rc)
		return rc;
	*out = trace_json(w, job->written);
	job->lost = job->lost || w->end == WALK_LOST;
	if (*out && !job->args->json)
		explain_print_walk(*out);
	if (!*out || w->unknown || !goal_find(&job->src, w, at.dir, &g))
		return *out ? 0 : -1;
	return explain_next(job, w, &g, *out);
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
		printf("%s %s%s%s: %s\n%s", name, rule_dirs[job->at.dir].name, job->from, note,
		       line,
		       job->src.head ? "  root table: dvx-flow's rule sends every packet on\n"
				     : "");
	for (unsigned int i = 0; i < job->nstarts && !rc; i++) {
		struct explain_walk w = {.frame = seen->bytes, .len = seen->len, .keep = true};
		json_t *j = NULL;

		rc = explain_way(job, job->at, job->start[i], &w, p, &j);
		walk_free(&w);
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
	job->nstarts = dump_source_starts(&job->src, job->at, job->start, STARTS_MAX);
	if (job->nstarts > STARTS_MAX)
		job->nstarts = STARTS_MAX;
	if (job->nstarts)
		return EXIT_DONE;
	if (job->src.head) {
		message_print("no rule is for %s packets: they go the default way",
			      rule_dirs[job->at.dir].packets);
		return EXIT_RULES;
	}
	message_print("%s has no first table for %s packets", job->src.name,
		      rule_dirs[job->at.dir].packets);
	return EXIT_INPUT;
}

/* Sets the source of a vport's packet. Entries compare the vport's VHCA. */
static int find_vport(struct explain_job *job, struct fields *p)
{
	const struct steering *d = &job->src.d;
	uint32_t vport = (uint32_t)p->value[F_SOURCE];

	if (!p->known[F_SOURCE] || dump_source_vport(d, d->table[job->start[0]].domain, vport, p) ||
	    job->src.head)
		return EXIT_DONE;
	message_print("%s does not say which VHCA vport %u is", job->src.name, vport);
	return EXIT_RULES;
}

/* A device finds no option of another class and type than its own. */
static void explain_set_option(const struct explain_job *job, struct fields *p)
{
	if (p->option != job->src.d.option)
		p->value[F_GENEVE_OPTION] = 0;
	p->option = job->src.d.option;
}

static struct direction explain_direction(const struct rule *r)
{
	bool from_wire = false;

	for (size_t i = 0; i < r->nfields; i++)
		from_wire |= r->field[i].key == KEY_VPORT && r->field[i].value == DVX_FLOW_UPLINK;
	return (struct direction){r->dir, r->dir == RULE_IN || (r->dir == RULE_SWITCH && from_wire)
						  ? SIDE_RX
						  : SIDE_TX};
}

static void explain_set_from(struct explain_job *job, uint32_t vport)
{
	char name[32];

	dvx_flow_vport_name(vport, name, sizeof(name));
	snprintf(job->from, sizeof(job->from), " from %s", name);
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
	job->at = explain_direction(&set.rule[0]);
	fields_of_rule(&p.f, &set.rule[0]);
	ruleset_free(&set);
	if (job->at.dir == RULE_SWITCH && !p.f.known[F_SOURCE]) {
		message_print("a packet in the e-switch comes from a vport: write `switch from "
			      "uplink' or `switch from pf' before its fields");
		return EXIT_USAGE;
	}
	if (job->at.dir == RULE_SWITCH)
		explain_set_from(job, (uint32_t)p.f.value[F_SOURCE]);
	ret = job->args->dump ? dump_source_open(&job->src, job->args, job->args->dump)
			      : dump_source_open_for(&job->src, job->args, job->at, &p);
	if (ret)
		return ret;
	job->written = true;
	explain_set_option(job, &p.f);
	ret = find_starts(job);
	if (!ret)
		ret = find_vport(job, &p.f);
	if (ret)
		return ret;
	return explain_print_packet(job, &p, "packet",
				    said || job->args->out ? "" : " (the default direction)");
}

/* --- the packets of a file --- */

static void explain_count(struct explain_sum *sum, uint64_t packet)
{
	if (!sum->n++)
		sum->first = packet;
}

/*
 * Counts the packet for the mirrors and rules that led it to other tables; sum_up() does so for the
 * last rule.
 */
static void count_ways(struct explain_job *job, const struct explain_walk *w, uint64_t packet)
{
	for (uint32_t i = 0; i < w->nsteps; i++) {
		const struct walk_step *st = &w->step[i];
		const struct steering_record *e;

		if (st->kind != STEP_ENTRY || !st->hit)
			continue;
		e = &w->d->entry[st->entry];
		if (steering_is_last(w->d, e) &&
		    (steering_copies(w->d, &w->d->rule[e->rule]) || w->d->rule[e->rule].leads))
			explain_count(&job->by_rule[e->rule], packet);
	}
}

static int sum_up(struct explain_job *job, const struct seen_packet *p, uint64_t packet)
{
	struct explain_walk w = {.frame = p->bytes, .len = p->len};
	int rc = walk_run(&w, &job->src.d, job->start[0], job->at.side, &p->f);

	if (!rc)
		explain_count(w.end == WALK_RULE      ? &job->by_rule[trace_rule(&w)]
			      : w.end == WALK_DEFAULT ? &job->by_default
						      : &job->by_lost,
			      packet);
	count_ways(job, &w, packet);
	walk_free(&w);
	return rc;
}

static const char default_way[] = "no rule: the default way";

static void explain_add_row(struct explain_job *job, const char *what,
			    const struct explain_sum *sum)
{
	if (!sum->n)
		return;
	json_array_append_new(json_object_get(job->out, "rows"),
			      json_pack("{s:s, s:I, s:I}", "rule", what, "packets",
					(json_int_t)sum->n, "first_packet",
					(json_int_t)sum->first));
	if (!job->args->json)
		printf("%10llu  %10llu  %s\n", (unsigned long long)sum->n,
		       (unsigned long long)sum->first, what);
}

/* Adds a row of the rule's text, or of its ID and actions. */
static void explain_add_rule(struct explain_job *job, uint32_t rule)
{
	const struct steering_rule *r = &job->src.d.rule[rule];
	char what[512];
	struct sentence t = SENTENCE(what);

	sentence_add(&t, "rule 0x%llx: ", (unsigned long long)r->id);
	sentence_add_actions(&t, &job->src.d, r);
	explain_add_row(job,
			r->text		   ? r->text
			: job->src.d.named ? default_way
					   : what,
			&job->by_rule[rule]);
}

/* Adds up packets of one rule of a file, which is many rules in the dump. */
static void explain_gather(struct explain_job *job)
{
	const struct steering *d = &job->src.d;
	uint32_t *rows = calloc(d->nrules + 1u, sizeof(*rows)), n = 0;

	for (uint32_t i = 0; i < d->nrules && rows; i++) {
		struct explain_sum *sum = &job->by_rule[i], *of;
		uint32_t k = 0;

		if (!sum->n)
			continue;
		while (k < n && d->rule[rows[k]].text != d->rule[i].text)
			k++;
		if (k == n) {
			rows[n++] = i;
			continue;
		}
		of = &job->by_rule[rows[k]];
		of->n += sum->n;
		of->first = sum->first < of->first ? sum->first : of->first;
		sum->n = 0;
	}
	free(rows);
}

static void print_sums(struct explain_job *job)
{
	json_object_set_new(job->out, "packets", json_integer((json_int_t)job->packets));
	json_object_set_new(job->out, "rows", json_array());
	if (job->src.d.named)
		explain_gather(job);
	if (!job->args->json)
		printf("   packets  first one  taken by\n");
	for (uint32_t i = 0; i < job->src.d.nrules; i++)
		explain_add_rule(job, i);
	explain_add_row(job, default_way, &job->by_default);
	explain_add_row(job, "(unknown: the dump ends there; see --packet)", &job->by_lost);
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
		struct seen_packet p = {
			.f.option = job->src.d.option, .bytes = bytes, .len = head->caplen};

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
	in = pcap_open_offline(path, why);
	if (!in) {
		message_print("%s: %s", path, why);
		return EXIT_INPUT;
	}
	job->at = job->args->out ? (struct direction){RULE_OUT, SIDE_TX}
				 : (struct direction){RULE_IN, SIDE_RX};
	job->by_rule = calloc(job->src.d.nrules + 1u, sizeof(*job->by_rule));
	ret = find_starts(job);
	if (!ret && pcap_datalink(in) != DLT_EN10MB) {
		message_print("%s: its packets are %s; Ethernet is needed", path,
			      pcap_datalink_val_to_description_or_dlt(pcap_datalink(in)));
		ret = EXIT_INPUT;
	} else if (!ret && !job->by_rule) {
		message_print("no memory");
		ret = EXIT_INPUT;
	} else if (!ret) {
		ret = read_packets(job, in);
	}
	pcap_close(in);
	free(job->by_rule);
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
	dump_source_close(&job.src);
	return ret ? ret : job.lost ? EXIT_RULES : EXIT_DONE;
}
