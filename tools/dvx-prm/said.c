/* SPDX-License-Identifier: BSD-2-Clause */
#include "said.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define LONGEST 1024 /* of a line; the rest is ignored */
#define GROUPS	10

/*
 * Forms of lines, by who writes them. The letters name the groups: w status of libibverbs, W the
 * same in words,
 * s syndrome, v vendor byte, V the same in hex without 0x, q QP, i index of the WQE, c command,
 * m op_mod, t its status, y its syndrome (hex), e errno, n a name, - nothing. The first form that
 * fits a line is used.
 */
#define NUMBER "(0x[0-9a-f]+|[0-9]+)"
#define HEX    "(0x[0-9a-f]+)"
#define VENDOR "vend(or)?[_. ]?(err|error|syndrome|synd)[a-z_]*[ =:(]*" NUMBER

static const struct form {
	const char *who, *pattern, *groups;
} forms[] = {
	{"the kernel's mlx5 driver",
	 "([a-z0-9_]+)\\(" HEX "\\) op_mod\\(" HEX
	 "\\)[^,]* failed, status [^(]*\\((0x[0-9a-f]+|-?[0-9]+)\\), "
	 "syndrome \\(" HEX "\\)(, err\\(-?([0-9]+)\\))?",
	 "ncmty-e"},
	{"UCX", "mlx5dv_devx_([a-z_]+\\([^)]*\\)) failed, syndrome (0x)?([0-9a-f]+)", "n-y"},
	{"DPDK", "DevX ([^=]+) failed errno=([0-9]+) status=" NUMBER " syndrome=" NUMBER, "nety"},
	{"libdvx",
	 "([a-z0-9_]+) \\(" HEX "\\) op_mod " HEX ": [a-z0-9_]+ \\(" HEX "\\), syndrome " HEX,
	 "ncmty"},
	{"perftest", "Failed status ([0-9]+)[^:]*: wr_id [0-9]+ syndrom[e]? " HEX, "wv"},
	{"NCCL", "status=([0-9]+) opcode=-?[0-9]+ len=-?[0-9]+ vendor err ([0-9]+)", "wv"},
	{"NCCL",
	 "completion with error ([0-9]+), opcode -?[0-9]+, len -?[0-9]+, vendor err ([0-9]+)",
	 "wv"},
	{"UCX", "QP " HEX " wqe\\[([0-9]+)\\]: .*\\(synd " HEX " vend " HEX, "qisv"},
	{"UCX", "\\(synd " HEX " vend " HEX, "sv"},
	{"the kernel's mlx5 driver",
	 "error cqe on cqn " HEX ", ci " HEX ", [a-z -]*(qpn|sqn|sq|rqn) " HEX ", opcode " HEX
	 ", syndrome " HEX ", vendor syndrome " HEX,
	 "---q-sv"},
	{"the kernel's mlx5 driver", "syndrome " HEX ", vendor syndrome " HEX, "sv"},
	{"DPDK", "CQE error syndrome " HEX " CQN = [0-9]+ [SR]QN = ([0-9]+) wqe_counter = ([0-9]+)",
	 "sqi"},
	{"the kernel's iSER", "\\(([0-9]+)\\):? vend_err ([0-9a-f]+)", "wV"},
	{"an example of libibverbs", "Failed status [a-z ]+\\(([0-9]+)\\) for wr_id", "w"},
	{"a program with libibverbs", "status[ =:(]*([0-9]+)[^0-9].*" VENDOR, "w--v"},
	{"a program with libibverbs", VENDOR ".*status[ =:(]*([0-9]+)", "--vw"},
	{"SPDK", "on CQ .*status: \\(([0-9]+)\\)", "w"},
	{"the kernel's NVMe over RDMA", "CQE .*failed with status [a-z ]+\\(([0-9]+)\\)", "w"},
	{"a program with libibverbs", VENDOR, "--v"},
	{"a program with libibverbs",
	 "(local length error|local QP operation error|local protection error|Work Request Flushed "
	 "Error|"
	 "memory management operation error|bad response error|local access error|"
	 "remote invalid request error|remote access error|remote operation error|"
	 "transport retry counter exceeded|RNR retry counter exceeded|aborted error)",
	 "W"},
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* As ibv_wc_status_str() has them. */
static const struct {
	const char *text;
	uint8_t status;
} words[] = {
	{"local length error", 1},
	{"local QP operation error", 2},
	{"local protection error", 4},
	{"Work Request Flushed Error", 5},
	{"memory management operation error", 6},
	{"bad response error", 7},
	{"local access error", 8},
	{"remote invalid request error", 9},
	{"remote access error", 10},
	{"remote operation error", 11},
	{"transport retry counter exceeded", 12},
	{"RNR retry counter exceeded", 13},
	{"aborted error", 16},
};

static uint32_t status_of(const char *text)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(words[i].text, text))
			return words[i].status;
	return 0;
}

static void said_set(struct said *s, enum said_value v, uint32_t value)
{
	s->has |= 1u << v;
	s->value[v] = value;
}

static void said_take(struct said *s, char group, const char *text)
{
	static const struct {
		char group;
		uint8_t value, base;
	} numbers[] = {
		{'w', SAID_WC, 0},	  {'s', SAID_SYNDROME, 0}, {'v', SAID_VENDOR, 0},
		{'V', SAID_VENDOR, 16},	  {'q', SAID_QPN, 0},	   {'i', SAID_INDEX, 10},
		{'c', SAID_COMMAND, 16},  {'m', SAID_OP_MOD, 16},  {'t', SAID_STATUS, 0},
		{'y', SAID_FIRMWARE, 16}, {'e', SAID_ERRNO, 10},
	};

	if (group == 'n')
		snprintf(s->call, sizeof(s->call), "%s", text);
	if (group == 'W')
		said_set(s, SAID_WC, status_of(text));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].group == group)
			said_set(s, (enum said_value)numbers[i].value,
				 (uint32_t)strtoul(text, NULL, numbers[i].base));
}

static void take_groups(struct said *s, const struct form *form, const char *line,
			const regmatch_t *m)
{
	for (size_t i = 0; form->groups[i]; i++) {
		char text[64];

		if (m[i + 1].rm_so < 0)
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)(m[i + 1].rm_eo - m[i + 1].rm_so),
			 line + m[i + 1].rm_so);
		said_take(s, form->groups[i], text);
	}
}

static void set_text(struct said *s, const char *line)
{
	size_t n = 0;

	while (isspace((unsigned char)*line))
		line++;
	for (; line[n] && n < sizeof(s->text) - 1; n++)
		s->text[n] = isprint((unsigned char)line[n]) ? line[n] : '?';
	s->text[n] = 0;
}

static bool read_line(struct said *s, const regex_t *regs, const char *line, unsigned int number)
{
	regmatch_t m[GROUPS];

	for (size_t i = 0; i < FORMS; i++) {
		if (regexec(&regs[i], line, GROUPS, m, 0))
			continue;
		*s = (struct said){.who = forms[i].who, .line = number, .times = 1};
		take_groups(s, &forms[i], line, m);
		set_text(s, line);
		return true;
	}
	return false;
}

/* Lines of one failure may differ in QP and WQE index. */
static bool said_same(const struct said *a, const struct said *b)
{
	const unsigned int own = 1u << SAID_QPN | 1u << SAID_INDEX;

	if (a->who != b->who || a->has != b->has || strcmp(a->call, b->call))
		return false;
	for (unsigned int v = 0; v < SAID_VALUES; v++)
		if (!(own >> v & 1) && a->value[v] != b->value[v])
			return false;
	return true;
}

static void said_keep(struct said *list, size_t *count, const struct said *s)
{
	for (size_t i = 0; i < *count; i++)
		if (said_same(&list[i], s)) {
			list[i].times++;
			return;
		}
	if (*count < SAID_MOST)
		list[(*count)++] = *s;
}

/* Regular expressions are slow, and few lines of a log have one of these words. */
static bool worth_it(const char *line)
{
	return strcasestr(line, "synd") || strcasestr(line, "vend") || strcasestr(line, "status") ||
	       strcasestr(line, "error") || strcasestr(line, "exceeded");
}

static void said_read_lines(struct said *list, size_t *count, const regex_t *regs, const char *text,
			    size_t len)
{
	unsigned int number = 0;

	for (size_t at = 0, n; at < len; at += n + 1) {
		const char *end = memchr(text + at, '\n', len - at);
		char line[LONGEST];
		struct said s;

		n = end ? (size_t)(end - text) - at : len - at;
		number++;
		snprintf(line, sizeof(line), "%.*s", (int)(n < LONGEST ? n : LONGEST - 1),
			 text + at);
		if (worth_it(line) && read_line(&s, regs, line, number))
			said_keep(list, count, &s);
	}
}

struct said *said_read(const char *text, size_t len, size_t *count)
{
	struct said *list = calloc(SAID_MOST, sizeof(*list));
	regex_t regs[FORMS];
	size_t n = 0;

	*count = 0;
	while (list && n < FORMS && !regcomp(&regs[n], forms[n].pattern, REG_EXTENDED | REG_ICASE))
		n++;
	if (n == FORMS)
		said_read_lines(list, count, regs, text, len);
	while (n--)
		regfree(&regs[n]);
	return list;
}
