// What the pages do beside being read: filters without a reload, orders to the server, choosing runs.
import { send, show } from "./requests.js";

const PAUSE_MS = 200; // after the last key, before the server is asked

function problemFor(element) {
  return (element.closest("form") ?? document).querySelector(".problem") ?? document.querySelector(".problem");
}

async function order(element, work) {
  const problem = problemFor(element);
  const button = element.matches("button") ? element : element.querySelector("[type=submit]");
  if (problem) problem.hidden = true;
  button.disabled = true;
  try {
    await work();
  } catch (error) {
    button.disabled = false;
    if (problem) show(problem, error);
    else throw error;
  }
}

// A form of filters replaces the part of the page that it names by that of the answer.
function startFilter(form) {
  const place = form.dataset.filter;
  let newest = 0;
  let timer;
  async function update() {
    const asked = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value !== "") asked.set(name, value);
    const address = `${location.pathname}?${asked}`;
    const mine = (newest += 1);
    const answer = await fetch(address, { credentials: "same-origin" }).catch(() => null);
    if (mine !== newest) return; // a later one was asked for meanwhile
    if (!answer?.ok) return location.assign(address);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== newest) return;
    const found = page.querySelector(place);
    if (!found) return location.assign(address);
    document.querySelector(place).replaceWith(found);
    history.replaceState(null, "", address);
    startComparing();
  }
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(update, PAUSE_MS);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    update();
  });
}

function startFocusKey() {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, [contenteditable]");
    const search = document.querySelector("[data-filter] input[type=search]");
    if (event.key !== "/" || typing || !search || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
  });
}

// Two runs are ticked; the older one, further down in the list, is the baseline.
function startComparing() {
  const form = document.querySelector("[data-compare]");
  if (!form) return;
  const button = form.querySelector("[data-compare-button]");
  const ticked = () => [...form.querySelectorAll("[data-run]:checked")].map((box) => box.dataset.run);
  const update = () => {
    button.disabled = ticked().length !== 2;
  };
  form.addEventListener("change", update);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [candidate, baseline] = ticked();
    location.assign(`/compare?${new URLSearchParams({ baseline, candidate })}`);
  });
  update();
}

const NUMBERS = new Set(["trials", "limit", "concurrency"]);
const LISTS = new Set(["ids", "category"]);

function runOrder(form) {
  const asked = {};
  for (const [name, value] of new FormData(form)) {
    const text = value.trim();
    if (text === "") continue;
    if (NUMBERS.has(name)) asked[name] = Number(text);
    else if (LISTS.has(name)) asked[name] = name === "ids" ? text.split(/[\s,]+/).filter(Boolean) : [text];
    else asked[name] = text;
  }
  return asked;
}

for (const form of document.querySelectorAll("[data-filter]")) startFilter(form);
startFocusKey();
startComparing();

for (const form of document.querySelectorAll("[data-start]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    order(form, async () => {
      const run = await send("POST", form.dataset.start, runOrder(form));
      location.assign(`/runs/${encodeURIComponent(run.runId)}`);
    });
  });
}

for (const form of document.querySelectorAll("[data-send]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    order(form, async () => {
      await send("POST", form.dataset.send, Object.fromEntries(new FormData(form)));
      location.reload();
    });
  });
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.delete && confirm(button.dataset.confirm)) {
    order(button, async () => {
      await send("DELETE", button.dataset.delete);
      location.reload();
    });
  } else if (button?.dataset.cancel) {
    order(button, () => send("POST", button.dataset.cancel));
  } else if (button?.hasAttribute("data-copy")) {
    const text = button.previousElementSibling;
    navigator.clipboard.writeText(text.textContent).then(
      () => { button.textContent = "Copied"; },
      () => getSelection().selectAllChildren(text), // where copying is not allowed it is selected
    );
  } else if (button?.hasAttribute("data-sign-out")) {
    order(button, async () => {
      await send("POST", "/sign-out");
      location.assign("/");
    });
  }
});
