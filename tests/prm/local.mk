# SPDX-License-Identifier: BSD-2-Clause
# The PRM's tables, and dvx-prm, which reads with them.
PRM_TESTS += tests/prm/accessors tests/prm/reflect tests/prm/explain_fit tests/prm/explain_corpus \
	tests/prm/explain_cut
dist_check_SCRIPTS += tests/prm/gen.pl tests/prm/witness.pl tests/prm/asm.sh tests/prm/export.py \
	tests/prm/pages.py tests/prm/dvx_prm.sh tests/prm/dvx_prm_explain.sh tests/prm/public.sh \
	tests/prm/said.sh
EXTRA_DIST += tests/prm/explain.corpus tests/prm/WitnessNames.pm
