/* SPDX-License-Identifier: BSD-2-Clause */
/* The search box of the index: all words must be in the name or the meaning, names come first. */
(function () {
	const box = document.getElementById("prm-search");
	const table = document.getElementById("prm-found");
	const most = 60;

	/* 0: the whole name, 1: its beginning, or that of a field's own; 2: in the name; 3: in the meaning; or undefined */
	function rank(row, words, whole) {
		const name = row[0].toLowerCase(), own = name.slice(name.indexOf(".") + 1);
		const all = name + " " + row[1].toLowerCase();

		if (!words.every((w) => all.includes(w)))
			return undefined;
		if (name === whole || own === whole)
			return 0;
		if (name.startsWith(whole) || own.startsWith(whole))
			return 1;
		return words.every((w) => name.includes(w)) ? 2 : 3;
	}

	function line(row) {
		const tr = document.createElement("tr"), link = document.createElement("a");

		link.href = row[2];
		link.textContent = row[0];
		tr.insertCell().append(link);
		tr.insertCell().textContent = row[1];
		return tr;
	}

	function search() {
		const whole = box.value.trim().toLowerCase(), words = whole.split(/\s+/);
		const hits = whole.length < 2 ? [] : prm_rows
			.map((row) => [rank(row, words, whole), row])
			.filter((hit) => hit[0] !== undefined)
			.sort((a, b) => a[0] - b[0] || a[1][0].length - b[1][0].length);

		table.replaceChildren(...hits.slice(0, most).map((hit) => line(hit[1])));
		if (whole.length >= 2)
			table.createCaption().textContent = hits.length > most ? hits.length + " found, the first " + most + ":" :
				hits.length + " found";
	}

	box.addEventListener("input", search);
	box.value = new URLSearchParams(location.search).get("q") || decodeURIComponent(location.hash.slice(1));
	search();
})();
