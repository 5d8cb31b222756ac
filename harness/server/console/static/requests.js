// Requests to the server that this page is from: JSON both ways, refusals as errors.

export class Refusal extends Error {
  constructor(status, said) {
    super(said?.message ?? `the server answered ${status}`);
    this.hint = said?.hint ?? "";
    this.problems = said?.problems ?? [];
  }
}

export async function send(method, path, body) {
  const options = { method, credentials: "same-origin" };
  if (body !== undefined) {
    options.headers = { "content-type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Refusal(0, { message: "the server does not answer", hint: "is it still running?" });
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refusal(answer.status, said.error);
  return said;
}

// Show why something was refused in the place that a form or a page has for it.
export function show(place, error) {
  place.replaceChildren(error.message);
  if (error.hint) {
    const hint = document.createElement("div");
    hint.className = "soft";
    hint.textContent = error.hint;
    place.append(hint);
  }
  if (error.problems?.length) {
    const list = document.createElement("ul");
    for (const each of error.problems) {
      const item = document.createElement("li");
      item.textContent = `${each.where}: ${each.message}`;
      list.append(item);
    }
    place.append(list);
  }
  place.hidden = false;
}
