/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks placement, IOMMU, write-combining, limits and rights. */
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "doctor.h"
#include "facts.h"
#include "tools/cli/library.h"

/* Less than a program with a few rings and a buffer needs. */
#define LITTLE_BYTES (1ll << 30)

/* Returns the NUMA node of the open device, or of the first function on the bus. */
static int node_of(const struct doctor *d)
{
	char path[128];
	long long node;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/numa_node", d->pci);
	if (*d->pci && fact_number(path, &node))
		return (int)node;
	return d->dev ? dvx_dev_node(d->dev) : -1;
}

static void numa(struct doctor *d)
{
	int node = node_of(d), n;
	char path[128], cpus[256], remedy[128];

	if (!fact_exists("/sys/devices/system/node/node1")) {
		doctor_line(d, "numa", LEVEL_OK, "", "The machine has one NUMA node.");
		return;
	}
	if (node < 0) {
		doctor_line(
			d, "numa", *d->pci ? LEVEL_WARN : LEVEL_OK, "",
			*d->pci ? "The machine has several NUMA nodes, but the device says none: "
				  "the firmware (ACPI) does not tell where it is plugged."
				: "The machine has several NUMA nodes; there is no device to be "
				  "near.");
		return;
	}
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
	n = fact_text(path, cpus, sizeof(cpus)) ? fact_cpus(cpus) : -1;
	snprintf(remedy, sizeof(remedy), "numactl --cpunodebind=%d --membind=%d PROGRAM", node,
		 node);
	if (n < 0)
		doctor_line(
			d, "numa", LEVEL_OK, remedy,
			"The device is on node %d; which CPUs this process may use is not known.",
			node);
	else if (n > 0)
		doctor_line(d, "numa", LEVEL_OK, "",
			    "The device is on node %d, and %d of its CPUs (%s) are open to this "
			    "process.",
			    node, n, cpus);
	else
		doctor_line(
			d, "numa", LEVEL_WARN, remedy,
			"The device is on node %d, but this process may not run on its CPUs: every "
			"doorbell and completion crosses the sockets.",
			node);
}

static int count_entries(const char *path)
{
	DIR *dir = fact_dir(path);
	struct dirent *e;
	int n = 0;

	while (dir && (e = readdir(dir)))
		n += *e->d_name != '.';
	if (dir)
		closedir(dir);
	return n;
}

static void iommu(struct doctor *d)
{
	static const char remedy[] =
		"sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&iommu=pt /' /etc/default/grub && sudo "
		"update-grub && sudo reboot";
	char path[128], type[64];
	int groups = count_entries("/sys/kernel/iommu_groups");

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/iommu_group/type", d->pci);
	if (!groups)
		doctor_line(d, "iommu", LEVEL_OK, "",
			    "The IOMMU is off or hidden: DMA is untranslated.");
	else if (!*d->pci || !fact_text(path, type, sizeof(type)))
		doctor_line(d, "iommu", LEVEL_OK, "",
			    "The IOMMU is on (%d groups); no device shows how it is translated.",
			    groups);
	else if (!strcmp(type, "identity"))
		doctor_line(d, "iommu", LEVEL_OK, "", "The IOMMU passes the device's DMA through.");
	else
		doctor_line(d, "iommu", LEVEL_WARN, remedy,
			    "The IOMMU translates the device's DMA (type %s): registrations are "
			    "slower, and small pages cost bandwidth.",
			    type);
}

static bool in_file(const char *path, const char *word)
{
	char line[8192];
	FILE *f = fact_open(path);
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, word) != NULL;
	if (f)
		fclose(f);
	return found;
}

static void write_combining(struct doctor *d)
{
	struct dvx_uar *uar;

	if (d->dev && !dvx_uar_alloc(d->dev, DVX_UAR_BF, &uar)) {
		doctor_line(
			d, "wc", LEVEL_OK, "",
			"A write-combining doorbell page can be had (BlueFlame, %u bytes a copy).",
			dvx_uar_bf_size(uar));
		dvx_uar_free(uar);
	} else if (d->dev) {
		doctor_line(d, "wc", LEVEL_WARN,
			    "cat /proc/cmdline # take out nopat; in a virtual "
			    "machine the host decides",
			    "No write-combining doorbell page (%s): small messages cost one more "
			    "trip over PCI.",
			    library_error());
	} else if (in_file("/proc/cmdline", "nopat")) {
		doctor_line(
			d, "wc", LEVEL_WARN,
			"sudo sed -i 's/ *nopat//' /etc/default/grub && sudo update-grub && sudo "
			"reboot",
			"The kernel was started with nopat: no page can be write-combining.");
	} else {
#if defined(__x86_64__)
		doctor_line(
			d, "wc", in_file("/proc/cpuinfo", " pat ") ? LEVEL_OK : LEVEL_WARN, "",
			"The CPU %s page attributes (PAT); without a device no doorbell page could "
			"be tried.",
			in_file("/proc/cpuinfo", " pat ") ? "has" : "does not show");
#else
		doctor_line(d, "wc", LEVEL_OK, "",
			    "Without a device no doorbell page could be tried.");
#endif
	}
}

static bool number_after(const char *text, const char *key)
{
	for (; (text = strstr(text, key)); text++)
		if (text[strlen(key)] >= '0' && text[strlen(key)] <= '9')
			return true;
	return false;
}

/* Reads a small file and joins its lines. */
static bool doctor_host_whole(const char *path, char *buf, size_t size)
{
	FILE *f = fact_open(path);
	size_t n = f ? fread(buf, 1, size - 1, f) : 0;

	if (f)
		fclose(f);
	buf[n] = '\0';
	for (char *c = buf; *c; c++)
		*c = *c == '\n' ? ' ' : *c;
	return n;
}

static void cgroup_rdma(struct doctor *d, const char *dir)
{
	char path[4200], limits[1024];
	bool limited;

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/rdma.max", dir);
	if (!doctor_host_whole(path, limits, sizeof(limits))) {
		doctor_line(d, "cgroup", LEVEL_OK, "", "The cgroup has no RDMA limit.");
		return;
	}
	snprintf(path, sizeof(path),
		 "echo 'DEVICE hca_handle=max hca_object=max' | sudo tee /sys/fs/cgroup%s/rdma.max",
		 dir);
	limited = number_after(limits, "hca_handle=") || number_after(limits, "hca_object=");
	doctor_line(d, "cgroup", limited ? LEVEL_WARN : LEVEL_OK, limited ? path : "",
		    "RDMA limits of the cgroup: %s.", limits);
}

/*
 * Checks the cgroup's memory: registered memory cannot be swapped out and counts until it is freed.
 */
static void cgroup_memory(struct doctor *d, const char *dir)
{
	char path[4200], remedy[4300];
	enum level level = LEVEL_OK;
	long long limit;

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", dir);
	if (!fact_number(path, &limit))
		return;
	snprintf(remedy, sizeof(remedy),
		 "echo max | sudo tee /sys/fs/cgroup%s/memory.max # docker: --memory", dir);
	if (limit < DOCTOR_FEW_BYTES)
		level = LEVEL_FAIL;
	else if (limit < LITTLE_BYTES)
		level = LEVEL_WARN;
	doctor_line(d, "cgroup", level, level == LEVEL_OK ? "" : remedy,
		    "The cgroup may use %lld MiB; registered memory counts and cannot be swapped "
		    "out.",
		    limit >> 20);
}

static void cgroup_hugepages(struct doctor *d, const char *dir)
{
	char path[4200], remedy[4300];
	long long limit;

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/hugetlb.2MB.max", dir);
	if (!fact_number(path, &limit) || limit >= 2 << 20)
		return;
	snprintf(remedy, sizeof(remedy), "echo max | sudo tee /sys/fs/cgroup%s/hugetlb.2MB.max",
		 dir);
	doctor_line(d, "cgroup", LEVEL_WARN, remedy, "The cgroup may use no huge page of 2 MiB.");
}

/* Checks the process's cgroup; version 2 only: "0::/path". */
static void cgroup(struct doctor *d)
{
	char self[4000];

	if (!fact_text("/proc/self/cgroup", self, sizeof(self)) || strncmp(self, "0::", 3)) {
		doctor_line(d, "cgroup", LEVEL_OK, "",
			    "No unified cgroup: no limit of it is looked for.");
		return;
	}
	cgroup_rdma(d, self + 3);
	cgroup_memory(d, self + 3);
	cgroup_hugepages(d, self + 3);
}

static void rights(struct doctor *d)
{
	if (fact_may(CAP_NET_RAW) && fact_initial_userns())
		doctor_line(d, "rights", LEVEL_OK, "",
			    "This process has CAP_NET_RAW: raw packets and steering rules are "
			    "allowed.");
	else if (fact_may(CAP_NET_RAW))
		doctor_line(d, "rights", LEVEL_WARN, "",
			    "CAP_NET_RAW counts only inside this user namespace: raw packets and "
			    "steering rules may be refused; RDMA itself is not touched.");
	else
		doctor_line(d, "rights", LEVEL_WARN, "sudo setcap cap_net_raw+ep PROGRAM",
			    "Without CAP_NET_RAW raw packets and steering rules are refused with "
			    "EPERM; RDMA itself needs no right.");
}

void doctor_host(struct doctor *d)
{
	numa(d);
	iommu(d);
	write_combining(d);
	cgroup(d);
	rights(d);
}
