/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_SIM_PCAP_H
#define DVX_SIM_PCAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* --- packet files; failures print an error message with the file and the packet --- */

struct pcap_in; /* a pcap or pcapng file of Ethernet packets that the port accepts */

struct pcap_packet {
	uint64_t number; /* from 1, as tshark counts */
	const uint8_t *bytes;
	uint32_t len;
};

/* Opens a file; "-" is standard input. NULL after an error message. */
struct pcap_in *pcap_in_open(const char *path);
/*
 * Reads a packet: 1, 0 at the end, -1 after an error message. The bytes last until the next call.
 */
int pcap_in_next(struct pcap_in *, struct pcap_packet *);
/* Returns the percentage of the file that was read, -1 if unknown. */
int pcap_in_percent(struct pcap_in *);
void pcap_in_close(struct pcap_in *);

/* An output file of Ethernet packets with timestamps in nanoseconds. */
struct pcap_out {
	const char *name;
	int fd;
	bool regular; /* a packet that does not fit is cut off again */
	uint8_t *buf;
	size_t have, room;
	uint64_t packets, bytes; /* written to the file */
};

int pcap_out_open(struct pcap_out *, const char *path); /* "-": standard output */
int pcap_out_add(struct pcap_out *, uint64_t ns, const void *bytes, uint32_t len);
/* Writes whole packets only, so that a reader of the file never sees a part of one. */
int pcap_out_flush(struct pcap_out *);
int pcap_out_close(struct pcap_out *);
/* Prints the error for a pipe without a reader. Returns -1. */
int pcap_out_unread(const struct pcap_out *);

#endif
