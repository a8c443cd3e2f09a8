/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search's order and excerpts; Sphinx puts this file before its own searchtools.js. Manual and tutorial come first,
 * notes for dvx's developers last.
 */
const searchBonus = [
	[/^man\//, 20],
	[/^tutorial\//, 15],
	[/^(index|README|doc\/GLOSSARY|examples\/README)$/, 10],
	[/^(doc\/design\/|doc\/rdma-core|tests\/|CONTRIBUTING)/, -1000],
];

var Scorer = {
	score: ([page, , , , score]) => searchBonus.reduce((sum, [where, bonus]) => sum + (where.test(page) ? bonus : 0), score),
	objNameMatch: 11,
	objPartialMatch: 6,
	objPrio: { 0: 15, 1: 5, 2: -5 },
	objPrioDefault: 0,
	title: 15,
	partialTitle: 7,
	term: 5,
	partialTerm: 2,
};

/* The page's text without its headline, which the result's link has already. */
function searchText(page) {
	const main = new DOMParser().parseFromString(page, "text/html").querySelector("[role=main]");

	if (!main)
		return "";
	main.querySelectorAll("h1, .headerlink, script, style").forEach((element) => element.remove());
	return main.textContent.replace(/\s+/g, " ").trim();
}

/* Where the most words stand within one excerpt, the first of these places; 0 if none does. */
function searchPlace(text, words, length) {
	const lower = text.toLowerCase();
	let place = 0, most = 0;

	for (const word of words)
		for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
			const near = lower.slice(at, at + length);
			const found = [...words].filter((other) => near.includes(other)).length;

			if (found > most || (found === most && at < place))
				[place, most] = [at, found];
		}
	return place;
}

/* Sphinx's own takes the first place of one stem, which is often the headline. */
function searchSummary(page, stems) {
	const before = 60, length = 300;
	const text = searchText(page);
	const query = (new URLSearchParams(location.search).get("q") || "").toLowerCase();
	const words = query.split(/[^\w]+/).filter((word) => word && text.toLowerCase().includes(word));
	const place = searchPlace(text, words.length ? words : [...stems], length - before);
	const start = place > before ? text.lastIndexOf(" ", place - before) + 1 : 0;
	const summary = document.createElement("p");

	if (!text)
		return null;
	summary.classList.add("context");
	summary.textContent = (start ? "..." : "") + text.slice(start, start + length).trim() +
		(start + length < text.length ? "..." : "");
	return summary;
}

document.addEventListener("DOMContentLoaded", () => (Search.makeSearchSummary = searchSummary));
