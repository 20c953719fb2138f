"use strict";
// Sorts every table, and searches that of the students; without it the tables are complete and in order.
{
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  // What a row's cells say, read once: reading ten thousand rows takes longer than sorting them.
  const read = new Map();
  const texts = (row) => {
    if (!read.has(row)) {
      const cells = Array.from(row.cells, (cell) => cell.textContent.trim());
      read.set(row, { cells, all: cells.join(" ").toLowerCase() });
    }
    return read.get(row);
  };

  // The rows of a table in ascending order by a column, sorted on first use; `given` is the column they are sorted by.
  const orders = (rows, numeric, given) => {
    const made = new Map([[given, rows]]);
    return (column) => {
      if (!made.has(column)) {
        const keyed = rows.map((row) => [texts(row).cells[column], row]);
        const different = [...new Set(keyed.map(([text]) => text))];
        const figure = new Map(different.map((text) => [text, parseFloat(text)]));
        const low = (text) => (Number.isNaN(figure.get(text)) ? -Infinity : figure.get(text));
        const ascending = numeric[column] ? (a, b) => (low(a) < low(b) ? -1 : low(a) > low(b) ? 1 : 0) : collator.compare;
        const rank = new Map(different.sort(ascending).map((text, at) => [text, at]));
        for (const pair of keyed) pair[0] = rank.get(pair[0]);
        made.set(column, keyed.sort((a, b) => a[0] - b[0]).map((pair) => pair[1]));
      }
      return made.get(column);
    };
  };

  // Makes the heads of a table buttons that sort it; `show` gets its rows in their new order.
  const sortable = (table, rows, show) => {
    const heads = Array.from(table.tHead.rows[0].cells);
    const numeric = heads.map((head) => head.classList.contains("num"));
    const ascending = orders(rows, numeric, heads.findIndex((head) => head.ariaSort === "ascending"));
    heads.forEach((head, column) => {
      if (head.classList.contains("unsorted")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const was = head.getAttribute("aria-sort");
        const down = was ? was === "ascending" : numeric[column]; // figures: the largest first
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        show(down ? ascending(column).toReversed() : ascending(column));
      });
    });
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const [body] = table.tBodies;
    sortable(table, Array.from(body.rows), (rows) => body.replaceChildren(...rows));
  }

  const table = document.getElementById("students");
  const [body, rest] = table.tBodies;
  const search = document.getElementById("search");
  const said = document.getElementById("shown");
  const more = document.getElementById("more");
  const all = Array.from(table.tBodies).flatMap((part) => Array.from(part.rows));
  const atOnce = body.rows.length; // laid out at a time: a table of ten thousand would answer a click after seconds
  let rows = all;
  let limit = atOnce;
  if (rest) rest.remove();

  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = rows.filter((row) => words.every((word) => texts(row).all.includes(word)));
    body.replaceChildren(...hits.slice(0, limit));
    const found = hits.length < all.length ? `${hits.length} of ${all.length} match` : `${all.length} student${all.length === 1 ? "" : "s"}`;
    said.textContent = limit < hits.length ? `${found}, ${limit} shown` : hits.length < all.length ? found : "";
    more.hidden = hits.length <= limit;
  };
  const anew = () => {
    limit = atOnce;
    show();
  };

  sortable(table, all, (sorted) => {
    rows = sorted;
    anew();
  });
  search.addEventListener("input", anew);
  more.addEventListener("click", () => {
    limit *= 2;
    show();
  });
  addEventListener("beforeprint", () => {
    limit = Infinity;
    show();
  });
  addEventListener("keydown", (event) => {
    const open = event.key === "Escape" && event.target.closest?.("details[open]");
    if (!open) return;
    open.open = false;
    open.firstElementChild.focus();
  });
  document.getElementById("tools").hidden = false;
  show();
  // all rows are read while nobody waits for it
  const ahead = (from) => {
    all.slice(from, from + 250).forEach(texts);
    if (from + 250 < all.length) setTimeout(ahead, 0, from + 250);
  };
  setTimeout(ahead, 0, 0);
}
