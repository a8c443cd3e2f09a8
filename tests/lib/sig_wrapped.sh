#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Signatures and encryption once more on a chip whose keys come wrapped, after a login.
exec "${top_builddir:?}/tools/dvx-sim/dvx-sim" run --set crypto_wrapped=1 -- "$top_builddir/tests/lib/lib_sig"
