// Replaces the report with that of the latest check, and keeps the place on the page and what is open.
const PAUSE = 20; // milliseconds between two questions to `dojo watch`, which answers late where nothing is new
const LOST_AFTER = 4; // questions without an answer
let shown = Number(document.documentElement.dataset.check);
let unanswered = 0;

function say(text) {
  const state = document.getElementById("state");
  if (state.textContent !== text) state.textContent = text;
}

function summaries() {
  return [...document.querySelectorAll("details > summary")];
}

async function replace(check) {
  const answer = await fetch(location.pathname);
  if (!answer.ok) throw answer; // else it would ask again at once
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  shown = check;
  const open = summaries().filter((one) => one.parentElement.open).map((one) => one.textContent);
  const focus = document.activeElement.getAttribute("href") ?? "";
  const near = [...document.querySelectorAll("main [id]")].find((one) => one.getBoundingClientRect().bottom > 0);
  const top = near && near.getBoundingClientRect().top;
  document.title = next.title;
  for (const part of ["style", "header.top", "main", "footer"])
    document.querySelector(part).replaceWith(next.querySelector(part));
  for (const one of summaries()) one.parentElement.open = open.includes(one.textContent);
  const again = near && document.getElementById(near.id);
  if (again) scrollBy({ top: again.getBoundingClientRect().top - top, behavior: "instant" });
  const link = focus && document.querySelector(`a[href="${CSS.escape(focus)}"]`);
  if (link) link.focus({ preventScroll: true });
}

async function ask() {
  try {
    const news = await (await fetch(`state?${shown}`, { signal: AbortSignal.timeout(2000) })).json();
    if (news.check !== shown) await replace(news.check);
    unanswered = 0;
    say(news.state);
  } catch {
    unanswered += 1;
    if (unanswered >= LOST_AFTER)
      say("Connection lost: dojo watch does not answer. What you see may be old. Trying again …");
  }
  setTimeout(ask, unanswered ? 25 * PAUSE : PAUSE);
}

ask();
