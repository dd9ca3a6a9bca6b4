"use strict";
// Tables can be sorted by a heading and saved as CSV; the decision threshold of a classifier can be chosen by error costs.
const shown = cell => (cell.dataset.value ?? cell.textContent).trim();
const value = cell => { const text = shown(cell); const number = Number(text.replace(/^< /, "")); return text !== "" && !Number.isNaN(number) ? number : text; };
function sort(table, column, heading) {
  const down = heading.getAttribute("aria-sort") === "ascending";
  table.querySelectorAll("thead th").forEach(other => other.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => { const [x, y] = [value(a.cells[column]), value(b.cells[column])];
    if (x === "" || y === "") return (x === "") - (y === "");
    return (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y))) * (down ? -1 : 1); });
  table.tBodies[0].append(...rows);
}
// A cell that a spreadsheet would take for a formula is escaped; numbers and intervals are not formulas.
const formula = /^(?:[\s']*[=+\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n])/;
const numbers = /^[+-]?[\d.,]*\d[\d.,]*(?:e[+-]?\d+)?%?(?: to [+-]?[\d.,]*\d[\d.,]*(?:e[+-]?\d+)?)?$/i;
const safe = text => formula.test(text) && !numbers.test(text) ? `'${text}` : text;
const quoted = text => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const saved = table => [...table.rows].map(row => [...row.cells].map(cell => quoted(safe(shown(cell)))).join(",") + "\n").join("");
function save(table) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff", saved(table)], { type: "text/csv" }));
  link.download = `${table.id}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
const pressed = [];  // headings with their buttons
const withButton = ([heading, button]) => { button.append(...heading.childNodes); heading.append(button); };
const withoutButton = ([heading, button]) => heading.replaceChildren(...button.childNodes);
for (const table of document.querySelectorAll("table")) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.addEventListener("click", () => sort(table, column, heading));
    pressed.push([heading, button]);
  });
  const button = document.createElement("button");
  button.type = "button"; button.className = "save"; button.textContent = "Save as CSV";
  button.setAttribute("aria-label", `Save the table ${table.id} as CSV`);
  button.addEventListener("click", () => save(table));
  table.closest(".scroll").after(button);
}
const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
const chooser = document.getElementById("chooser");
if (chooser) {
  const points = JSON.parse(chooser.dataset.points), costs = ["#false-positive", "#false-negative"].map(id => chooser.querySelector(id));
  const choose = () => {
    const cost = ([, positives, negatives]) => positives * costs[0].valueAsNumber + negatives * costs[1].valueAsNumber;
    const best = points.reduce((a, b) => cost(b) < cost(a) ? b : a);
    const when = best[0] === null ? `Never predict ${chooser.dataset.positive}` : `Predict ${chooser.dataset.positive} from a probability of ${best[0]} on`;
    chooser.querySelector("output").textContent = Number.isFinite(cost(best))
      ? `${when}: ${counted(best[1], "false positive")} and ${counted(best[2], "false negative")} among the out-of-fold predictions, cost ${cost(best).toLocaleString("en")}.`
      : "Enter both costs as numbers.";
  };
  chooser.addEventListener("input", choose);
  chooser.addEventListener("submit", event => event.preventDefault());
  choose();
}
pressed.forEach(withButton);
// In print, folded details are open, and table headings are plain text, as headings with buttons are not repeated on every page.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach(part => { part.open = true; });
  pressed.forEach(withoutButton);
});
addEventListener("afterprint", () => { folded.forEach(part => { part.open = false; }); pressed.forEach(withButton); });
