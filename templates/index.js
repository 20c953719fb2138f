"use strict";
// Sorts and filters the table of students; without it the table is complete and in order of name.
{
  const AT_ONCE = 200; // rows laid out at a time: a table of ten thousand would answer a click after seconds
  const table = document.getElementById("students");
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  const filter = document.getElementById("filter");
  const said = document.getElementById("shown");
  const more = document.getElementById("more");
  const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  let rows = Array.from(body.rows);
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  let limit = AT_ONCE;

  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = rows.filter((row) => words.every((word) => texts.get(row).includes(word)));
    const shown = new Set(hits.slice(0, limit));
    for (const row of rows) if (row.hidden === shown.has(row)) row.hidden = !row.hidden;
    const together = document.createDocumentFragment();
    for (const row of shown) together.append(row);
    body.prepend(together);
    const match = words.length ? `${hits.length} of ${rows.length} match` : `${rows.length} students`;
    said.textContent = shown.size < hits.length ? `${match}, ${shown.size} shown` : words.length ? match : "";
    more.hidden = shown.size === hits.length;
  };

  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const numbers = head.classList.contains("num");
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort");
      const down = was ? was === "ascending" : numbers; // figures: the largest first
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => {
        const text = row.cells[column].textContent.trim();
        const figure = parseFloat(text);
        return numbers ? (Number.isNaN(figure) ? -Infinity : figure) : text;
      };
      const compare = numbers ? (a, b) => (a < b ? -1 : a > b ? 1 : 0) : order.compare;
      const sign = down ? -1 : 1;
      rows = rows.map((row) => [key(row), row]).sort((a, b) => sign * compare(a[0], b[0])).map((pair) => pair[1]);
      limit = AT_ONCE;
      show();
    });
  });

  let waiting = 0;
  filter.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { limit = AT_ONCE; show(); }, 120);
  });
  more.addEventListener("click", () => { limit *= 2; show(); });
  addEventListener("beforeprint", () => { limit = rows.length; show(); });
  document.getElementById("tools").hidden = false;
  show();
}
