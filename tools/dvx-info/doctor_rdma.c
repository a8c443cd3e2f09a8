/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the way to the device: PCI, kernel, device files, libraries, firmware, port. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "doctor.h"
#include "facts.h"
#include "tools/cli/library.h"

static void device(struct doctor *d)
{
	char first[64];
	size_t n = fact_pci(first, sizeof(first));

	if (d->dev)
		doctor_line(d, "device", LEVEL_OK, "", "%s opens with DevX, vhca_id %u.",
			    dvx_dev_name(d->dev), dvx_dev_caps(d->dev)->vhca_id);
	else if (d->elsewhere && n)
		doctor_line(d, "device", LEVEL_OK, "",
			    "%zu NVIDIA network function(s), the first at %s.", n, first);
	else if (d->devices)
		doctor_line(d, "device", LEVEL_FAIL, "dvx-info list",
			    "%zu mlx5 device(s) are listed, but it does not open: %s.", d->devices,
			    d->error);
	else if (n)
		doctor_line(
			d, "device", LEVEL_FAIL, "sudo modprobe mlx5_ib",
			"%zu NVIDIA network function(s) are on the PCI bus (%s), but libibverbs "
			"shows no mlx5 device.",
			n, first);
	else
		doctor_line(d, "device", LEVEL_FAIL, "lspci -d 15b3:",
			    "There is no mlx5 device: no NVIDIA network function is on the PCI bus "
			    "that this system sees.");
}

/* Checks the modules. A device that opens proves that they are loaded, listed or not. */
static void modules(struct doctor *d)
{
	static const char *const names[] = {"mlx5_core", "mlx5_ib", "ib_uverbs"};
	char path[64], missing[64] = "", remedy[96];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "/sys/module/%s", names[i]);
		if (fact_exists(path))
			continue;
		strcat(missing, *missing ? " " : "");
		strcat(missing, names[i]);
	}
	snprintf(remedy, sizeof(remedy), "sudo modprobe -a %s", missing);
	if (!*missing)
		doctor_line(d, "modules", LEVEL_OK, "",
			    "mlx5_core, mlx5_ib and ib_uverbs are loaded.");
	else if (d->dev)
		doctor_line(d, "modules", LEVEL_OK, "",
			    "The device answers, though /sys/module does not list %s.", missing);
	else
		doctor_line(d, "modules", LEVEL_FAIL, remedy, "Not loaded: %s.", missing);
}

static void kernel(struct doctor *d)
{
	char release[128];
	unsigned int v = fact_kernel(release, sizeof(release));

	if (!v)
		doctor_line(d, "kernel", LEVEL_OK, "", "The kernel's version is not known.");
	else if (v >= (5 << 8 | 19))
		doctor_line(d, "kernel", LEVEL_OK, "",
			    "Linux %s returns firmware's status and syndrome.", release);
	else
		doctor_line(d, "kernel", LEVEL_WARN, "",
			    "Linux %s returns only an errno for a refused command, without status "
			    "and syndrome; "
			    "5.19 and later return them.",
			    release);
}

static void abi(struct doctor *d)
{
	long long core = 0;

	if (!fact_number("/sys/class/infiniband_verbs/abi_version", &core))
		doctor_line(
			d, "uverbs", d->dev ? LEVEL_WARN : LEVEL_FAIL, "sudo modprobe ib_uverbs",
			"/sys/class/infiniband_verbs/abi_version is not there: the kernel offers "
			"no verbs to user space.");
	else
		doctor_line(d, "uverbs", core == 6 ? LEVEL_OK : LEVEL_WARN, "",
			    "The kernel's verbs ABI is %lld (libibverbs knows 6).", core);
}

/* Adds a line with the reason why a file cannot be opened, and the command that helps. */
static void closed_file(struct doctor *d, const char *path, int err)
{
	char remedy[400] = "sudo modprobe mlx5_ib";

	if (err == EPERM)
		snprintf(remedy, sizeof(remedy),
			 "docker run --device=%s # or the service's DeviceAllow=; a cgroup denies "
			 "it",
			 path);
	else if (err == EACCES)
		snprintf(remedy, sizeof(remedy),
			 "sudo chmod 0666 %s # rdma-core's udev rules do it at every start", path);
	doctor_line(d, "files", LEVEL_FAIL, remedy, "%s does not open: %s.", path, strerror(err));
}

static void files(struct doctor *d)
{
	DIR *dir = fact_dir("/dev/infiniband");
	char path[300], closed[300] = "";
	struct dirent *e;
	int n = 0, err, why = 0;

	while (dir && (e = readdir(dir))) {
		if (strncmp(e->d_name, "uverbs", 6))
			continue;
		n++;
		snprintf(path, sizeof(path), "/dev/infiniband/%.255s", e->d_name);
		err = fact_device(path);
		if (err) {
			why = err;
			memcpy(closed, path, sizeof(closed));
		}
	}
	if (dir)
		closedir(dir);
	if (why)
		closed_file(d, closed, why);
	else if (n)
		doctor_line(d, "files", LEVEL_OK, "",
			    "%d device file(s) /dev/infiniband/uverbs*, open to this user.", n);
	else if (d->dev)
		doctor_line(d, "files", LEVEL_OK, "",
			    "The device opens, though /dev/infiniband lists no file.");
	else
		doctor_line(d, "files", LEVEL_FAIL,
			    "sudo modprobe ib_uverbs # in a container: docker run "
			    "--device=/dev/infiniband",
			    "There is no /dev/infiniband/uverbs*.");
}

/* Checks a library's version: libibverbs.so.1.14.44.0 is rdma-core 44.0. */
static void library(struct doctor *d, const char *stem)
{
	FILE *f = fact_open("/proc/self/maps");
	char line[4096], *at = NULL, *base;
	unsigned int a, b, c, e;

	while (f && !at && fgets(line, sizeof(line), f)) {
		base = strrchr(line, '/');
		at = base && !strncmp(base + 1, stem, strlen(stem)) ? base + 1 : NULL;
	}
	if (f)
		fclose(f);
	if (!at)
		doctor_line(d, "rdma-core", LEVEL_WARN, "", "%s is not mapped from a file.", stem);
	else if (sscanf(at + strlen(stem), ".so.%u.%u.%u.%u", &a, &b, &c, &e) == 4)
		doctor_line(
			d, "rdma-core", c >= 36 ? LEVEL_OK : LEVEL_WARN,
			c >= 36 ? ""
				: "sudo apt-get install rdma-core libibverbs1 ibverbs-providers",
			"%s is of rdma-core %u.%u.", stem, c, e);
	else
		doctor_line(d, "rdma-core", LEVEL_OK, "",
			    "%s is mapped, but its file's name tells no version.", stem);
}

static void firmware(struct doctor *d)
{
	struct dvx_ident ident;

	if (!dvx_dev_ident(d->dev, &ident))
		doctor_line(d, "firmware", LEVEL_OK, "", "Firmware %s, board %s.", ident.firmware,
			    ident.board);
}

static void port(struct doctor *d, uint8_t number)
{
	struct dvx_port p;

	if (dvx_dev_port(d->dev, number, &p)) {
		doctor_line(d, "port", LEVEL_FAIL, "", "%s.", library_error());
		return;
	}
	if (p.state != DVX_PORT_ACTIVE)
		doctor_line(d, "port", LEVEL_FAIL,
			    p.ethernet ? "sudo ip link set IFACE up # rdma link show names it"
				       : "sudo systemctl start opensm # on one host of the fabric",
			    "Port %u is not active.", number);
	else if (p.ethernet && p.mtu < 1024)
		doctor_line(d, "port", LEVEL_WARN, "sudo ip link set IFACE mtu 4200",
			    "Port %u is active, but its RDMA MTU is only %u bytes.", number, p.mtu);
	else
		doctor_line(d, "port", LEVEL_OK, "", "Port %u is active: %g Gbit/s, MTU %u.",
			    number, p.mbps / 1000.0, p.mtu);
}

static void gid(struct doctor *d)
{
	struct dvx_gid *gids;
	size_t n, v2 = 0;

	if (!dvx_dev_caps(d->dev)->roce || dvx_dev_gids(d->dev, &gids, &n))
		return;
	for (size_t i = 0; i < n; i++)
		v2 += gids[i].type == DVX_GID_ROCE_V2;
	dvx_gids_free(gids);
	if (v2)
		doctor_line(d, "gid", LEVEL_OK, "",
			    "%zu GIDs, %zu of them RoCE v2; dvx-info gids ranks them.", n, v2);
	else
		doctor_line(d, "gid", LEVEL_FAIL, "sudo ip address add ADDRESS/24 dev IFACE",
			    "There is no RoCE v2 GID: its network interface is down or has no "
			    "address.");
}

/* Checks network namespaces: in exclusive mode only one of them sees a device. */
static void namespaces(struct doctor *d)
{
	char mode[16];
	bool none = !d->dev && !d->elsewhere;

	if (!fact_text("/sys/module/ib_core/parameters/netns_mode", mode, sizeof(mode)))
		doctor_line(d, "namespaces", LEVEL_OK, "",
			    "Whether network namespaces share RDMA devices is not known.");
	else if (*mode == 'Y')
		doctor_line(d, "namespaces", LEVEL_OK, "",
			    "RDMA devices are shared by all network namespaces.");
	else
		doctor_line(
			d, "namespaces", none ? LEVEL_WARN : LEVEL_OK,
			none ? "sudo rdma dev set DEV netns NAME # in the namespace that has it; "
			       "or at the start: rdma system set netns shared"
			     : "",
			"Each RDMA device belongs to one network namespace (exclusive): others "
			"do not see it.");
}

void doctor_rdma(struct doctor *d)
{
	device(d);
	modules(d);
	namespaces(d);
	kernel(d);
	abi(d);
	files(d);
	library(d, "libibverbs");
	library(d, "libmlx5");
	if (!d->dev)
		return;
	firmware(d);
	for (unsigned int p = 1; p <= dvx_dev_caps(d->dev)->num_ports; p++)
		port(d, (uint8_t)p);
	gid(d);
}
