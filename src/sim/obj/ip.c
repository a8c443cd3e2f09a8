/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define IP_TEXT 64u

/*
 * Parses an address into a GID. Returns 128 or 32, its number of bits; 0 if no function may have
 * it.
 */
static unsigned int ip_gid(const char *text, uint8_t gid[16])
{
	memset(gid, 0, 16);
	if (inet_pton(AF_INET, text, gid + 12) == 1) {
		gid[10] = gid[11] = 0xff;
		return gid[12] && gid[12] < 224 ? 32 : 0;
	}
	/* Mapped addresses count as IPv4; a function has a link-local one already */
	if (inet_pton(AF_INET6, text, gid) != 1 || gid[0] == 0xff ||
	    (gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80))
		return 0;
	for (unsigned int i = 0; i < 10; i++)
		if (gid[i])
			return 128;
	return 0;
}

/* Checks the length after the slash, and sets *prefix to the number of network bits of the GID. */
static bool ip_len_fits(const char *text, unsigned int bits, uint8_t *prefix)
{
	char *end;
	unsigned long len = strtoul(text, &end, 10);

	*prefix = (uint8_t)(128 - bits + len);
	return isdigit((unsigned char)*text) && !*end && len && len <= bits;
}

int profile_ip(const struct profile *p, const char *text, size_t n, unsigned int *function,
	       uint8_t gid[16], uint8_t *prefix, char *why)
{
	char copy[IP_TEXT], names[FUNCTION_NAMES], *address = copy, *len;
	int f = 0;

	snprintf(copy, sizeof(copy), "%.*s", (int)(n < sizeof(copy) ? n : sizeof(copy)), text);
	address = strchr(copy, '=');
	if (address) {
		*address++ = 0;
		f = profile_function(p, copy, names);
	} else {
		address = copy;
	}
	if (f < 0) {
		snprintf(why, SETTING_WHY, "the function is %s, not \"%s\"", names, copy);
		return -1;
	}
	len = strchr(address, '/');
	if (len)
		*len++ = 0;
	if (n >= sizeof(copy) || !len || !ip_len_fits(len, ip_gid(address, gid), prefix)) {
		snprintf(why, SETTING_WHY,
			 "\"%.*s\" is not [FUNCTION=]ADDR/LEN with an IPv4 or "
			 "IPv6 address of one host",
			 (int)(n < IP_TEXT ? n : IP_TEXT), text);
		return -1;
	}
	*function = (unsigned int)f;
	return 0;
}
