/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <pcap/pcap.h>

#include "capture.h"

#define LONGEST 262144

struct queue_capture {
	pcap_t *pcap;
	pcap_dumper_t *out;
	off_t whole;		   /* bytes of complete packets in the file */
	uint64_t packets, flushed; /* flushed: of the accepted packets, those within `whole` */
	int err;
	char path[4200];
};

int queue_capture_open(const char *dir, unsigned int queue, struct queue_capture **out)
{
	struct queue_capture *c = calloc(1, sizeof(*c));
	FILE *file;

	if (!c)
		return -ENOMEM;
	snprintf(c->path, sizeof(c->path), "%s/queue%u.pcap", dir, queue);
	c->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, LONGEST,
						       PCAP_TSTAMP_PRECISION_NANO);
	errno = 0;
	file = fopen(c->path, "w+e");
	c->out = c->pcap && file ? pcap_dump_fopen(c->pcap, file) : NULL;
	if (!c->out || queue_capture_flush(c)) {
		int err = errno ? errno : EIO;

		if (!c->out && file)
			fclose(file);
		queue_capture_close(c);
		return -err;
	}
	*out = c;
	return 0;
}

/* Extends `whole` to the last complete packet in the file. */
static void count_whole(struct queue_capture *c, int fd)
{
	uint32_t record[4]; /* seconds, nanoseconds, captured bytes, original bytes */
	struct stat st;

	if (fstat(fd, &st))
		return;
	while (pread(fd, record, sizeof(record), c->whole) == (ssize_t)sizeof(record) &&
	       c->whole + (off_t)sizeof(record) + record[2] <= st.st_size) {
		c->whole += (off_t)sizeof(record) + record[2];
		c->flushed++;
	}
}

/* Removes the part of a packet that did not fit. */
static int queue_capture_give_up(struct queue_capture *c)
{
	int fd = fileno(pcap_dump_file(c->out));

	c->err = errno ? errno : EIO;
	__fpurge(pcap_dump_file(c->out));
	if (c->whole)
		count_whole(c, fd);
	if (ftruncate(fd, c->whole))
		c->whole = 0;
	return -c->err;
}

int queue_capture_flush(struct queue_capture *c)
{
	if (c->err)
		return -c->err;
	errno = 0;
	if (pcap_dump_flush(c->out) || ferror(pcap_dump_file(c->out)))
		return queue_capture_give_up(c);
	c->whole = pcap_dump_ftell(c->out);
	c->flushed = c->packets;
	return 0;
}

uint64_t queue_capture_packets(const struct queue_capture *c)
{
	return c->flushed;
}

const char *queue_capture_path(const struct queue_capture *c)
{
	return c->path;
}

int queue_capture_packet(struct queue_capture *c, const void *bytes, size_t len)
{
	struct timespec now;
	struct pcap_pkthdr h = {.caplen = (bpf_u_int32)len, .len = (bpf_u_int32)len};

	if (c->err)
		return -c->err;
	clock_gettime(CLOCK_REALTIME, &now);
	h.ts.tv_sec = now.tv_sec;
	h.ts.tv_usec = now.tv_nsec;
	errno = 0;
	pcap_dump((u_char *)c->out, &h, bytes);
	if (ferror(pcap_dump_file(c->out)))
		return queue_capture_give_up(c);
	c->packets++;
	return 0;
}

void queue_capture_close(struct queue_capture *c)
{
	if (c->out) {
		queue_capture_flush(c);
		pcap_dump_close(c->out);
	}
	if (c->pcap)
		pcap_close(c->pcap);
	free(c);
}
