# SPDX-License-Identifier: BSD-2-Clause
dist_man_MANS += doc/man/dvx.7 doc/man/dvx-perf.1 doc/man/dvx-prm.1 doc/man/dvx-sim.1 doc/man/dvx-check.1 doc/man/dvx-verify.1
dist_man_MANS += \
	doc/man/libdvx.3 doc/man/dvx_channel_open.3 doc/man/dvx_clock_read.3 doc/man/dvx_cmd.3 doc/man/dvx_cq_create.3 doc/man/dvx_events_open.3 \
	doc/man/dvx_cq_poll.3 doc/man/dvx_dev_open.3 doc/man/dvx_aso_create.3 doc/man/dvx_flow_action_create_drop.3 doc/man/dvx_flow_action_create_modify.3 \
	doc/man/dvx_flow_domain_create.3 doc/man/dvx_flow_match_set.3 doc/man/dvx_flow_rule_create.3 \
	doc/man/dvx_rxq_create.3 doc/man/dvx_txq_create.3 doc/man/dvx_mkey_create.3 doc/man/dvx_pd_alloc.3 \
	doc/man/dvx_ah_init.3 doc/man/dvx_post_cas.3 doc/man/dvx_post_umr_list.3 doc/man/dvx_post_write.3 doc/man/dvx_qp_connect.3 doc/man/dvx_qp_create.3 doc/man/dvx_rq_post.3 doc/man/dvx_sq_leave.3 doc/man/dvx_srq_create.3 doc/man/dvx_wqe_ctrl.3
dist_man_MANS += doc/man/dvx_template_write.3 doc/man/dvx_post_bind.3 doc/man/dvx_umr_pool_create.3 doc/man/dvx_mkey_create_sig.3 doc/man/dvx_dek_create.3
dist_man_MANS += doc/man/dvx_dct_create.3 doc/man/dvx_hws_image_make.3 doc/man/dvx_rules_create.3 doc/man/dvx_post_wait.3 doc/man/dvx_post_xrc_send.3
EXTRA_DIST += \
	doc/GLOSSARY.md doc/design \
	doc/programs.md doc/rooms.pl doc/rooms.svg \
	doc/dvx-check-programs.md doc/rdma-core-tests.md doc/rdma-core-newest-tests.md \
	doc/hardware-to-verify.md doc/first-nic.md \
	doc/syndromes.md

# `man dvx_post_send` finds dvx_post_write.3: a page of one line for each further name.
install-data-hook:
	cd '$(DESTDIR)$(man3dir)' && for page in dvx_*.3; do \
		for name in `$(SED) -n '/^\.SH NAME/,/ \\\\- /{s/ \\\\-.*//;/^\./!s/,//gp;}' $$page`; do \
			test -e $$name.3 || echo ".so man3/$$page" >$$name.3; \
		done; \
	done
uninstall-hook:
	rm -f '$(DESTDIR)$(man3dir)'/dvx_*.3
