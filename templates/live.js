"use strict";
// Shows what `dojo watch` sends: a board for each check, and the gradient that is chosen.
const by = (id) => document.getElementById(id);
const LOST_AFTER = 6000; // milliseconds without a sign of life, which comes every two seconds
let board = null; // the latest check
let chosen = ""; // the row that is looked at
let place = ""; // the element that is looked at, "row,column"
let asked = 0;
let heard = Date.now();
let source = null;

function swap(part, html) {
  const id = document.activeElement && document.activeElement.id;
  const link = document.activeElement && document.activeElement.getAttribute("href");
  const open = [...part.querySelectorAll("details[open] > summary")].map((one) => one.textContent);
  part.innerHTML = html;
  for (const one of part.querySelectorAll("details > summary")) one.parentElement.open = open.includes(one.textContent);
  if (document.activeElement !== document.body) return;
  const again = (id && by(id)) || (link && part.querySelector(`a[href="${CSS.escape(link)}"]`));
  if (again) again.focus({ preventScroll: true });
}

function say(text, kind) {
  const state = by("state");
  state.className = `state ${kind}`;
  if (state.textContent !== text) state.textContent = text;
  document.body.classList.toggle("stale", kind === "lost");
  document.body.classList.toggle("running-check", kind === "running");
}

function lost() {
  const when = board ? ` What you see is from ${board.time}.` : "";
  say(`Connection lost: dojo watch does not answer.${when} Trying again …`, "lost");
}

function current() {
  return board ? board.rows.findIndex((row) => row.name === chosen) : -1;
}

async function look() {
  const at = current();
  const slider = by("step");
  if (at < 0) return;
  const row = board.rows[at];
  slider.value = at;
  slider.setAttribute("aria-valuetext", `${row.name}: ${row.word}, ${at + 1} of ${board.rows.length}`);
  for (const node of document.querySelectorAll("a.node")) {
    const own = node.getAttribute("href") === `#${row.anchor}`;
    node.classList.toggle("selected", own);
    if (own) node.setAttribute("aria-current", "true");
    else node.removeAttribute("aria-current");
  }
  const number = ++asked;
  const words = new URLSearchParams({ row: row.name, at: place, chain: by("chain").checked ? "1" : "" });
  try {
    const answer = await fetch(`gradient?${words}`);
    const html = await answer.text();
    if (number === asked && answer.ok) swap(by("gradient"), html);
  } catch {
    // the next sign of life, or its absence, says what happened
  }
}

function choose(name) {
  chosen = name;
  place = "";
  look();
}

function step(by_) {
  const next = Math.min(Math.max(current() + by_, 0), board.rows.length - 1);
  choose(board.rows[next].name);
}

function show(event) {
  heard = Date.now();
  const news = JSON.parse(event.data);
  if (news.board) {
    board = news.board;
    board.focus = news.focus;
    document.title = board.title;
    swap(by("top"), board.top);
    const unfolded = Array.from(by("graph").querySelectorAll("details"), (one) => one.open);
    swap(by("graph"), board.graph);
    by("graph").querySelectorAll("details").forEach((one, at) => { one.open = unfolded[at]; });
    swap(by("rows"), board.table);
    showQuestions(board.lesson);
    by("bench").hidden = !board.rows.length && !board.message;
    by("step").max = Math.max(0, board.rows.length - 1);
    by("step").disabled = !board.rows.length;
    if (board.message) {
      asked += 1;
      swap(by("gradient"), board.message);
    } else if (board.rows.length) {
      place = "";
      chosen = board.focus || (current() < 0 ? board.rows[0].name : chosen);
      look();
    }
  } else if (board && news.focus && news.focus !== board.focus) {
    board.focus = news.focus;
    choose(news.focus);
  }
  if (news.running) say(news.running, news.outdated ? "running" : "searching");
  else if (news.trouble) say(news.trouble, "running");
  else if (board) {
    const row = board.rows.find((one) => one.name === board.focus);
    say(`${row ? `${row.name}: ${row.word}. ` : ""}${board.words} at ${board.time}.`, "");
  }
}

function connect() {
  if (source) source.close();
  source = new EventSource("events");
  source.addEventListener("view", show);
  source.addEventListener("beat", () => {
    heard = Date.now();
  });
  source.onerror = lost;
}

setInterval(() => {
  if (source.readyState === EventSource.CLOSED) connect();
  else if (Date.now() - heard > LOST_AFTER) {
    lost();
    heard = Date.now();
    connect();
  }
}, 1000);

by("earlier").addEventListener("click", () => step(-1));
by("later").addEventListener("click", () => step(1));
by("step").addEventListener("input", (event) => choose(board.rows[Number(event.target.value)].name));
by("chain").addEventListener("change", look);
by("graph").addEventListener("click", (event) => {
  const node = event.target.closest("a.node");
  const row = node && board.rows.find((one) => node.getAttribute("href") === `#${one.anchor}`);
  if (!row) return;
  event.preventDefault();
  choose(row.name);
});
by("rows").addEventListener("click", (event) => {
  const link = event.target.closest("th a");
  const row = link && board.rows.find((one) => one.anchor === link.closest("tr").id);
  if (!row) return;
  event.preventDefault();
  choose(row.name);
  by("look-title").scrollIntoView();
  by("gradient").focus({ preventScroll: true });
});
by("gradient").addEventListener("click", (event) => {
  const map = event.target.closest("svg.choose");
  if (event.target.id === "first-wrong") {
    place = "";
    look();
  } else if (map) {
    const box = map.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * map.dataset.rows);
    const column = Math.floor(((event.clientX - box.left) / box.width) * map.dataset.columns);
    place = `${row + Number(map.dataset.row)},${column + Number(map.dataset.column)}`;
    look();
  }
});
by("gradient").addEventListener("submit", (event) => {
  event.preventDefault();
  place = `${by("place-row") ? by("place-row").value : 0},${by("place-column") ? by("place-column").value : 0}`;
  look();
});
connect();
