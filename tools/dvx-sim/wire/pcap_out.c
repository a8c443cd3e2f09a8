/* SPDX-License-Identifier: BSD-2-Clause */
#include "pcap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/dvx-sim/dvx-sim.h"
#include "src/sim/link/link.h"

#define MAGIC_NS    0xa1b23c4du /* in this machine's byte order: readers swap if necessary */
#define PCAP_SECOND 1000000000u
#define FLUSH_AT    (256u << 10)
#define RECORD_MAX  (sizeof(struct record) + PORT_PACKET_MAX)

struct record {
	uint32_t sec, nsec, caplen, len;
};

static int pcap_out_begin(struct pcap_out *o, const char *path)
{
	const struct pcap_file_header head = {.magic = MAGIC_NS,
					      .version_major = PCAP_VERSION_MAJOR,
					      .version_minor = PCAP_VERSION_MINOR,
					      .snaplen = PORT_PACKET_MAX,
					      .linktype = DLT_EN10MB};
	bool out = !strcmp(path, "-");
	struct stat st;

	*o = (struct pcap_out){.name = out ? "standard output" : path,
			       .room = FLUSH_AT + RECORD_MAX};
	o->fd = out ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	o->buf = malloc(o->room);
	if (o->fd < 0 || !o->buf) {
		message_print("can't write %s: %s", path, strerror(errno));
		return -1;
	}
	o->regular = !fstat(o->fd, &st) && S_ISREG(st.st_mode);
	memcpy(o->buf, &head, sizeof(head));
	o->have = sizeof(head);
	return pcap_out_flush(o);
}

int pcap_out_open(struct pcap_out *o, const char *path)
{
	if (!pcap_out_begin(o, path))
		return 0;
	free(o->buf);
	if (o->fd >= 0)
		close(o->fd);
	return -1;
}

int pcap_out_add(struct pcap_out *o, uint64_t ns, const void *bytes, uint32_t len)
{
	const struct record r = {(uint32_t)(ns / PCAP_SECOND), (uint32_t)(ns % PCAP_SECOND), len,
				 len};

	memcpy(o->buf + o->have, &r, sizeof(r));
	memcpy(o->buf + o->have + sizeof(r), bytes, len);
	o->have += sizeof(r) + len;
	o->packets++;
	o->bytes += len;
	return o->have < FLUSH_AT ? 0 : pcap_out_flush(o);
}

/*
 * Returns the end of the last packet that is complete within the first `written` bytes, and counts
 * the packets.
 */
static size_t pcap_out_whole(const struct pcap_out *o, size_t written, uint64_t *n)
{
	size_t at = 0;
	struct record r;

	*n = 0;
	for (; at + sizeof(r) <= written; ++*n) {
		memcpy(&r, o->buf + at, sizeof(r));
		if (at + sizeof(r) + r.caplen > written)
			break;
		at += sizeof(r) + r.caplen;
	}
	return at;
}

int pcap_out_unread(const struct pcap_out *o)
{
	message_print("%s has no reader any more", o->name);
	return -1;
}

static int pcap_out_failed(struct pcap_out *o, size_t written)
{
	const char *why = strerror(errno);
	uint64_t all, fit;
	off_t end = o->regular ? lseek(o->fd, 0, SEEK_CUR) : -1;
	size_t at = pcap_out_whole(o, written, &fit);

	if (errno == EPIPE)
		return pcap_out_unread(o);
	if (!o->packets) { /* the file's header */
		message_print("can't write %s: %s", o->name, why);
		return -1;
	}
	pcap_out_whole(o, o->have, &all);
	o->packets -= all - fit;
	o->have = 0;
	if (end >= 0 && ftruncate(o->fd, end - (off_t)(written - at)))
		end = -1;
	message_print("%s: packet %" PRIu64 " and what followed could not be written: %s", o->name,
		      o->packets + 1, why);
	return -1;
}

int pcap_out_flush(struct pcap_out *o)
{
	size_t done = 0;

	while (done < o->have) {
		ssize_t n = write(o->fd, o->buf + done, o->have - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pcap_out_failed(o, done);
		done += (size_t)n;
	}
	o->have = 0;
	return 0;
}

int pcap_out_close(struct pcap_out *o)
{
	int rc = o->buf && o->have ? pcap_out_flush(o) : 0;

	free(o->buf);
	o->buf = NULL;
	if (o->fd < 0 || !close(o->fd) || rc)
		return rc;
	message_print("%s: the last packets may not be in it: %s", o->name, strerror(errno));
	return -1;
}
