/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dvx-info.h"
#include "gidrank.h"
#include "tools/cli/library.h"

static const char *type_name(const struct ranked *r)
{
	if (r->gid.type == DVX_GID_ROCE_V2)
		return "RoCE v2";
	return r->ethernet ? "RoCE v1" : "InfiniBand";
}

/* Makes the list of ranked GIDs. Without memory or a GID, n stays 0. */
static struct ranked *ranked_of(struct dvx_dev *dev, const struct dvx_gid *gids, size_t *n)
{
	struct ranked *list = calloc(*n + 1, sizeof(*list));
	struct dvx_port port;

	for (size_t i = 0; list && i < *n; i++) {
		list[i].gid = gids[i];
		list[i].ethernet = gids[i].type != DVX_GID_IB_ROCE_V1;
		if (dvx_dev_port(dev, gids[i].port, &port))
			continue;
		list[i].up = port.state == DVX_PORT_ACTIVE;
		list[i].ethernet = port.ethernet;
	}
	if (!list)
		*n = 0;
	gid_rank(list, *n);
	return list;
}

static json_t *gid_json(const struct ranked *r)
{
	char text[INET6_ADDRSTRLEN], name[IF_NAMESIZE] = "", v4[INET_ADDRSTRLEN] = "";
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	inet_ntop(AF_INET6, r->gid.gid, text, sizeof(text));
	if (!memcmp(r->gid.gid, mapped, sizeof(mapped)))
		inet_ntop(AF_INET, r->gid.gid + 12, v4, sizeof(v4));
	if (r->gid.ifindex)
		if_indextoname(r->gid.ifindex, name);
	return json_pack("{si sI ss ss ss ss sb si ss}", "port", r->gid.port, "index",
			 (json_int_t)r->gid.index, "gid", text, "ipv4", v4, "type", type_name(r),
			 "interface", name, "active", r->up, "rank", (int)r->rank, "reason",
			 r->reason);
}

static void print_gid(const json_t *g)
{
	const char *ifname = json_string_value(json_object_get(g, "interface"));

	printf("%4lld  %4lld  %-10s  %-26s  %-9s  %s%s\n",
	       json_integer_value(json_object_get(g, "port")),
	       json_integer_value(json_object_get(g, "index")),
	       json_string_value(json_object_get(g, "type")),
	       json_string_value(json_object_get(g, "gid")), *ifname ? ifname : "-",
	       json_string_value(json_object_get(g, "reason")),
	       json_is_true(json_object_get(g, "active")) ? "" : " (port is not active)");
}

static void print_gids(const char *device, const json_t *list)
{
	const json_t *best = json_array_get(list, 0);
	size_t i;
	json_t *g;

	printf("%s\nport index  %-10s  %-26s  %-9s  reason\n", device, "type", "GID", "interface");
	json_array_foreach(list, i, g) print_gid(g);
	printf("Use index %lld on port %lld: ib_write_bw -d %s -i %lld -x %lld, ibv_rc_pingpong -g "
	       "%lld, NCCL_IB_GID_INDEX=%lld.\n",
	       json_integer_value(json_object_get(best, "index")),
	       json_integer_value(json_object_get(best, "port")), device,
	       json_integer_value(json_object_get(best, "port")),
	       json_integer_value(json_object_get(best, "index")),
	       json_integer_value(json_object_get(best, "index")),
	       json_integer_value(json_object_get(best, "index")));
}

static int gids_show(const struct info_args *a, struct dvx_dev *dev, const struct ranked *list,
		     size_t n)
{
	json_t *all = json_array(), *root;

	for (size_t i = 0; i < n; i++)
		if (a->all || list[i].up || !list[0].up)
			json_array_append_new(all, gid_json(&list[i]));
	if (a->json) {
		root = json_pack("{ss so}", "device", dvx_dev_name(dev), "gids", all);
		return json_out(root) ? EXIT_INPUT : n ? EXIT_DONE : EXIT_NO;
	}
	if (n)
		print_gids(dvx_dev_name(dev), all);
	else
		printf("%s has no GID: give its network interface an address, or bring its link "
		       "up.\n",
		       dvx_dev_name(dev));
	json_decref(all);
	return n ? EXIT_DONE : EXIT_NO;
}

int info_cmd_gids(const struct info_args *a)
{
	struct ranked *list;
	struct dvx_gid *gids;
	struct dvx_dev *dev;
	size_t n;
	int code;

	if (dvx_dev_open(a->argc ? a->argv[0] : a->device, &dev)) {
		message_print("%s", library_error());
		return EXIT_INPUT;
	}
	if (dvx_dev_gids(dev, &gids, &n)) {
		message_print("%s", library_error());
		dvx_dev_close(dev);
		return EXIT_INPUT;
	}
	list = ranked_of(dev, gids, &n);
	code = gids_show(a, dev, list, n);
	free(list);
	dvx_gids_free(gids);
	dvx_dev_close(dev);
	return code;
}
