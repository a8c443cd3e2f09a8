/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet files, as dvx-sim replays them: each packet is one that the port takes, or a sentence is said. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "src/sim/port/packets.h"
#include "tools/cli/message.h"
#include "tools/dvx-sim/wire/pcap.h"

static unsigned int packets;

void message_print(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	assert_true(vsnprintf(text, sizeof(text), fmt, ap) > 0);
	va_end(ap);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	int fd = memfd_create("pcap", MFD_CLOEXEC);
	struct pcap_packet p;
	struct pcap_in *in;
	char path[64];

	assert_true(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in = pcap_in_open(path);
	while (in && pcap_in_next(in, &p) == 1) {
		assert_in_range(p.len, PORT_PACKET_MIN, PORT_PACKET_MAX);
		assert_in_range(pcap_in_percent(in), 0, 100);
		packets += fuzz_hash(p.bytes, p.len) != 0;
	}
	pcap_in_close(in);
	close(fd);
	return 0;
}

static void judge(unsigned int inputs)
{
	assert_true(packets > inputs);
}

const struct fuzz_target fuzz_target = {
	.corpus = "../examples/traffic/*.pcap", .inputs = 2000, .judge = judge};
