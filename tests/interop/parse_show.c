/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints what dvx-sim's parser makes of packets, for a comparison with dissectors that we did not
 * write: a packet in hexadecimal a line, and the match parameters that its arguments name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "prm/reflect.h"
#include "steer/params.h"

static uint32_t from_hex(const char *hex, uint8_t *bytes)
{
	unsigned int byte;
	uint32_t n = 0;

	while (sscanf(hex + 2 * n, "%2x", &byte) == 1)
		bytes[n++] = (uint8_t)byte;
	return n;
}

static void show(struct packet *p, char **paths, int n)
{
	const struct prm_struct *s = prm_find_struct("fte_match_param");
	struct match_params ps = {0};
	uint64_t value;

	packet_parse_headers(p);
	params_fill(&ps, p, 0x1f);
	for (int i = 0; i < n; i++) {
		if (prm_field_get(s, ps.words, sizeof(ps.words), paths[i], &value)) {
			fprintf(stderr, "no field %s\n", paths[i]);
			exit(1);
		}
		printf("%s%llu", i ? " " : "", (unsigned long long)value);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	static char line[8192];
	uint8_t bytes[sizeof(line) / 2];

	while (fgets(line, sizeof(line), stdin)) {
		struct packet p = {.data = bytes, .len = from_hex(line, bytes)};

		show(&p, argv + 1, argc - 1);
	}
	return 0;
}
