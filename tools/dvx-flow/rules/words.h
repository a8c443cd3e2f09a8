/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of the rule language, and names of numbers. */
#ifndef DVX_FLOW_WORDS_H
#define DVX_FLOW_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rule_word {
	const char *name;
	int token;
	int arg; /* a key, a side, a protocol, ...: as the grammar needs */
};

/* Prepares the search for words, which is then possible in several threads at once. */
void words_prepare(void);
/* Finds a word of n bytes, in either case. Returns NULL if it is none of the language. */
const struct rule_word *word_find(const char *name, size_t n);
/*
 * Finds it by its letters in lower case, which word_letter() collects: the last one is the lowest byte;
 * of a long word these are the last eight.
 */
const struct rule_word *word_find_letters(const char *name, size_t n, uint64_t letters);
static inline uint64_t word_letter(uint64_t letters, char c)
{
	return letters << 8 | (unsigned char)c | 0x20;
}
/* Returns whether the first word of the text is a direction. */
bool word_is_direction(const char *text);
/* Returns the nearest word to a wrong one, of those that `may` allows in its place, or NULL. */
const char *word_near(const char *name, bool (*may)(const void *arg, int token), const void *arg);

bool proto_number(const char *name, uint64_t *number);
/* Finds a TCP or UDP port by its name, also those of /etc/services. */
bool service_number(const char *name, uint64_t *number);
bool dscp_number(const char *name, uint64_t *number);
bool ethertype_number(const char *name, uint64_t *number);
bool icmp_number(const char *name, bool v6, uint64_t *number);
/* Finds a state of connections (CT_...). Returns NULL, or why there is no such one. */
const char *ct_state_find(const char *name, uint64_t *state);
/* Finds the bit of a TCP flag. */
bool flag_number(const char *name, uint64_t *number);

#endif
