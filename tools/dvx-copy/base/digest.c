/* SPDX-License-Identifier: BSD-2-Clause */
#include "digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <nettle/sha2.h>

#define DIGEST_BUFFER (256u << 10)

static int digest_read(int fd, struct sha256_ctx *ctx, struct alive *alive)
{
	uint8_t *buf = malloc(DIGEST_BUFFER);
	ssize_t n = -1;

	while (buf && ((n = read(fd, buf, DIGEST_BUFFER)) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0) {
			sha256_update(ctx, (size_t)n, buf);
			if (alive_tick(alive))
				break;
		}
	free(buf);
	return n ? -1 : 0;
}

int digest_at(int dir, const char *name, uint8_t digest[DIGEST_BYTES], struct alive *alive)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct sha256_ctx ctx;
	int bad;

	if (fd < 0)
		return -1;
	sha256_init(&ctx);
	bad = digest_read(fd, &ctx, alive);
	close(fd);
	sha256_digest(&ctx, DIGEST_BYTES, digest);
	return bad;
}
