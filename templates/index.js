"use strict";
// Sorts and filters the table of students; without it the table is complete and in order of name.
{
  const table = document.getElementById("students");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const heads = Array.from(table.tHead.rows[0].cells);
  const said = document.getElementById("shown");
  const filter = document.getElementById("filter");
  const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

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
      const keys = new Map(rows.map((row) => {
        const text = row.cells[column].textContent.trim();
        const figure = parseFloat(text.replace(/,/g, ""));
        return [row, numbers ? (Number.isNaN(figure) ? -Infinity : figure) : text];
      }));
      const compare = numbers
        ? (a, b) => { const x = keys.get(a), y = keys.get(b); return x < y ? -1 : x > y ? 1 : 0; }
        : (a, b) => order.compare(keys.get(a), keys.get(b));
      const sorted = rows.slice().sort((a, b) => (down ? compare(b, a) : compare(a, b)));
      const together = document.createDocumentFragment();
      for (const row of sorted) together.append(row);
      body.append(together);
    });
  });

  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    rows.forEach((row, at) => {
      const hit = words.every((word) => texts[at].includes(word));
      row.hidden = !hit;
      count += hit;
    });
    said.textContent = words.length ? `${count} of ${rows.length} shown` : "";
  };
  let waiting = 0;
  filter.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 120);
  });
  document.getElementById("tools").hidden = false;
  if (filter.value) show();
}
