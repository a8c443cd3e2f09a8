/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ports, and the GIDs of port 1, which is RoCE on Ethernet. On the e-switch's manager in switchdev
 * mode they are representors, which have no GIDs.
 */
#include <errno.h>
#include <string.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/vport.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "kernel/core/cmd.h"
#include "obj/rep.h"
#include "priv.h"

/* Values of the verbs ABI that are in libibverbs' headers, not in uapi's. */
enum { PORT_DOWN = 1, PORT_ACTIVE = 4, PHYS_DISABLED = 3, PHYS_LINK_UP = 5 };
enum { LINK_ETHERNET = 2, WIDTH_4X = 2, SPEED_EDR = 32 };
enum { MTU_4096 = 5, VL_0 = 1 };
#define GID_EMPTY 0xff

/*
 * Reports 4X EDR, 100 Gb/s, as a ConnectX-6 Dx does. It is not the speed of the simulator. A
 * representor has neither GIDs nor RDMA_CM.
 */
void port_fill(const struct uverbs_file *f, unsigned int port, struct ib_uverbs_query_port_resp *r)
{
	const bool up = vhca_port_is_up(f->vhca, port);

	*r = (struct ib_uverbs_query_port_resp){
		.max_msg_sz = 1u << prm_cmd_hca_cap_get_log_max_msg(file_caps(f)),
		.pkey_tbl_len = 1,
		.state = up ? PORT_ACTIVE : PORT_DOWN,
		.max_mtu = MTU_4096,
		.active_mtu = vhca_mtu(f->vhca),
		.max_vl_num = VL_0,
		.active_width = WIDTH_4X,
		.active_speed = SPEED_EDR,
		.phys_state = up ? PHYS_LINK_UP : PHYS_DISABLED,
		.link_layer = LINK_ETHERNET,
		.flags = IB_UVERBS_QPF_GRH_REQUIRED,
	};
	if (vhca_has_reps(f->vhca))
		return;
	r->port_cap_flags = IB_UVERBS_PCF_CM_SUP | IB_UVERBS_PCF_IP_BASED_GIDS;
	r->qkey_viol_cntr = f->vhca->qkey_violations;
	r->gid_tbl_len = VHCA_GIDS;
}

/*
 * Posts the events of ports without a netdev. With one, kernel_port_changed() posts them:
 * mlx5_ib follows the netdev's carrier, which follows this EQE.
 */
void verbs_port_event(struct kernel *k, struct vhca *v, uint8_t type, const void *eqe)
{
	(void)eqe;
	if (type != PRM_EVENT_PORT_CHANGE)
		return;
	for (struct uverbs_file *f = k->files; f; f = f->next)
		for (unsigned int port = 1; f->vhca == v && port <= vhca_ports(v); port++)
			if (!vhca_port_netdev(v, port)->present &&
			    (!vhca_has_reps(v) || vhca_port_has_rep(v, port)))
				channel_post_port(f, port, vhca_port_is_up(v, port));
}

int port_check(const struct uverbs_file *f, uint64_t port)
{
	const unsigned int n = vhca_ports(f->vhca);

	if (port && port <= n)
		return 0;
	return refuse(-EINVAL, "port_num %llu: the device has %u port%s, numbered from 1",
		      (unsigned long long)port, n, n > 1 ? "s" : "");
}

int port_sgid_check(const struct uverbs_file *f, const char *name, unsigned int index)
{
	if (index >= VHCA_GIDS)
		return refuse(-EINVAL, "%s: sgid_index %u, the table has %u entries", name, index,
			      VHCA_GIDS);
	if (f->vhca->gids[index].type == GID_EMPTY || vhca_has_reps(f->vhca))
		return refuse(-ENODATA, "%s: sgid_index %u has no GID", name, index);
	return 0;
}

int wcmd_query_port(struct wcmd *c)
{
	const struct ib_uverbs_query_port *in = c->in;
	struct ib_uverbs_query_port_resp r;
	int err = port_check(c->f, in->port_num);

	if (err)
		return err;
	port_fill(c->f, in->port_num, &r);
	wcmd_out(c, &r, sizeof(r));
	return 0;
}

int uverbs_query_port(struct uverbs_file *f, struct uverbs_request *req)
{
	struct ib_uverbs_query_port_resp_ex r = {.port_cap_flags2 = 0};
	const uint64_t port = attr_value(req, UVERBS_ATTR_QUERY_PORT_PORT_NUM);
	int err = port_check(f, port);

	if (err)
		return err;
	port_fill(f, (unsigned int)port, &r.legacy_resp);
	attr_out(req, UVERBS_ATTR_QUERY_PORT_RESP, &r, sizeof(r));
	return 0;
}

/* Reports the speed in units of 100 Mb/s. */
int uverbs_query_port_speed(struct uverbs_file *f, struct uverbs_request *req)
{
	const uint64_t speed = 1000;
	int err = port_check(f, attr_value(req, UVERBS_ATTR_QUERY_PORT_SPEED_PORT_NUM));

	if (!err)
		attr_out(req, UVERBS_ATTR_QUERY_PORT_SPEED_RESP, &speed, sizeof(speed));
	return err;
}

static int port_cap_page(struct vhca *v, uint16_t page, const uint16_t *other,
			 uint8_t out[PRM_QUERY_HCA_CAP_OUT_BYTES])
{
	uint8_t in[PRM_QUERY_HCA_CAP_IN_BYTES] = {0};

	mbox_begin(in, PRM_OPCODE_QUERY_HCA_CAP, 0);
	prm_query_hca_cap_in_set_op_mod(in, (uint32_t)page << 1 | PRM_HCA_CAP_MODE_CUR);
	prm_query_hca_cap_in_set_other_function(in, !!other);
	prm_query_hca_cap_in_set_function_id(in, other ? *other : 0);
	return mbox_exec(v, in, sizeof(in), out, PRM_QUERY_HCA_CAP_OUT_BYTES);
}

/* Fills in the uplink's addresses for entries of the FDB. */
static int port_fill_uplink(struct vhca *v, struct mlx5_ib_uapi_query_port *r)
{
	uint8_t out[PRM_QUERY_HCA_CAP_OUT_BYTES];
	const void *cap = prm_query_hca_cap_out_cat_capability(out);
	int err = port_cap_page(v, PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE, NULL, out);

	if (err)
		return err;
	r->vport_steering_icm_rx =
		prm_flow_table_eswitch_cap_get_sw_steering_uplink_icm_address_rx(cap);
	r->vport_steering_icm_tx =
		prm_flow_table_eswitch_cap_get_sw_steering_uplink_icm_address_tx(cap);
	return 0;
}

/* Fills in the id of a vport's function, and its addresses for entries of the FDB. */
static int port_fill_function(struct vhca *v, struct mlx5_ib_uapi_query_port *r)
{
	uint8_t in[PRM_QUERY_ESW_VPORT_CONTEXT_IN_BYTES] = {0};
	uint8_t out[PRM_QUERY_ESW_VPORT_CONTEXT_OUT_BYTES], page[PRM_QUERY_HCA_CAP_OUT_BYTES];
	const void *ctx = prm_query_esw_vport_context_out_cat_esw_vport_context(out);
	int err = port_cap_page(v, PRM_HCA_CAP_TYPE_GENERAL, &r->vport, page);

	mbox_begin(in, PRM_OPCODE_QUERY_ESW_VPORT_CONTEXT, 0);
	prm_query_esw_vport_context_in_set_other_vport(in, 1);
	prm_query_esw_vport_context_in_set_vport_number(in, r->vport);
	err = err ?: mbox_exec(v, in, sizeof(in), out, sizeof(out));
	if (err)
		return err;
	r->vport_vhca_id =
		(uint16_t)prm_cmd_hca_cap_get_vhca_id(prm_query_hca_cap_out_cat_capability(page));
	r->flags |= MLX5_IB_UAPI_QUERY_PORT_VPORT_VHCA_ID;
	r->vport_steering_icm_rx = prm_esw_vport_context_get_sw_steering_vport_icm_address_rx(ctx);
	r->vport_steering_icm_tx = prm_esw_vport_context_get_sw_steering_vport_icm_address_tx(ctx);
	return 0;
}

/* Reports the vport of a representor, and the register by which rules match it as the source. */
static int port_fill_rep(const struct uverbs_file *f, unsigned int port,
			 struct mlx5_ib_uapi_query_port *r)
{
	int err;

	if (!vhca_port_has_rep(f->vhca, port))
		return -EOPNOTSUPP; /* not logged: programs ask all ports */
	r->vport = vhca_port_vport(f->vhca, port);
	r->esw_owner_vhca_id = f->vhca->id;
	r->reg_c0.value = vhca_port_metadata(f->vhca, port);
	r->reg_c0.mask = PORT_METADATA_MASK;
	r->flags = MLX5_IB_UAPI_QUERY_PORT_VPORT | MLX5_IB_UAPI_QUERY_PORT_ESW_OWNER_VHCA_ID |
		   MLX5_IB_UAPI_QUERY_PORT_VPORT_REG_C0;
	err = r->vport == VPORT_UPLINK ? port_fill_uplink(f->vhca, r)
				       : port_fill_function(f->vhca, r);
	r->flags |= r->vport_steering_icm_rx ? MLX5_IB_UAPI_QUERY_PORT_VPORT_STEERING_ICM_RX : 0;
	r->flags |= r->vport_steering_icm_tx ? MLX5_IB_UAPI_QUERY_PORT_VPORT_STEERING_ICM_TX : 0;
	return err;
}

/* Reports nothing in legacy mode. */
int mlx5_query_port(struct uverbs_file *f, struct uverbs_request *req)
{
	const uint64_t port = attr_value(req, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM);
	struct mlx5_ib_uapi_query_port r = {.flags = 0};
	int err = port_check(f, port);

	if (!err && vhca_has_reps(f->vhca))
		err = port_fill_rep(f, (unsigned int)port, &r);
	if (!err)
		attr_out(req, MLX5_IB_ATTR_QUERY_PORT, &r, sizeof(r));
	return err;
}

static bool gid_entry(const struct uverbs_file *f, uint32_t index, struct ib_uverbs_gid_entry *e)
{
	const struct gid_entry *g = &f->vhca->gids[index];

	if (g->type == GID_EMPTY || vhca_has_reps(f->vhca))
		return false;
	memset(e, 0, sizeof(*e));
	memcpy(e->gid, g->gid, sizeof(g->gid));
	e->gid_index = index;
	e->port_num = 1;
	e->gid_type = g->type == IB_UVERBS_GID_TYPE_ROCE_V2 ? IB_UVERBS_GID_TYPE_ROCE_V2
							    : IB_UVERBS_GID_TYPE_ROCE_V1;
	return true;
}

int uverbs_query_gid_entry(struct uverbs_file *f, struct uverbs_request *req)
{
	uint64_t index = attr_value(req, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX);
	struct ib_uverbs_gid_entry e;
	uint64_t flags;
	int err = attr_flags(req, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, "QUERY_GID_ENTRY: FLAGS", 0,
			     &flags);

	if (!err)
		err = port_check(f, attr_value(req, UVERBS_ATTR_QUERY_GID_ENTRY_PORT));
	if (err)
		return err;
	if (index >= VHCA_GIDS)
		return refuse(-EINVAL, "QUERY_GID_ENTRY: gid_index %llu, the table has %u entries",
			      (unsigned long long)index, VHCA_GIDS);
	if (!gid_entry(f, (uint32_t)index, &e))
		return -ENODATA; /* not logged: programs scan the table this way */
	attr_out(req, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &e, sizeof(e));
	return 0;
}

/* Reports the table. Entries are padded with zeroes, or cut, to the size that the program gives. */
int uverbs_query_gid_table(struct uverbs_file *f, struct uverbs_request *req)
{
	struct uverbs_attr *out = attr_find(req, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES);
	uint64_t size = attr_value(req, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE);
	uint64_t flags, n = 0;
	struct ib_uverbs_gid_entry e;
	int err = attr_flags(req, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, "QUERY_GID_TABLE: FLAGS", 0,
			     &flags);

	if (err)
		return err;
	if (!size || !out->len || out->len % size)
		return refuse(-EINVAL, "QUERY_GID_TABLE: %u bytes for entries of %llu", out->len,
			      (unsigned long long)size);
	for (uint32_t i = 0; i < f->vhca->ngids; i++) {
		if (!gid_entry(f, i, &e))
			continue;
		if ((n + 1) * size > out->len)
			return refuse(
				-EINVAL,
				"QUERY_GID_TABLE: RESP_ENTRIES has %u bytes, too few for %llu each",
				out->len, (unsigned long long)size);
		memset(out->out + n * size, 0, size);
		memcpy(out->out + n * size, &e, size < sizeof(e) ? size : sizeof(e));
		n++;
	}
	out->written = (uint32_t)(n * size);
	out->valid_output = true;
	attr_out(req, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, &n, sizeof(n));
	return 0;
}

int port_resolve(const struct uverbs_file *f, const char *what, unsigned int sgid_index,
		 const uint8_t gid[16], uint8_t mac[6])
{
	int err = device_resolve(f->vhca->dev, &f->vhca->gids[sgid_index], gid, mac);

	if (err && err != -EINPROGRESS)
		sim_refuse("%s: dgid: nobody answers to this address", what);
	return err;
}
