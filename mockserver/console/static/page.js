// What every page can do: tell, load a part of itself anew, copy, filter rows.

import { send } from "./server.js";

let clearing = 0;

/** Says something at the foot of the page, for screen readers as well. */
export function tell(text, { failed = false } = {}) {
  const status = document.getElementById("status");
  status.textContent = text;
  status.classList.toggle("failed", failed);
  clearTimeout(clearing);
  clearing = setTimeout(() => { status.textContent = ""; }, failed ? 12000 : 4000);
}

/** This page, or another one, as a document; it is our own HTML, and no script of it runs. */
export async function load(path = location.href) {
  const answer = await send("GET", path);
  const found = new DOMParser().parseFromString(await answer.text(), "text/html");
  return { found, status: answer.status };
}

/** Puts the content of an element of the page as it is now in place of what is shown. */
export async function renew(selector) {
  const { found, status } = await load();
  const fresh = found.querySelector(selector);
  const shown = document.querySelector(selector);
  if (status !== 200 || !fresh || !shown) return;
  const focused = shown.contains(document.activeElement)
    ? document.activeElement.getAttribute("href") : null;
  shown.replaceChildren(...fresh.childNodes);
  if (focused) {
    [...shown.querySelectorAll("a")].find((a) => a.getAttribute("href") === focused)?.focus();
  }
}

export function copies(button) {
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    const text = source.value ?? source.textContent;
    try {
      await navigator.clipboard.writeText(text);
      tell("Copied.");
    } catch {
      getSelection().selectAllChildren(source);
      tell("Copying is not allowed here; it is selected.", { failed: true });
    }
  });
}

export function filtersRows(input) {
  const rows = [...document.getElementById(input.dataset.filterRows).tBodies[0].rows];
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase();
    for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}

/** The file that keeps a stub says what the form says. */
export function keepsPatch(shown) {
  const text = document.getElementById("stub-json");
  text?.addEventListener("input", () => {
    try {
      const stub = JSON.parse(text.value);
      const path = shown.dataset.patch;
      const value = path.endsWith("-") ? stub : [stub];
      shown.textContent = JSON.stringify([{ op: "add", path, value }], null, 2);
      text.removeAttribute("aria-invalid");
    } catch {
      text.setAttribute("aria-invalid", "true");
    }
  });
}
