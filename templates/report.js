"use strict";
// Escape puts away what the graph shows about a box, until the pointer or the focus moves on. All else works without.
addEventListener("keydown", (event) => {
  if (event.key === "Escape") document.body.classList.add("quiet");
});
for (const kind of ["pointerover", "focusin"]) addEventListener(kind, () => document.body.classList.remove("quiet"));
