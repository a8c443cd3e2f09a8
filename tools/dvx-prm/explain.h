/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings about a dump, and the recognisers that make them. */
#ifndef DVX_PRM_EXPLAIN_H
#define DVX_PRM_EXPLAIN_H

#include "dvx-prm.h"
#include "hex.h"

/*
 * Scores of recognisers. Below POSSIBLE nothing is recognised. There is no score for "certain":
 * bytes carry no tag, so only --as or a line that names the structure makes a finding certain.
 */
enum { SCORE_POSSIBLE = 40, SCORE_LIKELY = 65 };

struct recogniser;

struct finding {
	const struct dump *d;
	const struct recogniser *kind; /* NULL: none, or --as named a structure that has none */
	const struct prm_struct *s;    /* the structure that --as named */
	bool known;
	bool all;    /* also fields that are 0 */
	bool forced; /* named by --as, not recognised */
	int score;
	char what[160]; /* "error completion" */
	json_t *why;	/* reasons for the score */
	json_t *sentences; /* in reading order */
	json_t *facts;	   /* the sentences' contents as numbers and names */
	json_t *parts;	   /* structures that the bytes consist of */
};

struct recogniser {
	const char *name;  /* the name for --as */
	const char *looks; /* what it recognises, for "nothing was recognised" */
	size_t least;	   /* shorter dumps are not passed to it */
	void (*score)(struct finding *f);
	void (*explain)(struct finding *f);
};

extern const struct recogniser recognise_cqe, recognise_mini, recognise_eqe, recognise_wqe,
	recognise_rwqe, recognise_in, recognise_out, recognise_cap;

/* The kind or structure that --as names. */
struct wanted {
	const struct recogniser *kind;
	const struct prm_struct *s;
};

int wish_read(struct wanted *w, const char *as);

/* Initialises f and fills it, by --as, by the dump's line, or by recognition. */
void find_out(struct finding *f, const struct dump *d, const struct wanted *asked,
	      const struct prm_args *a, json_t *also);

/* Returns "certain", "likely" or "possible". */
const char *finding_sure(const struct finding *f);

/* Returns the bytes of an entry if the dump is a part of a ring of completions, else 0. */
size_t ring_entry(const struct dump *d, const struct prm_args *a);

/* Returns the completion at `at` of such a ring, with its mini completions. */
struct dump ring_piece(const struct dump *d, size_t at, size_t entry);

/* Adds points, which may be negative, to the score, and their reason. */
void finding_weigh(struct finding *f, int points, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Adds a sentence. about: "what", "cause", "remedy", ...; field: the field that it is based on, or
 * NULL.
 */
void finding_add(struct finding *f, const char *about, const char *field, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void finding_fact(struct finding *f, const char *name, uint64_t value);
void finding_fact_name(struct finding *f, const char *name, const char *text);

/* Adds a part: at most `most` bytes from `at` on, decoded as an s. */
void finding_part(struct finding *f, const struct prm_struct *s, size_t at, size_t most);

/* Adds the cause and remedy that the table has for a value. */
void finding_add_cause(struct finding *f, const struct prm_enum *e, uint64_t value);

/*
 * Add what is known of a completion's syndrome and vendor byte, and of a command's status and
 * syndrome.
 */
void finding_add_syndrome(struct finding *f, unsigned int syndrome);
void finding_add_vendor(struct finding *f, unsigned int syndrome, unsigned int vendor);
void finding_add_status(struct finding *f, unsigned int status);
void finding_add_firmware(struct finding *f, unsigned int syndrome);

/* Returns the syndrome that a vendor byte was seen with; 0: unknown. */
unsigned int vendor_seen_with(unsigned int vendor);

/* Output of findings: text, or, if `all` is not NULL, elements of it. */
struct explain_out {
	FILE *text;
	json_t *all;
};

/*
 * Explains the dumps of a text, which hex holds, and its lines that report a failure. Returns how
 * many were recognised.
 */
size_t explain_text(const struct hex *hex, const char *text, size_t len,
		    const struct wanted *wanted, const struct prm_args *a, struct explain_out *out);

struct failure;
void explain_failure(struct finding *f, const struct failure *s);
void explain_topic(struct finding *f, const struct failure *s);
void finding_add_errno(struct finding *f, const struct failure *s);

/* Returns a field of the s at `at`; 0 if the dump ends before it. */
uint64_t finding_field(const struct finding *f, const char *s, size_t at, const char *path);
bool all_zero(const uint8_t *p, size_t n);

/* Scores the 64 bytes at `at` as a completion, without looking at the bytes around. */
void cqe_weigh(struct finding *f, size_t at);

/* Returns the number of mini completions that follow a title in arrays; 0: not a title. */
#define CQE_MINIS_MOST 4096
size_t cqe_minis(const struct finding *f, size_t at);

/*
 * Fills f by the best recogniser and returns it, NULL if there is none; adds others that came close
 * to `also`.
 */
const struct recogniser *recognise(struct finding *f, json_t *also);
const struct recogniser *recogniser_named(const char *name);

/* Returns the recogniser for the structure that a trace line or --as names. */
const struct recogniser *recogniser_of(const struct prm_struct *s);

/* Lists what is recognised: "an error completion (64 or 128 bytes), ...". */
json_t *recognisers_look(void);

void finding_begin(struct finding *f, const struct dump *d, const struct prm_args *a);
void finding_end(struct finding *f);

/* --- explain_wqe.c: the parts of a WQE that depend on more than its opcode --- */

/*
 * Finds what is between control segment and operation: nothing (RC, UC), an XRC segment, an address
 * vector (UD, DC) or an Ethernet segment (raw). Adds it to the parts. Returns where the rest
 * begins.
 */
size_t wqe_address(struct finding *f, unsigned int opcode, size_t end);

/* Returns the bytes behind the Ethernet segment that an inline header of n bytes takes. */
size_t wqe_header_rest(size_t n);

/* Whether the 16 bytes at `at` may be a data pointer: a key and a user address. */
bool wqe_is_pointer(const struct finding *f, size_t at);

#endif
