# SPDX-License-Identifier: BSD-2-Clause
# Sources, documents, packages and examples: what is written agrees with what there is.
dist_check_SCRIPTS += tests/tree/attr_list.pl tests/tree/quickstart.sh tests/tree/packages.pl \
	tests/tree/layers.pl tests/tree/names.pl tests/tree/docs.pl tests/tree/headers.sh \
	tests/tree/symbols.sh tests/tree/manpages.sh tests/tree/platforms.sh tests/tree/ci_recipe.sh \
	tests/tree/readme.sh tests/tree/examples.sh
EXTRA_DIST += tests/tree/man_errors.pl
