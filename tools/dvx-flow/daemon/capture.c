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

struct capture {
	pcap_t *pcap;
	pcap_dumper_t *out;
	off_t whole; /* up to here all is in the file, a packet's end */
	int err;
};

int capture_open(const char *dir, unsigned int queue, struct capture **out)
{
	struct capture *c = calloc(1, sizeof(*c));
	char path[4200];
	FILE *file;

	if (!c)
		return -ENOMEM;
	snprintf(path, sizeof(path), "%s/queue%u.pcap", dir, queue);
	c->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, LONGEST,
						       PCAP_TSTAMP_PRECISION_NANO);
	errno = 0;
	file = fopen(path, "w+e");
	c->out = c->pcap && file ? pcap_dump_fopen(c->pcap, file) : NULL;
	if (!c->out || capture_flush(c)) {
		int err = errno ? errno : EIO;

		if (!c->out && file)
			fclose(file);
		capture_close(c);
		return -err;
	}
	*out = c;
	return 0;
}

/* The end of the last packet that is in the file, past c->whole. */
static off_t last_end(const struct capture *c, int fd)
{
	uint32_t record[4]; /* seconds, their parts, bytes here, bytes there */
	off_t end = c->whole;
	struct stat st;

	if (fstat(fd, &st))
		return end;
	while (pread(fd, record, sizeof(record), end) == (ssize_t)sizeof(record) &&
	       end + (off_t)sizeof(record) + record[2] <= st.st_size)
		end += (off_t)sizeof(record) + record[2];
	return end;
}

/* What was written of a packet that didn't fit goes again. */
static int give_up(struct capture *c)
{
	int fd = fileno(pcap_dump_file(c->out));

	c->err = errno ? errno : EIO;
	__fpurge(pcap_dump_file(c->out));
	if (c->whole)
		c->whole = last_end(c, fd);
	if (ftruncate(fd, c->whole))
		c->whole = 0;
	return -c->err;
}

int capture_flush(struct capture *c)
{
	if (c->err)
		return -c->err;
	errno = 0;
	if (pcap_dump_flush(c->out) || ferror(pcap_dump_file(c->out)))
		return give_up(c);
	c->whole = pcap_dump_ftell(c->out);
	return 0;
}

int capture_packet(struct capture *c, const void *bytes, size_t len)
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
	return ferror(pcap_dump_file(c->out)) ? give_up(c) : 0;
}

void capture_close(struct capture *c)
{
	if (c->out) {
		capture_flush(c);
		pcap_dump_close(c->out);
	}
	if (c->pcap)
		pcap_close(c->pcap);
	free(c);
}
