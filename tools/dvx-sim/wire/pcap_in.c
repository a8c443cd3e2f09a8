/* SPDX-License-Identifier: BSD-2-Clause */
#include "pcap.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tools/dvx-sim/dvx-sim.h"
#include "src/sim/link/link.h"

struct pcap_in {
	const char *name;
	pcap_t *pcap;
	uint64_t n;
	off_t size; /* 0: unknown */
};

static FILE *open_file(const char *path, off_t *size)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;
	struct stat st;

	if (f && !fstat(fileno(f), &st) && S_ISREG(st.st_mode))
		*size = st.st_size;
	if (f && !fstat(fileno(f), &st) && S_ISDIR(st.st_mode)) {
		fclose(f);
		errno = EISDIR;
		return NULL;
	}
	return f;
}

static const char *link_name(int type)
{
	const char *name = pcap_datalink_val_to_description(type);

	return name ? name : "of a kind that libpcap has no name for";
}

struct pcap_in *pcap_in_open(const char *path)
{
	struct pcap_in *in = calloc(1, sizeof(*in));
	char why[PCAP_ERRBUF_SIZE];
	FILE *f = in ? open_file(path, &in->size) : NULL;

	if (!f) {
		message_print("can't read %s: %s", path, strerror(errno));
		free(in);
		return NULL;
	}
	in->name = strcmp(path, "-") ? path : "standard input";
	in->pcap = pcap_fopen_offline(f, why);
	if (!in->pcap) {
		message_print("%s is no packet file: %s", in->name, why);
		fclose(f);
		free(in);
		return NULL;
	}
	if (pcap_datalink(in->pcap) == DLT_EN10MB)
		return in;
	message_print("%s has packets of link type %s: the port takes Ethernet", in->name,
		      link_name(pcap_datalink(in->pcap)));
	pcap_in_close(in);
	return NULL;
}

void pcap_in_close(struct pcap_in *in)
{
	if (!in)
		return;
	pcap_close(in->pcap);
	free(in);
}

int pcap_in_percent(struct pcap_in *in)
{
	off_t at = in->size ? ftello(pcap_file(in->pcap)) : -1;

	return at < 0 ? -1 : (int)(at * 100 / in->size);
}

static int pcap_in_check(const struct pcap_in *in, const struct pcap_pkthdr *h)
{
	if (h->caplen < h->len) {
		message_print("%s: packet %" PRIu64
			      " was cut when it was captured (%u of %u bytes): capture "
			      "whole packets (tcpdump -s 0)",
			      in->name, in->n, h->caplen, h->len);
		return -1;
	}
	if (h->len >= PORT_PACKET_MIN && h->len <= PORT_PACKET_MAX)
		return 1;
	message_print("%s: packet %" PRIu64 " has %u bytes: the port takes %u to %u", in->name,
		      in->n, h->len, PORT_PACKET_MIN, PORT_PACKET_MAX);
	return -1;
}

int pcap_in_next(struct pcap_in *in, struct pcap_packet *p)
{
	struct pcap_pkthdr *h;
	int rc = pcap_next_ex(in->pcap, &h, &p->bytes);

	if (rc == PCAP_ERROR_BREAK)
		return 0;
	in->n++;
	if (rc != 1) {
		message_print("%s: packet %" PRIu64 " can't be read: %s", in->name, in->n,
			      pcap_geterr(in->pcap));
		return -1;
	}
	p->number = in->n;
	p->len = h->len;
	return pcap_in_check(in, h);
}
