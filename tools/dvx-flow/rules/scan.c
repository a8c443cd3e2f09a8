/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the tokens of a text. Each is the longest one at its place. */
#include <arpa/inet.h>
#include <string.h>

#include "rules/grammar.h"
#include "words.h"

/* --- characters ------------------------------------------------------------------------------ */

enum scan_class {
	SCAN_BLANK = 1 << 0,
	SCAN_DIGIT = 1 << 1,
	SCAN_HEX = 1 << 2,
	SCAN_LETTER = 1 << 3,
	SCAN_WORD = 1 << 4,	/* behind a letter */
	SCAN_VARIABLE = 1 << 5, /* the same without - */
	SCAN_ADDRESS = 1 << 6,	/* behind the second colon */
	SCAN_FOREIGN = 1 << 7,	/* not ASCII */
	SCAN_DOTTED = 1 << 8,	/* in an IPv4 address */
	SCAN_BREAK = 1 << 9,	/* begins a comment, or goes on with the next line */
};

#define SCAN_NAME (SCAN_WORD | SCAN_VARIABLE)

static const uint16_t scan_class[256] = {
	[' '] = SCAN_BLANK,
	['\t'] = SCAN_BLANK,
	['\r'] = SCAN_BLANK,
	['\f'] = SCAN_BLANK,
	['#'] = SCAN_BREAK,
	['\\'] = SCAN_BREAK,
	['0' ... '9'] = SCAN_DIGIT | SCAN_HEX | SCAN_NAME | SCAN_ADDRESS | SCAN_DOTTED,
	['a' ... 'f'] = SCAN_LETTER | SCAN_HEX | SCAN_NAME | SCAN_ADDRESS,
	['A' ... 'F'] = SCAN_LETTER | SCAN_HEX | SCAN_NAME | SCAN_ADDRESS,
	['g' ... 'z'] = SCAN_LETTER | SCAN_NAME,
	['G' ... 'Z'] = SCAN_LETTER | SCAN_NAME,
	['_'] = SCAN_NAME,
	['-'] = SCAN_WORD,
	['.'] = SCAN_ADDRESS | SCAN_DOTTED,
	[':'] = SCAN_ADDRESS,
	[0x80 ... 0xff] = SCAN_FOREIGN,
};

static bool scan_is(const struct rule_parser *ps, const char *p, unsigned int class)
{
	return p < ps->end && scan_class[(uint8_t)*p] & class;
}

/* Returns the end of the characters of a class that begin at p. */
static const char *scan_run(const struct rule_parser *ps, const char *p, unsigned int class)
{
	while (scan_is(ps, p, class))
		p++;
	return p;
}

static bool scan_char(const struct rule_parser *ps, const char *p, char c)
{
	return p < ps->end && *p == c;
}

/* Returns the first of these characters at or behind p, or the text's end. */
static const char *scan_until(const struct rule_parser *ps, const char *p, const char *stop,
			      size_t nstop)
{
	while (p < ps->end && !memchr(stop, *p, nstop))
		p++;
	return p;
}

static unsigned int scan_digit(char c)
{
	return (unsigned int)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

/* --- places ---------------------------------------------------------------------------------- */

uint32_t scan_columns(const struct rule_parser *ps, const char *from, const char *to)
{
	uint32_t n = (uint32_t)(to - from);

	if (!ps->ascii)
		for (; from < to; from++)
			n -= (*from & 0xc0) == 0x80; /* UTF-8's further bytes */
	return n;
}

static void scan_next_line(struct rule_parser *ps, const char *begin)
{
	ps->line++;
	ps->column = 1;
	ps->counted = begin;
}

/* Makes *at the token that ends before `end`. */
static void scan_take(struct rule_parser *ps, struct source_range *at, const char *end)
{
	ps->column += scan_columns(ps, ps->counted, ps->next);
	ps->counted = ps->next;
	*at = (struct source_range){(uint32_t)(ps->next - ps->text), (uint32_t)(end - ps->text),
				    ps->line, ps->column};
	ps->next = end;
}

/* --- values ---------------------------------------------------------------------------------- */

/* Returns a token whose text the parser keeps. */
static int scan_text(struct rule_parser *ps, const char *bytes, size_t n, FLOW_STYPE *value,
		     int token)
{
	value->name = arena_text(ps->set->memory, bytes, n);
	if (value->name)
		return token;
	ps->no_memory = true;
	return FLOW_error;
}

static int scan_number(struct rule_parser *ps, const struct source_range *at, unsigned int base,
		       FLOW_STYPE *value)
{
	const char *text = ps->text + at->first_byte, *p = base == 16 ? text + 2 : text;
	bool large = false;
	uint64_t v = 0;

	for (; p < ps->next; p++)
		large |= __builtin_mul_overflow(v, base, &v) ||
			 __builtin_add_overflow(v, scan_digit(*p), &v);
	if (large)
		parse_mistake(ps, at, "%.*s is too large a number", (int)(ps->next - text), text);
	value->number = large ? UINT64_MAX : v;
	return T_NUMBER;
}

/* Reads a number from 0 to 255 without zeros before it. Returns what is behind it; NULL: none. */
static const char *scan_octet(const char *p, const char *end, uint8_t *octet)
{
	const char *from = p;
	unsigned int v = 0;

	for (; p < end && *p != '.' && v < 256; p++)
		v = v * 10 + scan_digit(*p);
	*octet = (uint8_t)v;
	return p == from || v > 255 || (*from == '0' && p - from > 1) ? NULL : p;
}

/* Makes an address that is 0. */
static struct rule_net *scan_net(struct rule_parser *ps, uint8_t family, uint8_t bits,
				 FLOW_STYPE *value)
{
	struct rule_net *net = arena_get(ps->set->memory, sizeof(*net));

	value->net = net;
	if (!net)
		ps->no_memory = true;
	else
		*net = (struct rule_net){.family = family, .bits = bits};
	return net;
}

static int scan_ipv4(struct rule_parser *ps, const struct source_range *at, FLOW_STYPE *value)
{
	struct rule_net *net = scan_net(ps, 4, 32, value);
	const char *p = ps->text + at->first_byte;
	uint8_t addr[4];

	for (int i = 0; i < 4 && p; i++) {
		p = scan_octet(p, ps->next, &addr[i]);
		if (p && i < 3)
			p = p < ps->next ? p + 1 : NULL;
	}
	if (p != ps->next)
		parse_mistake(ps, at,
			      "an IPv4 address is four numbers from 0 to 255, like 10.0.0.1");
	else if (net)
		memcpy(net->addr, addr, sizeof(addr));
	return net ? T_IPV4_ADDRESS : FLOW_error;
}

static int scan_ipv6(struct rule_parser *ps, const struct source_range *at, FLOW_STYPE *value)
{
	struct rule_net *net = scan_net(ps, 6, 128, value);
	size_t n = at->end_byte - at->first_byte;
	char text[INET6_ADDRSTRLEN] = "";

	if (n < sizeof(text))
		memcpy(text, ps->text + at->first_byte, n);
	if (!net)
		return FLOW_error;
	if (inet_pton(AF_INET6, text, net->addr) != 1)
		parse_mistake(ps, at,
			      "neither an IPv6 address, like 2001:db8::1, nor a MAC, like "
			      "02:00:00:00:00:01");
	return T_IPV6_ADDRESS;
}

static int scan_mac(const char *p, const char *end, FLOW_STYPE *value)
{
	uint64_t mac = 0, group = 0;

	for (; p < end; p++)
		if (*p == ':') {
			mac = mac << 8 | group;
			group = 0;
		} else {
			group = group << 4 | scan_digit(*p);
		}
	mac = mac << 8 | group;
	value->number = mac;
	return T_MAC;
}

/* --- addresses with colons ------------------------------------------------------------------- */

/* Returns the end of an address that begins at p: it has two colons. NULL: there is none. */
static const char *scan_colons(const struct rule_parser *ps, const char *p)
{
	for (int i = 0; i < 2; i++) {
		p = scan_run(ps, p, SCAN_HEX);
		if (!scan_char(ps, p, ':'))
			return NULL;
		p++;
	}
	return scan_run(ps, p, SCAN_ADDRESS);
}

/* Counts the groups of at least `least` and at most two digits; 0: another character is there. */
static size_t scan_groups(const char *p, const char *end, size_t least)
{
	size_t groups = 1, n = 0;

	for (; p < end; p++)
		if (*p == ':' && n >= least) {
			groups++;
			n = 0;
		} else if (*p == ':' || *p == '.' || ++n > 2) {
			return 0;
		}
	return n < least ? 0 : groups;
}

static int scan_address(struct rule_parser *ps, struct source_range *at, const char *end,
			FLOW_STYPE *value)
{
	const char *p = ps->next;

	scan_take(ps, at, end);
	if (scan_groups(p, end, 1) == 6)
		return scan_mac(p, end, value);
	if (scan_groups(p, end, 2) > 8)
		return scan_text(ps, p, (size_t)(end - p), value, T_DIGITS);
	return scan_ipv6(ps, at, value);
}

/* --- tokens by their first character ---------------------------------------------------------- */

#define DIGITS_MIN 33 /* of a hexadecimal number: more are no number's */

static int scan_hex(struct rule_parser *ps, struct source_range *at, FLOW_STYPE *value)
{
	const char *p = ps->next;

	scan_take(ps, at, scan_run(ps, p + 2, SCAN_HEX));
	if (ps->next - p - 2 >= DIGITS_MIN)
		return scan_text(ps, p, (size_t)(ps->next - p), value, T_DIGITS);
	return scan_number(ps, at, 16, value);
}

static int scan_digits(struct rule_parser *ps, struct source_range *at, FLOW_STYPE *value)
{
	const char *p = ps->next, *end = scan_run(ps, p, SCAN_DIGIT), *colons;

	if (scan_char(ps, end, '.')) {
		scan_take(ps, at, scan_run(ps, end, SCAN_DOTTED));
		return scan_ipv4(ps, at, value);
	}
	if (*p == '0' && end == p + 1 && (scan_char(ps, end, 'x') || scan_char(ps, end, 'X')) &&
	    scan_is(ps, end + 1, SCAN_HEX))
		return scan_hex(ps, at, value);
	colons = scan_is(ps, end, SCAN_ADDRESS) ? scan_colons(ps, p) : NULL;
	if (colons)
		return scan_address(ps, at, colons, value);
	scan_take(ps, at, end);
	return scan_number(ps, at, 10, value);
}

static int scan_word(struct rule_parser *ps, struct source_range *at, FLOW_STYPE *value)
{
	const char *p = ps->next, *end, *colons;
	const struct rule_word *w;
	uint64_t letters = 0;

	for (end = p; scan_is(ps, end, SCAN_WORD); end++)
		letters = word_letter(letters, *end);
	colons = scan_char(ps, end, ':') ? scan_colons(ps, p) : NULL;
	if (colons)
		return scan_address(ps, at, colons, value);
	scan_take(ps, at, end);
	w = word_find_letters(p, (size_t)(end - p), letters);
	if (!w)
		return scan_text(ps, p, (size_t)(end - p), value, T_NAME);
	value->word = w;
	return w->token;
}

static int scan_string(struct rule_parser *ps, struct source_range *at, FLOW_STYPE *value)
{
	const char *p = ps->next + 1, *end = scan_until(ps, p, "\"\n", 3);
	bool ended = scan_char(ps, end, '"');

	scan_take(ps, at, end + ended);
	if (ended)
		return scan_text(ps, p, (size_t)(end - p), value, T_STRING);
	parse_mistake(ps, at, "the quote that ends this name is missing");
	return FLOW_error;
}

/* --- characters that begin no token ----------------------------------------------------------- */

/* Invisible characters that editors and web pages leave. */
static const struct {
	const char *bytes, *name;
} scan_unseen[] = {
	{"\xef\xbb\xbf", "a byte order mark (U+FEFF)"},
	{"\xc2\xa0", "a no-break space (U+00A0)"},
	{"\xe2\x80\xaf", "a narrow no-break space (U+202F)"},
	{"\xe2\x80\x8b", "a zero width space (U+200B)"},
	{"\xe2\x80\x8e", "a left-to-right mark (U+200E)"},
};

static void scan_stranger(struct rule_parser *ps, const struct source_range *at)
{
	const char *text = ps->text + at->first_byte;
	size_t n = at->end_byte - at->first_byte;

	for (size_t i = 0; i < sizeof(scan_unseen) / sizeof(scan_unseen[0]); i++) {
		size_t len = strlen(scan_unseen[i].bytes);

		if (n >= len && !memcmp(text, scan_unseen[i].bytes, len)) {
			parse_mistake(ps, at, "%s is not allowed in a rule", scan_unseen[i].name);
			return;
		}
	}
	parse_mistake(ps, at, "\"%.*s\" is not allowed in a rule", (int)n, text);
}

static int scan_other(struct rule_parser *ps, struct source_range *at)
{
	const char *p = ps->next;
	unsigned char c = (unsigned char)*p;

	if (!c) {
		scan_take(ps, at, scan_until(ps, p, "\n", 1));
		parse_mistake(ps, at, "a byte of zero: the text is damaged, or not UTF-8");
		return FLOW_error;
	}
	scan_take(ps, at, c < 0x80 ? p + 1 : scan_run(ps, p, SCAN_FOREIGN));
	if (c < ' ' || c == 0x7f)
		parse_mistake(ps, at, "a control character is not allowed in a rule");
	else if (c == '{' || c == '}')
		parse_mistake(ps, at, "a list in a rule has no braces: port 80,443");
	else
		scan_stranger(ps, at);
	return FLOW_error;
}

/* --- signs ------------------------------------------------------------------------------------ */

/* Returns the token of two characters; 0: there is none. */
static int scan_pair(char a, char b)
{
	if (a == '!' && b == '=')
		return T_NE;
	return a != b ? 0 : a == '&' ? T_AND : a == '|' ? T_OR : 0;
}

static int scan_sign(struct rule_parser *ps, struct source_range *at, FLOW_STYPE *value)
{
	const char *p = ps->next, *end;
	int pair = p + 1 < ps->end ? scan_pair(p[0], p[1]) : 0;

	if (*p == '"')
		return scan_string(ps, at, value);
	if (scan_char(ps, p, '$') && scan_is(ps, p + 1, SCAN_LETTER)) {
		end = scan_run(ps, p + 1, SCAN_VARIABLE);
		scan_take(ps, at, end);
		return scan_text(ps, p + 1, (size_t)(end - p - 1), value, T_VARIABLE);
	}
	if (pair || (*p && strchr(ps->vars.defining ? "-,/!{}=" : "-,/!", *p))) {
		scan_take(ps, at, pair ? p + 2 : p + 1);
		return pair ? pair : *p;
	}
	end = *p == ':' ? scan_colons(ps, p) : NULL;
	return end ? scan_address(ps, at, end, value) : scan_other(ps, at);
}

/* --- the text --------------------------------------------------------------------------------- */

/* Returns what is behind the \ of a line that goes on; NULL: this is none. */
static const char *scan_goes_on(const struct rule_parser *ps, const char *p)
{
	p += scan_char(ps, p + 1, '\r') ? 2 : 1;
	return scan_char(ps, p, '\n') ? p + 1 : NULL;
}

/* Goes to the next token, past blanks and comments; mostly past one blank. */
static void scan_skip(struct rule_parser *ps)
{
	const char *p = ps->next + scan_char(ps, ps->next, ' '), *next;

	if (!scan_is(ps, p, SCAN_BLANK | SCAN_BREAK)) {
		ps->next = p;
		return;
	}
	for (;; ps->next = next) {
		p = scan_run(ps, ps->next, SCAN_BLANK);
		if (p > ps->next && (p > ps->next + 1 || *ps->next != ' '))
			ps->blanks = ps->next;
		next = NULL;
		if (scan_char(ps, p, '#'))
			next = scan_until(ps, p, "\n", 2);
		else if (scan_char(ps, p, '\\'))
			next = scan_goes_on(ps, p);
		if (!next)
			break;
		ps->blanks = p;
		if (*p == '\\')
			scan_next_line(ps, next);
	}
	ps->next = p;
}

/* Ends the text. Its last line may lack a newline. */
static int scan_end(struct rule_parser *ps, struct source_range *at)
{
	scan_take(ps, at, ps->next);
	if (ps->ended)
		return FLOW_EOF;
	ps->ended = true;
	return T_EOL;
}

int flow_scan(FLOW_STYPE *value, struct source_range *at, struct rule_parser *ps)
{
	scan_skip(ps);
	if (ps->next == ps->end)
		return scan_end(ps, at);
	if (scan_is(ps, ps->next, SCAN_LETTER))
		return scan_word(ps, at, value);
	if (scan_is(ps, ps->next, SCAN_DIGIT))
		return scan_digits(ps, at, value);
	if (*ps->next != '\n')
		return scan_sign(ps, at, value);
	scan_take(ps, at, ps->next + 1);
	scan_next_line(ps, ps->next);
	return T_EOL;
}
