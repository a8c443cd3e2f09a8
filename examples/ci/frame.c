/* SPDX-License-Identifier: BSD-2-Clause */
#include "frame.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

struct frame_header {
	uint16_t magic;
	uint16_t flags;
	uint32_t len;
};

static const uint16_t frame_magic = 0x5243; /* RC */

ssize_t frame_put(void *frame, const void *data, size_t len, unsigned int flags)
{
	struct frame_header h = {htons(frame_magic), htons((uint16_t)flags), htonl((uint32_t)len)};

	if (len > FRAME_ROOM - sizeof(h))
		return -EMSGSIZE;
	memcpy(frame, &h, sizeof(h));
	if (len)
		memcpy((char *)frame + sizeof(h), data, len);
	return (ssize_t)(sizeof(h) + len);
}

ssize_t frame_get(const void *frame, size_t bytes, const void **data, unsigned int *flags)
{
	struct frame_header h;

	if (bytes < sizeof(h))
		return -EBADMSG;
	memcpy(&h, frame, sizeof(h));
	if (ntohs(h.magic) != frame_magic || ntohl(h.len) != bytes - sizeof(h))
		return -EBADMSG;
	*data = (const char *)frame + sizeof(h);
	*flags = ntohs(h.flags);
	return (ssize_t)ntohl(h.len);
}
