/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include "ring.h"

static const struct dvx_ticket sample = {
	.vhca_id = 0x0102,
	.access = DVX_REMOTE_READ | DVX_REMOTE_WRITE,
	.mkey = 0xa1b2c3d4,
	.addr = 0x7f0011223344,
	.len = 0x40000000,
	.key = {1,  2,	3,  4,	5,  6,	7,  8,	9,  10, 11, 12, 13, 14, 15, 16,
		17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0xff},
};

static const struct dvx_ticket wiped;

/* Proves that a ticket comes out as it went in, as bytes and as text, in either case of the digits. */
TEST(none, round_trip)
{
	uint8_t bytes[DVX_TICKET_BYTES];
	char text[DVX_TICKET_TEXT], *p;
	struct dvx_ticket t;

	dvx_ticket_encode(&sample, bytes);
	assert_int_equal(dvx_ticket_decode(bytes, sizeof(bytes), &t), 0);
	assert_memory_equal(&t, &sample, sizeof(t));
	dvx_ticket_to_text(&sample, text);
	assert_int_equal(strlen(text), DVX_TICKET_TEXT - 1);
	assert_int_equal(dvx_ticket_from_text(text, &t), 0);
	assert_memory_equal(&t, &sample, sizeof(t));
	for (p = text + 5; *p; p++)
		*p = (char)toupper(*p);
	assert_int_equal(dvx_ticket_from_text(text, &t), 0);
}

/* Each byte changed in each of its bits is noticed, under the name that fits the place. */
TEST(none, tampered_everywhere)
{
	uint8_t bytes[DVX_TICKET_BYTES];
	struct dvx_ticket t;
	size_t i;
	int bit, err, want;

	dvx_ticket_encode(&sample, bytes);
	for (i = 0; i < sizeof(bytes); i++) {
		want = i < 4 ? -EINVAL : i < 6 ? -EPROTONOSUPPORT : i < 8 ? -ERANGE : -EBADMSG;
		for (bit = 0; bit < 8; bit++) {
			bytes[i] ^= (uint8_t)(1 << bit);
			t = sample;
			err = dvx_ticket_decode(bytes, sizeof(bytes), &t);
			assert_int_equal(err, want);
			assert_memory_equal(&t, &wiped, sizeof(t));
			assert_int_equal(dvx_last_error()->err, -want);
			bytes[i] ^= (uint8_t)(1 << bit);
		}
	}
}

/* Cut short anywhere, or too long. */
TEST(none, cut_and_long)
{
	uint8_t bytes[DVX_TICKET_BYTES + 1] = {0};
	char text[DVX_TICKET_TEXT + 2];
	struct dvx_ticket t;
	size_t i;

	dvx_ticket_encode(&sample, bytes);
	for (i = 0; i < DVX_TICKET_BYTES; i++)
		assert_int_equal(dvx_ticket_decode(bytes, i, &t), i < 4 ? -EINVAL : -ERANGE);
	assert_int_equal(dvx_ticket_decode(bytes, DVX_TICKET_BYTES + 1, &t), -ERANGE);
	for (i = 5 + 8; i < DVX_TICKET_TEXT - 1; i++) {
		dvx_ticket_to_text(&sample, text);
		text[i] = '\0';
		assert_int_equal(dvx_ticket_from_text(text, &t), -ERANGE);
	}
	dvx_ticket_to_text(&sample, text);
	strcat(text, "00");
	assert_int_equal(dvx_ticket_from_text(text, &t), -ERANGE);
	dvx_ticket_to_text(&sample, text);
	text[50] = 'g';
	assert_int_equal(dvx_ticket_from_text(text, &t), -EINVAL);
	assert_int_equal(dvx_ticket_from_text("", &t), -EINVAL);
	assert_int_equal(dvx_ticket_from_text("dvx2:00", &t), -EINVAL);
}

/* A ticket that is whole but can't be true: empty or overflowing range, reserved bytes. */
TEST(none, impossible)
{
	uint8_t bytes[DVX_TICKET_BYTES];
	struct dvx_ticket t = sample, out;

	t.len = 0;
	dvx_ticket_encode(&t, bytes);
	assert_int_equal(dvx_ticket_decode(bytes, sizeof(bytes), &out), -EBADMSG);
	t.len = 2;
	t.addr = UINT64_MAX;
	dvx_ticket_encode(&t, bytes);
	assert_int_equal(dvx_ticket_decode(bytes, sizeof(bytes), &out), -EBADMSG);
	t.len = 1;
	dvx_ticket_encode(&t, bytes);
	assert_int_equal(dvx_ticket_decode(bytes, sizeof(bytes), &out), 0);
}

/* Version 1 stays as it is; the sum was computed by another program (CRC32C of the rest). */
TEST(none, layout_is_fixed)
{
	char text[DVX_TICKET_TEXT];

	dvx_ticket_to_text(&sample, text);
	assert_string_equal(text, "dvx1:44565854000100500102000000000006a1b2c3d4000000000000"
				  "7f00112233440000000040000000"
				  "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1fff"
				  "0000000020630e41");
}
