/* SPDX-License-Identifier: BSD-2-Clause */
#include "priv.h"

/* Offsets of the members, big-endian. */
enum {
	TICKET_MAGIC = 0,
	TICKET_VERSION = 4,
	TICKET_LENGTH = 6,
	TICKET_VHCA_ID = 8,
	TICKET_RESERVED0 = 10, /* 2 bytes, 0 */
	TICKET_ACCESS = 12,
	TICKET_MKEY = 16,
	TICKET_RESERVED1 = 20, /* 4 bytes, 0 */
	TICKET_ADDR = 24,
	TICKET_LEN = 32,
	TICKET_KEY = 40,
	TICKET_RESERVED2 = 72, /* 4 bytes, 0 */
	TICKET_SUM = 76,
};

static const uint8_t magic[4] = {'D', 'V', 'X', 'T'};
static const char prefix[] = "dvx1:";

_Static_assert(TICKET_SUM + 4 == DVX_TICKET_BYTES, "a ticket ends with its checksum");
_Static_assert(sizeof(prefix) + 2 * DVX_TICKET_BYTES == DVX_TICKET_TEXT, "prefix, hex, NUL");

void dvx_ticket_encode(const struct dvx_ticket *t, uint8_t out[DVX_TICKET_BYTES])
{
	memset(out, 0, DVX_TICKET_BYTES);
	memcpy(out + TICKET_MAGIC, magic, sizeof(magic));
	prm_store16(out, TICKET_VERSION, DVX_TICKET_VERSION);
	prm_store16(out, TICKET_LENGTH, DVX_TICKET_BYTES);
	prm_store16(out, TICKET_VHCA_ID, t->vhca_id);
	prm_store32(out, TICKET_ACCESS, t->access);
	prm_store32(out, TICKET_MKEY, t->mkey);
	prm_store64(out, TICKET_ADDR, t->addr);
	prm_store64(out, TICKET_LEN, t->len);
	memcpy(out + TICKET_KEY, t->key, sizeof(t->key));
	prm_store32(out, TICKET_SUM, dvx_crc32c(out, TICKET_SUM));
}

/* The order of checks decides which error is reported: magic, version, length, checksum. */
static int ticket_check(const uint8_t *in, size_t len)
{
	if (len < sizeof(magic) || memcmp(in, magic, sizeof(magic)))
		return dvx_fail(EINVAL, "ticket: the first bytes are not a ticket's");
	if (len < TICKET_VHCA_ID)
		return dvx_fail(ERANGE, "ticket: cut short after %zu bytes", len);
	if (prm_load16(in, TICKET_VERSION) != DVX_TICKET_VERSION)
		return dvx_fail(EPROTONOSUPPORT, "ticket: version %u, this libdvx reads %u",
				prm_load16(in, TICKET_VERSION), DVX_TICKET_VERSION);
	if (len != DVX_TICKET_BYTES || prm_load16(in, TICKET_LENGTH) != DVX_TICKET_BYTES)
		return dvx_fail(ERANGE, "ticket: %zu bytes with length field %u; a ticket has %u",
				len, prm_load16(in, TICKET_LENGTH), DVX_TICKET_BYTES);
	if (prm_load32(in, TICKET_SUM) != dvx_crc32c(in, TICKET_SUM))
		return dvx_fail(EBADMSG, "ticket: the checksum does not match, it was damaged");
	if (prm_load16(in, TICKET_RESERVED0) || prm_load32(in, TICKET_RESERVED1) ||
	    prm_load32(in, TICKET_RESERVED2))
		return dvx_fail(EBADMSG, "ticket: reserved bytes are not 0");
	if (!prm_load64(in, TICKET_LEN) || prm_load64(in, TICKET_LEN) - 1 > ~prm_load64(in, TICKET_ADDR))
		return dvx_fail(EBADMSG, "ticket: its address range is impossible");
	return 0;
}

int dvx_ticket_decode(const void *in, size_t len, struct dvx_ticket *t)
{
	int err = dvx_check_not_null("dvx_ticket_decode", "in", in, "ticket", t, NULL);

	if (err)
		return err;
	err = ticket_check(in, len);
	dvx_ticket_wipe(t);
	if (err)
		return err;
	t->vhca_id = prm_load16(in, TICKET_VHCA_ID);
	t->access = prm_load32(in, TICKET_ACCESS);
	t->mkey = prm_load32(in, TICKET_MKEY);
	t->addr = prm_load64(in, TICKET_ADDR);
	t->len = prm_load64(in, TICKET_LEN);
	memcpy(t->key, (const uint8_t *)in + TICKET_KEY, sizeof(t->key));
	return 0;
}

void dvx_ticket_to_text(const struct dvx_ticket *t, char out[DVX_TICKET_TEXT])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t bytes[DVX_TICKET_BYTES];
	char *p = out + sizeof(prefix) - 1;
	size_t i;

	dvx_ticket_encode(t, bytes);
	memcpy(out, prefix, sizeof(prefix));
	for (i = 0; i < sizeof(bytes); i++) {
		*p++ = digits[bytes[i] >> 4];
		*p++ = digits[bytes[i] & 15];
	}
	*p = '\0';
	explicit_bzero(bytes, sizeof(bytes));
}

static int ticket_nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int ticket_from_hex(const char *text, uint8_t *bytes, size_t *len)
{
	int hi, lo;

	for (*len = 0; *text; text += 2) {
		hi = ticket_nibble(text[0]);
		if (hi < 0)
			return dvx_fail(EINVAL, "ticket: '%c' is not a hex digit", text[0]);
		if (!text[1])
			return dvx_fail(ERANGE, "ticket: cut short inside a byte");
		lo = ticket_nibble(text[1]);
		if (lo < 0)
			return dvx_fail(EINVAL, "ticket: '%c' is not a hex digit", text[1]);
		if (*len == DVX_TICKET_BYTES)
			return dvx_fail(ERANGE, "ticket: text goes on after its end");
		bytes[(*len)++] = (uint8_t)(hi << 4 | lo);
	}
	return 0;
}

int dvx_ticket_from_text(const char *text, struct dvx_ticket *t)
{
	uint8_t bytes[DVX_TICKET_BYTES];
	size_t len;
	int err = dvx_check_not_null("dvx_ticket_from_text", "text", text, "ticket", t, NULL);

	if (err)
		return err;
	if (strncmp(text, prefix, sizeof(prefix) - 1)) {
		dvx_ticket_wipe(t);
		return dvx_fail(EINVAL, "ticket: it does not begin with %s", prefix);
	}
	err = ticket_from_hex(text + sizeof(prefix) - 1, bytes, &len);
	if (err)
		dvx_ticket_wipe(t);
	else
		err = dvx_ticket_decode(bytes, len, t);
	explicit_bzero(bytes, sizeof(bytes));
	return err;
}

void dvx_ticket_wipe(struct dvx_ticket *t)
{
	explicit_bzero(t, sizeof(*t));
}
