/* SPDX-License-Identifier: BSD-2-Clause */
/* Debian 12's furo has no style for its theme "auto": it becomes the one that the browser prefers. */
document.addEventListener("DOMContentLoaded", function () {
	const dark = matchMedia("(prefers-color-scheme: dark)");

	function decide() {
		if (document.body.dataset.theme === "auto")
			document.body.dataset.theme = dark.matches ? "dark" : "light";
	}

	decide();
	new MutationObserver(decide).observe(document.body, { attributeFilter: ["data-theme"] });
});
