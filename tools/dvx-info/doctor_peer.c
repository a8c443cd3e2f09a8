/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whether the device reaches the memory of GPUs: PCI bridges, peer memory, dma-buf. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "doctor.h"
#include "facts.h"
#include "features.h"

enum { EXT_CAPS = 0x100, ACS_ID = 0xd, ACS_CONTROL = 6, CONFIG_BYTES = 4096 };

/*
 * ReqRedir, CmpltRedir and UpstreamFwd of PCIe's ACS control, which send requests up to the root.
 */
enum { ACS_REDIRECTS = 0x1c };

static uint32_t config_u16(const uint8_t *config, size_t at)
{
	return config[at] | (uint32_t)config[at + 1] << 8;
}

/* Reads the ACS control of a PCI function. -1: it has none, -2: this user may not read it. */
static int acs_control(const char *address)
{
	uint8_t config[CONFIG_BYTES];
	char path[300];
	FILE *f;
	size_t n, at = EXT_CAPS;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.255s/config", address);
	f = fact_open(path);
	n = f ? fread(config, 1, sizeof(config), f) : 0;
	if (f)
		fclose(f);
	if (n <= EXT_CAPS)
		return -2;
	/* Each capability is at least 4 bytes long: a longer list is a loop. */
	for (size_t i = 0; i < CONFIG_BYTES / 4 && at >= EXT_CAPS && at + 8 <= n; i++) {
		if (config_u16(config, at) == ACS_ID)
			return (int)config_u16(config, at + ACS_CONTROL);
		at = config_u16(config, at + 2) >> 4;
	}
	return -1;
}

static long long pci_number(const char *address, const char *file)
{
	char path[300];
	long long n;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.200s/%s", address, file);
	return fact_number(path, &n) ? n : -1;
}

struct bus {
	size_t bridges, redirecting, unread;
	char first[32]; /* the first bridge that redirects */
	bool gpu;
};

static void bus_add(struct bus *b, const char *address)
{
	long long class = pci_number(address, "class"), vendor = pci_number(address, "vendor");
	int acs;

	b->gpu |= (class >> 16 == 0x03 || class >> 16 == 0x12) &&
		  (vendor == 0x10de || vendor == 0x1002);
	if (class >> 8 != 0x0604)
		return;
	acs = acs_control(address);
	b->bridges++;
	b->unread += acs == -2;
	if (acs >= 0 && acs & ACS_REDIRECTS && !b->redirecting++)
		snprintf(b->first, sizeof(b->first), "%.31s", address);
}

static void bus_read(struct bus *b)
{
	DIR *dir = fact_dir("/sys/bus/pci/devices");
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (*e->d_name != '.')
			bus_add(b, e->d_name);
	if (dir)
		closedir(dir);
}

static void doctor_acs(struct doctor *d, const struct bus *b)
{
	char remedy[160];

	snprintf(
		remedy, sizeof(remedy),
		"sudo setpci -s %s ECAP_ACS+6.w=0 # each such bridge, after every start; or in the "
		"BIOS",
		b->first);
	if (b->redirecting)
		doctor_line(d, "acs", b->gpu ? LEVEL_WARN : LEVEL_OK, b->gpu ? remedy : "",
			    "%zu of %zu PCI bridges redirect requests between devices to the root "
			    "(ACS), the first is %s: GPU Direct is slow or fails with local "
			    "protection errors%s.",
			    b->redirecting, b->bridges, b->first,
			    b->gpu ? "" : "; there is no GPU");
	else if (b->unread)
		doctor_line(d, "acs", LEVEL_OK, "",
			    "Whether PCI bridges redirect requests between devices (ACS) is not "
			    "known: their configuration is for root only.");
	else
		doctor_line(d, "acs", LEVEL_OK, "",
			    "No PCI bridge redirects requests between devices (ACS).");
}

static void peer_memory(struct doctor *d)
{
	if (fact_exists("/sys/module/nvidia_peermem") || fact_exists("/sys/module/nv_peer_mem"))
		doctor_line(
			d, "peer-memory", LEVEL_OK, "",
			"nvidia-peermem is loaded: ibv_reg_mr() takes memory of NVIDIA's GPUs.");
	else if (!fact_exists("/sys/module/nvidia"))
		doctor_line(d, "peer-memory", LEVEL_OK, "",
			    "NVIDIA's GPU driver is not loaded: nothing needs nvidia-peermem.");
	else
		doctor_line(d, "peer-memory", LEVEL_WARN, "sudo modprobe nvidia-peermem",
			    "NVIDIA's GPU driver is loaded, but not nvidia-peermem: ibv_reg_mr() "
			    "refuses GPU memory with EFAULT; dma-bufs do not need it.");
}

static void dmabuf(struct doctor *d)
{
	char release[128];
	unsigned int v = fact_kernel(release, sizeof(release));
	int err = d->dev ? dmabuf_try(dvx_dev_ibv(d->dev)) : 0;

	if (d->dev && err == EBADF)
		doctor_line(d, "dmabuf", LEVEL_OK, "",
			    "The device takes memory of other devices as dma-buf.");
	else if (d->dev)
		doctor_line(d, "dmabuf", LEVEL_WARN, "dvx-info why-not dmabuf",
			    "The device takes no dma-buf (%s): memory of other devices needs a "
			    "peer memory module.",
			    strerror(err));
	else if (v && v < (5 << 8 | 12))
		doctor_line(d, "dmabuf", LEVEL_WARN, "",
			    "Linux %s registers no dma-buf; 5.12 and later do.", release);
	else
		doctor_line(d, "dmabuf", LEVEL_OK, "",
			    "Whether a device takes dma-bufs can be asked only where it opens.");
}

void doctor_peer(struct doctor *d)
{
	struct bus bus = {.bridges = 0};

	bus_read(&bus);
	doctor_acs(d, &bus);
	peer_memory(d);
	dmabuf(d);
}
