/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments: values of rules' rewrites, which requests write. */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/object.h>
#include "hws.h"

#define HWS_ARG_CHANGES (DVX_ARG_BYTES / DVX_FLOW_REWRITE_BYTES)

struct dvx_hws_args {
	struct dvx_flow_domain *domain;
	struct hws_object range;
	uint32_t n;
	int refs;
};

int dvx_hws_argument_create(const struct dvx_flow_domain *domain, uint32_t n,
			    struct hws_object *out)
{
	uint8_t in[PRM_CREATE_MODIFY_HEADER_ARG_IN_BYTES] = {0};
	uint32_t log = dvx_log2_up(n), least, most;
	const void *cap;
	int err = dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err)
		return err;
	least = prm_cmd_hca_cap_get_log_header_modify_argument_granularity(cap) -
		prm_cmd_hca_cap_get_log_header_modify_argument_granularity_offset(cap);
	most = prm_cmd_hca_cap_get_log_header_modify_argument_max_alloc(cap);
	if (log > most)
		return dvx_fail(ERANGE,
				"hardware steering: %u arguments: "
				"log_header_modify_argument_max_alloc of %s allows %u",
				n, dvx_dev_name(domain->dev), 1u << most);
	prm_modify_header_arg_set_access_pd(prm_create_modify_header_arg_in_at_arg(in),
					    hws_domain(domain)->queue.pd->pdn);
	return dvx_hws_object_create(domain->dev, PRM_OBJ_TYPE_HEADER_MODIFY_ARGUMENT,
				     log < least ? least : log, in, sizeof(in), out);
}

static int hws_args_check(const struct dvx_flow_domain *domain, const char *call)
{
	if (domain->backend == &dvx_flow_hws)
		return 0;
	return dvx_fail(EINVAL, "%s: domain has no DVX_FLOW_HARDWARE", call);
}

int dvx_hws_args_create(struct dvx_flow_domain *domain, uint32_t n, struct dvx_hws_args **out)
{
	int err = dvx_check_not_null("dvx_hws_args_create", "domain", domain, "out", out, NULL);
	struct dvx_hws_args *args;

	if (!err)
		err = hws_args_check(domain, "dvx_hws_args_create");
	if (err)
		return err;
	args = calloc(1, sizeof(*args));
	if (!args)
		return dvx_fail(ENOMEM, "no memory for arguments");
	args->domain = domain;
	args->n = n ? n : 1;
	err = dvx_hws_argument_create(domain, args->n, &args->range);
	if (err) {
		free(args);
		return err;
	}
	dvx_ref(&domain->refs);
	*out = args;
	return 0;
}

int dvx_hws_args_destroy(struct dvx_hws_args *args)
{
	int err;

	if (!args)
		return 0;
	if (dvx_in_use(&args->refs))
		return dvx_fail(EBUSY, "arguments: %d actions still use them", args->refs);
	err = dvx_hws_object_destroy(&args->range);
	if (err)
		return err;
	dvx_unref(&args->domain->refs);
	free(args);
	return 0;
}

uint32_t dvx_hws_args_id(const struct dvx_hws_args *args, uint32_t number)
{
	if (number < args->n)
		return args->range.id + number;
	dvx_fail(ERANGE, "dvx_hws_args_id: number %u is not below %u, the number of arguments",
		 number, args->n);
	return UINT32_MAX;
}

/* The action is a rewrite whose list has another argument. */
int dvx_hws_action_create_modify(struct dvx_flow_domain *domain,
				 const struct dvx_flow_rewrites *list, struct dvx_hws_args *args,
				 struct dvx_flow_action **out)
{
	int err = dvx_check_not_null("dvx_hws_action_create_modify", "domain", domain, "list", list,
				     "args", args, "out", out, NULL);

	if (!err)
		err = hws_args_check(domain, "dvx_hws_action_create_modify");
	if (!err && args->domain != domain)
		err = dvx_fail(EINVAL, "dvx_hws_action_create_modify: args is not of this domain");
	if (!err && list->count > HWS_ARG_CHANGES)
		err = dvx_fail(E2BIG,
			       "dvx_hws_action_create_modify: list.count is %u: an argument has "
			       "the values of %u changes",
			       list->count, HWS_ARG_CHANGES);
	if (!err)
		err = dvx_flow_action_create_modify(domain, list, out);
	if (err)
		return err;
	(*out)->object = args->range.id;
	(*out)->target = &args->refs;
	dvx_ref(&args->refs);
	return 0;
}
