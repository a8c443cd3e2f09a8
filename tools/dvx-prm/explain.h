/* SPDX-License-Identifier: BSD-2-Clause */
/* What explain found out about a dump, and the recognisers that find it. */
#ifndef DVX_PRM_EXPLAIN_H
#define DVX_PRM_EXPLAIN_H

#include "dvx-prm.h"
#include "hex.h"

/*
 * Scores of recognisers. Below POSSIBLE nothing is recognised. "Certain" has no score: bytes
 * carry no tag, so only --as or a line that names its structure makes a finding certain.
 */
enum { SCORE_POSSIBLE = 40, SCORE_LIKELY = 65 };

struct recogniser;

struct finding {
	const struct dump *d;
	const struct recogniser *kind; /* NULL: none, or --as named a structure that has no kind */
	const struct prm_struct *s;    /* that structure */
	bool known;
	bool all;    /* fields that are 0 too */
	bool forced; /* --as: no guess */
	int score;
	char what[160]; /* "error completion" */
	json_t *why;	/* reasons of the score */
	json_t *says;	/* sentences, in the order they are read */
	json_t *facts;	/* the same as numbers and names */
	json_t *parts;	/* structures that the bytes are made of */
};

struct recogniser {
	const char *name;  /* as --as has it */
	const char *looks; /* what it looks for, for "nothing was recognised" */
	size_t least;	   /* bytes without which neither function is called */
	void (*score)(struct finding *f);
	void (*explain)(struct finding *f);
};

extern const struct recogniser recognise_cqe, recognise_mini, recognise_eqe, recognise_wqe,
	recognise_rwqe, recognise_in, recognise_out, recognise_cap;

/* What --as asks for: a kind, or a structure. */
struct wish {
	const struct recogniser *kind;
	const struct prm_struct *s;
};

int wish_read(struct wish *w, const char *as);

/* Initialises f, and fills it with what d is: by --as, by its line, or by recognition. */
void find_out(struct finding *f, const struct dump *d, const struct wish *asked,
	      const struct prm_args *a, json_t *also);

/* "certain", "likely", "possible" */
const char *finding_sure(const struct finding *f);

/* Bytes of an entry if the dump is a part of a ring of completions, one by one; else 0. */
size_t ring_entry(const struct dump *d, const struct prm_args *a);

/* The completion at `at` (with its mini completions) of a ring of such entries. */
struct dump ring_piece(const struct dump *d, size_t at, size_t entry);

/* Adds to the score (points may be negative), with the reason. */
void weigh(struct finding *f, int points, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a sentence. about: "what", "cause", "remedy", ...; field: the one that shows it, or NULL. */
void tell(struct finding *f, const char *about, const char *field, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void fact(struct finding *f, const char *name, uint64_t value);
void fact_name(struct finding *f, const char *name, const char *text);

/* Adds a part: the bytes from `at` on, at most `most`, as an s. */
void part(struct finding *f, const struct prm_struct *s, size_t at, size_t most);

/* Adds the table's cause and remedy of a value, if there are any. */
void tell_cause(struct finding *f, const struct prm_enum *e, uint64_t value);

/* A completion's syndrome and its vendor byte; a command's status and its syndrome. */
void tell_syndrome(struct finding *f, unsigned int syndrome);
void tell_vendor(struct finding *f, unsigned int syndrome, unsigned int vendor);
void tell_status(struct finding *f, unsigned int status);
void tell_firmware(struct finding *f, unsigned int syndrome);

/* The syndrome that a vendor byte was seen with; 0: none is known. */
unsigned int vendor_seen_with(unsigned int vendor);

/* Findings are printed as text, or, if `all` is not NULL, appended to it. */
struct explain_out {
	FILE *text;
	json_t *all;
};

/*
 * Explains the dumps of the text, which hex holds, and its lines that report a failure. Returns how
 * many were recognised.
 */
size_t explain_text(const struct hex *hex, const char *text, size_t len, const struct wish *wish,
		    const struct prm_args *a, struct explain_out *out);

struct said;
void explain_said(struct finding *f, const struct said *s);
void explain_topic(struct finding *f, const struct said *s);
void tell_errno(struct finding *f, const struct said *s);

/* A field of the s at `at`; 0 when the dump ends before it. */
uint64_t field(const struct finding *f, const char *s, size_t at, const char *path);
bool all_zero(const uint8_t *p, size_t n);

/* Scores the 64 bytes at `at` as a completion, without their surroundings. */
void cqe_weigh(struct finding *f, size_t at);

/* The number of mini completions that follow a title, in arrays; 0: it is no title. */
size_t cqe_minis(const struct finding *f, size_t at);

/* The best recogniser (NULL: none), and f with it; others that came close are added to `also`. */
const struct recogniser *recognise(struct finding *f, json_t *also);
const struct recogniser *recogniser_named(const char *name);

/* Fits the structure that a trace line or --as names. */
const struct recogniser *recogniser_of(const struct prm_struct *s);

/* "an error completion (64 or 128 bytes), ..." */
json_t *recognisers_look(void);

void finding_begin(struct finding *f, const struct dump *d, const struct prm_args *a);
void finding_end(struct finding *f);

/* --- explain_wqe.c: the parts of a WQE that depend on more than its opcode --- */

/*
 * Between control segment and operation there is nothing (RC, UC), an XRC segment, an address
 * vector (UD, DC) or an Ethernet segment (raw). Adds it to the parts; returns where the rest
 * begins.
 */
size_t wqe_address(struct finding *f, unsigned int opcode, size_t end);

/* Pointers and inline data, up to the WQE's end. */
void wqe_data(struct finding *f, size_t at, size_t end);

/* What a UMR puts into the mkey: KLM, KSM, MTT or strided entries, and signature descriptions. */
void wqe_translations(struct finding *f, size_t at, size_t end);

/* Bytes after the Ethernet segment that its inline header of n bytes takes. */
size_t wqe_header_rest(size_t n);

/* Whether the 16 bytes at `at` can be a pointer to memory: a key and a user address. */
bool wqe_is_pointer(const struct finding *f, size_t at);

#endif
