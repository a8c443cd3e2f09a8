/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of QUERY_HCA_CAP: 16 bytes of header and the capability structure, or that alone. */
#include "explain.h"

#include <string.h>

enum { HEADER = 16, PAGE = 4096, LEAST = 256 };

/* Whole replies begin with status OK, and syndrome 0. */
static size_t body_at(const struct finding *f)
{
	return f->d->len % LEAST == HEADER && all_zero(f->d->bytes, HEADER) ? HEADER : 0;
}

static uint64_t get(const struct finding *f, const char *path)
{
	return field(f, "cmd_hca_cap", body_at(f), path);
}

static void range(struct finding *f, const char *path, uint64_t least, uint64_t most)
{
	uint64_t v = get(f, path);
	bool fits = v >= least && v <= most;

	weigh(f, fits ? 12 : -15, "%s would be %llu, which is %s", path, (unsigned long long)v,
	      fits ? "plausible" : "not plausible");
}

static void score(struct finding *f)
{
	if (f->d->len != LEAST && f->d->len != PAGE && f->d->len != LEAST + HEADER &&
	    f->d->len != PAGE + HEADER)
		return;
	if (body_at(f))
		weigh(f, 15, "a header of 16 bytes with status OK, then %zu bytes",
		      f->d->len - HEADER);
	range(f, "log_max_qp", 8, 24);
	range(f, "log_max_cq", 8, 24);
	range(f, "log_max_mkey", 8, 32);
	range(f, "log_max_pd", 8, 24);
	range(f, "num_ports", 1, 4);
	range(f, "port_type", 0, 1);
	range(f, "log_pg_sz", 10, 16);
}

static void explain(struct finding *f)
{
	const struct prm_struct *s = prm_find_struct("cmd_hca_cap");

	snprintf(f->what, sizeof(f->what), "capability page (QUERY_HCA_CAP), general capabilities");
	tell(f, "what", "log_max_qp",
	     "a device with up to 2^%u QPs, 2^%u CQs and 2^%u mkeys, %u port%s",
	     (unsigned int)get(f, "log_max_qp"), (unsigned int)get(f, "log_max_cq"),
	     (unsigned int)get(f, "log_max_mkey"), (unsigned int)get(f, "num_ports"),
	     get(f, "num_ports") == 1 ? "" : "s");
	tell(f, "type", NULL,
	     "a page does not say its type; another one is read with --as and the "
	     "structure's name (dvx-prm list '*cap*')");
	fact(f, "log_max_qp", get(f, "log_max_qp"));
	fact(f, "num_ports", get(f, "num_ports"));
	part(f, s, body_at(f), s->bytes);
}

const struct recogniser recognise_cap = {
	"cap",	 "a page of general capabilities (256 or 4096 bytes, with or without 16 of header)",
	LEAST,	 score,
	explain,
};
