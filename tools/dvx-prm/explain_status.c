/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains syndromes, statuses and vendor bytes. */
#include "explain.h"

#include <string.h>

/* The prefix of dvx-sim's syndromes: doc/syndromes.md. */
enum { EMULATOR = 0xdf0, EMULATOR_SHIFT = 20 };

static const char seen_with[] = "seen with ";

/* Returns NAME of a table text "seen with NAME [I]". */
static const char *name_seen_with(unsigned int vendor, int *len)
{
	const char *text = prm_enum_text(prm_find_enum("vendor_syndrome"), vendor);
	const char *name = strstr(text, seen_with);

	*len = name ? (int)strcspn(name + sizeof(seen_with) - 1, " [") : 0;
	return name ? name + sizeof(seen_with) - 1 : NULL;
}

unsigned int vendor_seen_with(unsigned int vendor)
{
	const struct prm_enum *e = prm_find_enum("syndrome");
	int len;
	const char *name = name_seen_with(vendor, &len);

	for (size_t i = 0; name && i < e->count; i++)
		if ((int)strlen(e->values[i].name) == len &&
		    !strncmp(e->values[i].name, name, (size_t)len))
			return (unsigned int)e->values[i].value;
	return 0;
}

void finding_add_syndrome(struct finding *f, unsigned int synd)
{
	if (strcmp(prm_syndrome_name(synd), "?"))
		finding_add(f, "what", "syndrome", "syndrome 0x%02x %s: %s", synd,
			    prm_syndrome_name(synd), prm_syndrome_text(synd));
	else
		finding_add(f, "what", "syndrome", "syndrome 0x%02x is in no public table", synd);
}

/* Adds what error reports show about the vendor byte: a correlation, as no document defines it. */
void finding_add_vendor(struct finding *f, unsigned int syndrome, unsigned int vendor)
{
	const char *text = prm_enum_text(prm_find_enum("vendor_syndrome"), vendor);
	unsigned int with = vendor_seen_with(vendor);

	finding_fact(f, "vendor_err_synd", vendor);
	if (!vendor)
		return;
	if (!*text)
		finding_add(f, "vendor", "vendor_err_synd",
			    "vendor syndrome 0x%02x: no public source says what it means", vendor);
	else if (!with)
		finding_add(f, "vendor", "vendor_err_synd", "vendor syndrome 0x%02x: %s", vendor,
			    text);
	else
		finding_add(
			f, "vendor", "vendor_err_synd",
			"vendor syndrome 0x%02x: error reports show it together with %s; that is a "
			"correlation, not the vendor's definition%s",
			vendor, prm_syndrome_name(with),
			with == syndrome ? "" : ", and here it comes with another one");
	if (with && with == syndrome)
		finding_add_cause(f, prm_find_enum("vendor_syndrome"), vendor);
}

void finding_add_status(struct finding *f, unsigned int status)
{
	finding_fact(f, "status", status);
	finding_fact_name(f, "status_name", prm_status_name(status));
	finding_add(f, "what", "status", "status 0x%02x %s: %s", status, prm_status_name(status),
		    prm_status_text(status));
	if (status)
		finding_add(f, "errno", "status", "the kernel returns errno %d for it",
			    prm_status_errno(status));
	finding_add_cause(f, prm_find_enum("status"), status);
}

void finding_add_firmware(struct finding *f, unsigned int syndrome)
{
	finding_fact(f, "syndrome", syndrome);
	if (!syndrome)
		finding_add(f, "syndrome", "syndrome",
			    "syndrome 0: firmware did not answer, or the kernel refused the "
			    "command; then "
			    "there is only the errno");
	else if (syndrome >> EMULATOR_SHIFT == EMULATOR)
		finding_add(f, "syndrome", "syndrome",
			    "syndrome 0x%08x is dvx-sim's own and means nothing on a NIC: its log "
			    "names "
			    "the field, doc/syndromes.md lists them",
			    syndrome);
	else
		finding_add(
			f, "syndrome", "syndrome",
			"syndrome 0x%06x is firmware's number of the failed check; no public list "
			"explains them; the vendor's support can",
			syndrome);
}
