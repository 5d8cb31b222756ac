// A run that goes on: its events as they come, and its page again when it is over.

const MOST_SHOWN = 50;
const SAY_EVERY_MS = 5000; // to readers of screens

const panel = document.querySelector("[data-live]");
const head = panel.querySelector("h2");
const bar = panel.querySelector("progress");
const count = panel.querySelector("[data-count]");
const statuses = panel.querySelector("[data-statuses]");
const failures = panel.querySelector("[data-failures]");
const said = panel.querySelector("[data-said]");
const problem = panel.querySelector(".problem");

const seen = new Map(); // how many trials have which status
const waiting = []; // trials that did not pass and are not shown yet
let done = Number(bar.value);
let trials = Number(panel.dataset.trials);
let drawing = false;
let toldAt = 0;

function cell(content, css = "") {
  const made = document.createElement("td");
  made.className = css;
  made.append(content);
  return made;
}

function rowOf(trial) {
  const row = document.createElement("tr");
  const status = document.createElement("span");
  status.className = `tag s-${trial.status}`;
  status.textContent = trial.status.replaceAll("_", " ");
  row.append(cell(`${trial.caseId}, trial ${trial.number}`), cell(status), cell(trial.reason, "why"));
  return row;
}

function draw() {
  drawing = false;
  bar.max = Math.max(trials, 1);
  bar.value = done;
  count.textContent = `${done} of ${trials} trials`;
  statuses.textContent = [...seen].map(([name, number]) => `${number} ${name.replaceAll("_", " ")}`).join(", ");
  if (waiting.length) {
    failures.querySelector("td[colspan]")?.parentElement.remove();
    failures.prepend(...waiting.splice(0).slice(-MOST_SHOWN).reverse().map(rowOf));
    while (failures.rows.length > MOST_SHOWN) failures.lastElementChild.remove();
  }
  if (Date.now() - toldAt > SAY_EVERY_MS) {
    toldAt = Date.now();
    said.textContent = `${count.textContent}, ${statuses.textContent}`;
  }
}

function later() {
  if (!drawing) requestAnimationFrame(draw);
  drawing = true;
}

const events = new EventSource(panel.dataset.live);
events.addEventListener("started", (event) => {
  const data = JSON.parse(event.data);
  trials = data.trials;
  done = data.done;
  head.textContent = "Running";
  later();
});
events.addEventListener("trial", (event) => {
  const data = JSON.parse(event.data);
  done = data.done;
  trials = data.trials;
  seen.set(data.status, (seen.get(data.status) ?? 0) + 1);
  if (data.status !== "pass") waiting.push(data);
  later();
});
events.addEventListener("warning", (event) => {
  problem.textContent = JSON.parse(event.data).message;
  problem.hidden = false;
});
events.addEventListener("finished", () => {
  events.close();
  said.textContent = "The run is over.";
  location.reload();
});
events.addEventListener("error", () => {
  if (events.readyState === EventSource.CLOSED) location.reload();
});
