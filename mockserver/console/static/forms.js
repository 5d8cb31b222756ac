// Forms and buttons that send JSON to the control API, and the form that tries a method.

import { ask, send, token } from "./server.js";
import { load, renew, tell } from "./page.js";

/** A form, or a button, with `data-send="VERB /path"`. */
export function sends(element) {
  const isForm = element instanceof HTMLFormElement;
  element.addEventListener(isForm ? "submit" : "click", async (event) => {
    event.preventDefault();
    const { send: order, confirm: question, then, done } = element.dataset;
    if (question && !confirm(question)) return;
    const [verb, path] = order.split(" ");
    const button = isForm ? event.submitter : element;
    if (button) button.disabled = true;
    try {
      const answer = await ask(verb, path, isForm ? contentOf(element) : element.dataset.json);
      if (then) {
        location.assign(then.replace("{id}", encodeURIComponent(answer.id)));
        return;
      }
      await renew("main");
      start();
      tell(done ?? "Done.");
    } catch (error) {
      tell(error.message, { failed: true });
    } finally {
      if (button) button.disabled = false;
    }
  });
}

let start = () => {};

/** What makes the elements of a page work, called for what was loaded anew. */
export function whenRenewed(again) {
  start = again;
}

function contentOf(form) {
  if (form.dataset.raw) return document.getElementById(form.dataset.raw).value;
  const found = {};
  for (const field of form.elements) {
    const only = field.dataset.onlyKind;
    const leftOut = only && form.elements.kind && form.elements.kind.value !== only;
    if (!field.name || field.value === "" || leftOut) continue;
    found[field.name] = field.type === "number" ? Number(field.value) : field.value;
  }
  return JSON.stringify(found);
}

/** The form that tries a method: the request goes to the session, the answer is its journal's. */
export function tries(form) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { verb, api, requests } = form.dataset;
    const shown = document.getElementById("tried");
    const mark = `understudy-console/${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
    const headers = { "x-goog-api-client": mark };
    const fields = [...form.elements].filter((field) => field.dataset.in);
    const body = fields.find((field) => field.dataset.in === "body");
    let path = form.dataset.path;
    const query = new URLSearchParams();
    for (const { name, value, dataset } of fields) {
      if (dataset.in === "path") {
        path = path.replace(`{+${name}}`, encodeURI(value).replace(/[?#]/g, encodeURIComponent))
          .replace(`{${name}}`, encodeURIComponent(value));
      } else if (dataset.in === "query" && value !== "") {
        const values = "repeated" in dataset ? value.split("\n").filter(Boolean) : [value];
        for (const each of values) query.append(name, each);
      }
    }
    try {
      if (body) JSON.parse(body.value || "{}");
      if ("asksToken" in form.dataset) {
        headers.authorization = `Bearer ${(await ask("GET", api)).token}`;
      }
      if (body) headers["content-type"] = "application/json";
      const host = form.dataset.host ? `/${form.dataset.host}` : "";
      const asked = `/s/${encodeURIComponent(form.dataset.try)}${host}/${path}`;
      await fetch(query.size ? `${asked}?${query}` : asked, {
        method: verb, headers, body: body ? body.value || "{}" : undefined, cache: "no-store",
      }).catch(() => null); // a fault may cut the connection: the journal tells
      await showTried(shown, `${api}/journal/page?text=${encodeURIComponent(mark)}`, requests);
    } catch (error) {
      tell(error.message, { failed: true });
    }
  });
}

async function showTried(shown, search, requests) {
  const { entries } = await ask("GET", search);
  const own = entries.find((entry) => entry.parent === null) ?? entries[0];
  if (!own) throw new Error("the journal has no such request");
  const { found } = await load(`${requests}${own.seq}`);
  const main = found.querySelector("main");
  main.querySelector(".crumb")?.remove();
  main.querySelector("#stub")?.remove();
  const title = document.createElement("h2");
  const link = document.createElement("a");
  link.href = `${requests}${own.seq}`;
  link.textContent = `Request ${own.seq} in the journal`;
  title.append(link);
  const head = main.querySelector("h1");
  const line = document.createElement("p");
  line.append(...head.childNodes);
  head.replaceWith(line);
  for (const each of main.querySelectorAll("h2")) {
    const lower = document.createElement("h3");
    lower.append(...each.childNodes);
    each.replaceWith(lower);
  }
  shown.replaceChildren(title, ...main.childNodes);
}

/** Asks for the control token, keeps it for this tab, and shows the page that was asked for. */
export async function unlocks(form, show) {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    token.keep(given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  const open = async () => {
    const answer = await send("GET", location.href);
    if (answer.status === 401) {
      token.forget();
      form.querySelector("[role=alert]").textContent = "That is not the token.";
      form.elements.token.focus();
      return;
    }
    show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    token.keep(form.elements.token.value);
    open();
  });
  if (token.get()) await open();
}
