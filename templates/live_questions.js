"use strict";
// The questions of the lesson that is shown. A check never changes them, so an answer that is half typed stays.
const sheets = new Map(); // {lesson: its part of the page}; that of another lesson is hidden
const NO_SERVER = "Not stored: dojo watch does not answer. Start it again, then answer again.";

async function showQuestions(lesson, student = "") {
  for (const [name, one] of sheets) one.hidden = name !== lesson;
  const known = sheets.get(lesson);
  by("to-questions").hidden = !(known && known.childElementCount);
  if (known && !student) return false;
  const sheet = known || document.createElement("section");
  if (!known) {
    sheet.dataset.lesson = lesson;
    sheets.set(lesson, sheet);
    by("questions").append(sheet);
  }
  try {
    const found = await fetch(`questions?${new URLSearchParams({ lesson, student })}`);
    if (!found.ok) throw new Error(found.statusText);
    const posed = await found.json();
    sheet.innerHTML = posed.html;
    sheet.dataset.student = posed.student;
    const count = sheet.querySelector(".count");
    if (count) count.innerHTML = posed.count;
    for (const form of sheet.querySelectorAll("form.question")) fill(form, posed.given[form.dataset.question]);
    if (!sheet.hidden) by("to-questions").hidden = !posed.html;
    return true;
  } catch {
    if (!known) {
      sheets.delete(lesson); // the next check tries again
      sheet.remove();
    }
    return false;
  }
}

function fill(form, given) {
  if (given === undefined) return;
  if (form.dataset.kind === "order") {
    const list = form.querySelector("ol");
    for (const id of given) list.append([...list.children].find((one) => one.dataset.choice === id));
  } else if (Array.isArray(given)) {
    for (const box of form.querySelectorAll("input")) box.checked = given.includes(box.value);
  } else {
    form.elements.answer.value = given;
  }
}

function answerOf(form) {
  if (form.dataset.kind === "order") return Array.from(form.querySelectorAll("li"), (one) => one.dataset.choice).join(", ");
  if (form.querySelector("fieldset")) return Array.from(form.querySelectorAll("input:checked"), (one) => one.value).join(", ");
  return form.elements.answer.value;
}

async function send(form) {
  const sheet = form.closest("section");
  const outcome = form.querySelector(".outcome");
  if (form.dataset.sending) return;
  form.dataset.sending = "1";
  outcome.classList.remove("old");
  outcome.textContent = "Storing …"; // the same outcome twice is announced twice
  const { lesson, student } = sheet.dataset;
  const body = JSON.stringify({ lesson, student, question: form.dataset.question, answer: answerOf(form) });
  try {
    const reply = await fetch("answer", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    if (reply.ok) {
      const said = await reply.json();
      outcome.innerHTML = said.outcome;
      if (said.count) sheet.querySelector(".count").innerHTML = said.count;
    } else {
      outcome.textContent = `Not stored: ${(await reply.text()).trim()}`;
    }
  } catch {
    outcome.textContent = NO_SERVER;
  }
  delete form.dataset.sending;
}

function move(button) {
  const item = button.closest("li");
  const other = button.className === "up" ? item.previousElementSibling : item.nextElementSibling;
  if (other && button.className === "up") other.before(item);
  else if (other) other.after(item);
  button.focus();
  const list = [...item.parentElement.children];
  const text = item.querySelector(".text").textContent;
  item.closest("form").querySelector(".moved").textContent = `${list.indexOf(item) + 1} of ${list.length}: ${text}`;
}

function outdated(event) {
  const form = event.target.closest("form.question");
  if (form) form.querySelector(".outcome").classList.add("old");
}

by("questions").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  if (form.classList.contains("question")) {
    send(form);
  } else if (await showQuestions(form.closest("section").dataset.lesson, form.elements.student.value)) {
    const title = by("questions").querySelector("section:not([hidden]) h2");
    if (title) title.focus();
  }
});
by("questions").addEventListener("input", outdated);
by("questions").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.closest(".moves")) {
    move(button);
    outdated(event);
  } else if (button.className === "again") {
    const { lesson } = button.closest("section").dataset;
    button.closest("section").remove();
    sheets.delete(lesson);
    showQuestions(lesson);
  }
});
