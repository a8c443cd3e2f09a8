/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains lines about the device, its driver and its objects, by the tables of topics. */
#include "explain.h"

#include <errno.h>
#include <string.h>
#include "errnum.h"
#include "failure.h"

void finding_add_errno(struct finding *f, const struct failure *s)
{
	unsigned int err = failure_value(s, FAILURE_ERRNO);
	const char *name = errnum_name(err);

	finding_fact(f, "errno", err);
	if (*name)
		finding_fact_name(f, "errno_name", name);
	if (errnum_is_internal(err))
		finding_add(f, "errno", NULL,
			    "errno %u: %s, a number of the kernel's own (include/linux/errno.h) "
			    "that no "
			    "program should see: %s",
			    err, name, errnum_text(err));
	else
		finding_add(f, "errno", NULL, "errno %u: %s%s%s%s%s", err, errnum_text(err),
			    err == EREMOTEIO && s->topic != TOPIC_DMABUF
				    ? " - firmware refused; status and syndrome are in the reply's "
				      "first "
				      "8 bytes"
				    : "",
			    *name ? " (" : "", name, *name ? ")" : "");
}

static void finding_add_opcode(struct finding *f, unsigned int op)
{
	finding_fact(f, "opcode", op);
	finding_fact_name(f, "opcode_name", prm_opcode_name(op));
	finding_add(f, "command", NULL, "opcode 0x%x %s: %s; dvx-prm show %s has its fields", op,
		    prm_opcode_name(op), prm_command_in(op)->text, prm_command_in(op)->name);
}

/*
 * Adds the meaning of the line's word and of its number (or errno); a number's remedy takes
 * precedence. Errnos are negative in the tables: a reason of RDMA_CM may have the same number.
 */
static void finding_add_details(struct finding *f, const struct topic *t, const struct failure *s)
{
	bool bare = !*s->word && !failure_has(s, FAILURE_ERRNO);
	const struct topic_detail *word = topic_of_word(s->topic, bare ? TOPIC_NO_ERRNO : s->word);
	const struct topic_detail *number = NULL;
	const char *remedy = t->remedy;

	if (failure_has(s, FAILURE_NUMBER))
		number = topic_of_number(s->topic, (int64_t)s->value[FAILURE_NUMBER]);
	else if (failure_has(s, FAILURE_ERRNO))
		number = topic_of_errno(s->topic, (int64_t)s->value[FAILURE_ERRNO]);
	if (word)
		finding_add(f, "detail", NULL, "%s", word->text);
	if (number)
		finding_add(f, "detail", NULL, "%s", number->text);
	if (word && word->remedy)
		remedy = word->remedy;
	if (number && number->remedy)
		remedy = number->remedy;
	if (remedy)
		finding_add(f, "remedy", NULL, "%s", remedy);
	finding_add(f, "source", NULL, "%s%s", t->source,
		    remedy ? " (the remedy is dvx's own advice)" : "");
}

/* Whether the report consists of ones: a device that is gone from PCI reads so. */
static bool health_is_gone(const struct health *h)
{
	for (size_t i = 0; i < sizeof(h->bytes); i++)
		if (h->bytes[i] && h->bytes[i] != 0xff)
			return false;
	return h->bytes[0] == 0xff;
}

static void finding_add_reason(struct finding *f, const struct health *h)
{
	const struct prm_enum *e = prm_find_enum("health_syndrome");
	uint64_t synd = finding_field(f, "health_buffer", 0, "synd");

	if (!health_has(h, "synd")) {
		finding_add(f, "what", NULL,
			    "the line with synd, which names the reason, is not here");
		return;
	}
	finding_fact(f, "health_syndrome", synd);
	if (health_is_gone(h)) {
		finding_add(
			f, "what", "synd",
			"all fields are ones: reads of the device do not work, it is gone from PCI "
			"(slot, link, power, or another reset); the report itself says nothing");
		return;
	}
	finding_add(f, "what", "synd", "reason 0x%02x %s: %s", (unsigned int)synd,
		    prm_enum_name(e, synd),
		    *prm_enum_text(e, synd) ? prm_enum_text(e, synd) : "no public source has it");
	finding_add_cause(f, e, synd);
}

static void explain_health(struct finding *f, const struct failure *s, const struct topic *t)
{
	const struct dump *line = f->d;
	struct dump d = *line;

	d.bytes = s->health.bytes;
	d.len = sizeof(s->health.bytes);
	f->d = &d;
	snprintf(f->what, sizeof(f->what), "%s%s%s", t->what, *s->health.device ? " of " : "",
		 s->health.device);
	finding_add(f, "lines", NULL, "%zu lines of the report are here", s->times);
	if (*s->health.firmware) {
		finding_add(f, "firmware", NULL, "firmware %s", s->health.firmware);
		finding_fact_name(f, "firmware", s->health.firmware);
	}
	if (*s->health.device)
		finding_fact_name(f, "device", s->health.device);
	finding_add_reason(f, &s->health);
	if (health_has(&s->health, "ext_synd"))
		finding_fact(f, "ext_synd", finding_field(f, "health_buffer", 0, "ext_synd"));
	finding_add(f, "known", NULL, "%s", t->known);
	finding_add_details(f, t, s);
	finding_part(f, prm_find_struct("health_buffer"), 0, d.len);
	f->d = line;
}

void explain_topic(struct finding *f, const struct failure *s)
{
	const struct topic *t = &topics[s->topic];

	finding_fact_name(f, "topic", t->name);
	if (s->topic == TOPIC_HEALTH_REPORT) {
		explain_health(f, s, t);
		return;
	}
	snprintf(f->what, sizeof(f->what), "%s, reported by %s", t->what, s->program);
	if (*s->call)
		finding_add(f, "about", NULL, "%s", s->call);
	if (*s->word)
		finding_fact_name(f, "word", s->word);
	if (failure_has(s, FAILURE_COMMAND))
		finding_add_opcode(f, failure_value(s, FAILURE_COMMAND));
	if (failure_has(s, FAILURE_NUMBER))
		finding_fact(f, "number", s->value[FAILURE_NUMBER]);
	if (failure_has(s, FAILURE_QPN))
		finding_fact(f, "number_of_object", s->value[FAILURE_QPN]);
	if (failure_has(s, FAILURE_ERRNO))
		finding_add_errno(f, s);
	finding_add(f, "known", NULL, "%s", t->known);
	finding_add_details(f, t, s);
}
