/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the packets that dvx-sim makes of a tunnel's header and a packet, for a comparison with
 * programs that we did not write: in each line both in hexadecimal, with a blank between them.
 */
#include <stdio.h>
#include <string.h>
#include "obj/limits.h"
#include "obj/vhca.h"
#include "steer/priv.h"
#include "steer/reformat.h"

#define LINE 8192

static uint32_t from_hex(const char *hex, uint8_t *bytes)
{
	unsigned int byte;
	uint32_t n = 0;

	while (sscanf(hex + 2 * n, "%2x", &byte) == 1)
		bytes[n++] = (uint8_t)byte;
	return n;
}

static void show(const struct packet *p)
{
	for (uint32_t i = 0; i < p->len; i++)
		printf("%02x", p->data[i]);
	putchar('\n');
}

int main(void)
{
	static char line[LINE], *inner;
	uint8_t header[LINE], bytes[STEER_HEADROOM + LINE];
	struct vhca v = {0};

	while (fgets(line, sizeof(line), stdin) && (inner = strchr(line, ' '))) {
		struct packet p = {.data = bytes + STEER_HEADROOM, .headroom = STEER_HEADROOM};
		struct steer_walk w = {.function = &v, .vhca = &v, .packet = &p};
		unsigned int changed = 0;
		uint32_t n;

		*inner++ = '\0';
		n = from_hex(line, header);
		p.len = from_hex(inner, p.data);
		packet_parse_headers(&p);
		if (n > VHCA_MAX_REFORMAT_BYTES || !reformat_encap(&w, header, n, &changed))
			return 1;
		show(&p);
	}
	return 0;
}
