/* SPDX-License-Identifier: BSD-2-Clause */
#include "health.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/prm/reflect.h"

/* Lines of a report, and their fields of health_buffer. fw_ver has no field: it is text. */
static const struct {
	const char *word, *field;
} rows[] = {
	{"assert_var[0]", "assert_var[0]"},
	{"assert_var[1]", "assert_var[1]"},
	{"assert_var[2]", "assert_var[2]"},
	{"assert_var[3]", "assert_var[3]"},
	{"assert_var[4]", "assert_var[4]"},
	{"assert_var[5]", "assert_var[5]"},
	{"assert_exit_ptr", "assert_existptr"},
	{"assert_callra", "assert_callra"},
	{"raw fw_ver", "fw_version"},
	{"fw_ver", NULL},
	{"time", "time"},
	{"hw_id", "hw_id"},
	{"rfr", "rfr"},
	{"severity", "severity"},
	{"irisc_index", "irisc_index"},
	{"ext_synd", "ext_synd"},
	{"synd", "synd"},
};
/* No other lines contain the words of the first SHOWS_REPORT rows. */
enum { ROWS = sizeof(rows) / sizeof(rows[0]), SHOWS_REPORT = 8 };

/*
 * Finds the word at the end of the line or before a value: "assert_callra 0x2102d5f0", "synd 0x1:
 * ...".
 */
static const char *value_after(const char *line, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = line; (p = strstr(p, word)); p += n) {
		bool begins = p == line || isspace((unsigned char)p[-1]);

		if (begins && (p[n] == ' ' || p[n] == ':')) {
			p += n;
			return p + strspn(p, ": ");
		}
	}
	return NULL;
}

bool health_has(const struct health *h, const char *field)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].field && !strcmp(rows[i].field, field))
			return h->has >> i & 1;
	return false;
}

static const char pci_digits[] = "0123456789abcdef:.";

/* Returns the PCI address in a line of the driver, or NULL. */
static const char *health_address(const char *line)
{
	static const char driver[] = "mlx5_core ";
	const char *p = strstr(line, driver);

	return p ? p + sizeof(driver) - 1 : NULL;
}

void health_device(char *device, size_t size, const char *line)
{
	const char *p = health_address(line);
	size_t n = p ? strspn(p, pci_digits) : 0;

	*device = 0;
	if (p)
		snprintf(device, size, "%.*s", (int)(n && p[n - 1] == ':' ? n - 1 : n), p);
}

static size_t find_row(const char *line, bool open, const char **value)
{
	/* Older kernels print no function name behind the address. */
	const char *p = health_address(line), *text = p ? p + strspn(p, pci_digits) : line;
	const char *start = text + strspn(text, " \t");
	bool driver = strstr(line, "print_health_info") != NULL;

	for (size_t i = 0; i < ROWS; i++) {
		/* The words of the other rows are common: they count only in the driver's lines. */
		if (i >= SHOWS_REPORT && !driver &&
		    (!open || strncmp(start, rows[i].word, strlen(rows[i].word))))
			continue;
		*value = value_after(line, rows[i].word);
		if (*value && isdigit((unsigned char)**value))
			return i;
	}
	return ROWS;
}

bool health_take(struct health *h, const char *line, bool open)
{
	const char *value;
	size_t row = find_row(line, open, &value);

	if (row == ROWS || h->has >> row & 1)
		return false;
	health_device(h->device, sizeof(h->device), line);
	h->has |= 1u << row;
	if (!rows[row].field)
		snprintf(h->firmware, sizeof(h->firmware), "%.*s",
			 (int)strspn(value, "0123456789."), value);
	else
		prm_field_set(prm_find_struct("health_buffer"), h->bytes, sizeof(h->bytes),
			      rows[row].field, strtoull(value, NULL, 0));
	return true;
}
