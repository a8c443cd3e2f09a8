/* SPDX-License-Identifier: BSD-2-Clause */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int tap_fail(int fd, const char *name, char why[TAP_WHY])
{
	int err = errno;

	if (err == EPERM)
		snprintf(why, TAP_WHY,
			 "%s: a network interface needs CAP_NET_ADMIN; without root: unshare -rn",
			 name);
	else
		snprintf(why, TAP_WHY, "%s: %s: %s", name,
			 fd < 0 ? "/dev/net/tun" : "the network interface can't be made",
			 strerror(err));
	if (fd >= 0)
		close(fd);
	return -1;
}

int tap_open(const char *name, bool attach, char why[TAP_WHY])
{
	struct ifreq r = {.ifr_flags = (short)(IFF_TAP | IFF_NO_PI | (attach ? 0 : IFF_TUN_EXCL))};
	int fd;

	if (strlen(name) >= IFNAMSIZ) {
		snprintf(why, TAP_WHY, "%s: the name of a network interface has at most %d bytes",
			 name, IFNAMSIZ - 1);
		return -1;
	}
	strcpy(r.ifr_name, name);
	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &r))
		return tap_fail(fd, name, why);
	return fd;
}

static int tap_request(int sock, const char *name, unsigned long what, struct ifreq *r)
{
	strncpy(r->ifr_name, name, IFNAMSIZ - 1);
	return ioctl(sock, what, r) ? -errno : 0;
}

int tap_configure(const char *name, const uint8_t mac[6], unsigned int mtu)
{
	int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;
	struct ifreq address = {.ifr_hwaddr.sa_family = ARPHRD_ETHER};
	struct ifreq size = {.ifr_mtu = (int)mtu}, flags = {0};

	if (sock < 0)
		return -errno;
	if (mac)
		memcpy(address.ifr_hwaddr.sa_data, mac, 6);
	err = mac ? tap_request(sock, name, SIOCSIFHWADDR, &address) : 0;
	if (!err)
		err = tap_request(sock, name, SIOCSIFMTU, &size);
	if (!err)
		err = tap_request(sock, name, SIOCGIFFLAGS, &flags);
	flags.ifr_flags |= IFF_UP;
	if (!err)
		err = tap_request(sock, name, SIOCSIFFLAGS, &flags);
	close(sock);
	return err;
}

static int tap_ask(const char *name, unsigned long what, struct ifreq *r)
{
	int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int err = sock < 0 ? -errno : tap_request(sock, name, what, r);

	if (sock >= 0)
		close(sock);
	return err;
}

int tap_address(const char *name, uint8_t mac[6])
{
	struct ifreq r = {0};
	int err = tap_ask(name, SIOCGIFHWADDR, &r);

	memcpy(mac, r.ifr_hwaddr.sa_data, 6);
	return err;
}

unsigned int tap_mtu(const char *name)
{
	struct ifreq r = {0};

	return tap_ask(name, SIOCGIFMTU, &r) ? 0 : (unsigned int)r.ifr_mtu;
}

/*
 * Reads the interface's drops. They are read from proc because sysfs may be of another network
 * namespace. The name is followed by 8 numbers for receive, then sent bytes, packets, errors,
 * drops.
 */
static bool tap_missed_line(const char *line, const char *name, uint64_t *missed)
{
	char who[IFNAMSIZ + 1];

	return sscanf(line,
		      " %16[^:]: %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, who,
		      missed) == 2 &&
	       !strcmp(who, name);
}

uint64_t tap_missed(const char *name)
{
	FILE *f = fopen("/proc/self/net/dev", "re");
	uint64_t missed = 0;
	bool found = false;
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f))
		found = tap_missed_line(line, name, &missed);
	if (f)
		fclose(f);
	return found ? missed : 0;
}

void tap_set_carrier(int fd, bool on)
{
	int carrier = on;

	ioctl(fd, TUNSETCARRIER, &carrier);
}
