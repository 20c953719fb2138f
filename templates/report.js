"use strict";
// Escape puts away what the graph shows about a box, until the focus or the pointer moves on. All else works without.
const quiet = document.body.classList;
addEventListener("keydown", (event) => {
  if (event.key === "Escape") quiet.add("quiet");
});
addEventListener("focusin", () => quiet.remove("quiet"));
addEventListener("pointermove", (event) => {
  if (event.movementX || event.movementY) quiet.remove("quiet"); // a page that scrolls under it moves no pointer
});
