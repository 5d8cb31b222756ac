// Requests to the control API. A control token stays in this tab: a cookie would go to every
// server on this machine.

const KEY = "understudy-control-token";

export const token = {
  get: () => sessionStorage.getItem(KEY) ?? "",
  keep: (value) => sessionStorage.setItem(KEY, value),
  forget: () => sessionStorage.removeItem(KEY),
};

/** Sends a request of the control API; the rejection says what the server says. */
export async function ask(verb, path, content) {
  const answer = await send(verb, path, content);
  if (!answer.ok) throw new Error(await reason(answer));
  return answer.status === 204 ? null : answer.json();
}

/** Sends a request to this server with the control token, where there is one. */
export function send(verb, path, content, { headers = {}, ...options } = {}) {
  if (token.get()) headers.authorization = `Bearer ${token.get()}`;
  if (content !== undefined) headers["content-type"] = "application/json";
  return fetch(path, { method: verb, headers, body: content, cache: "no-store", ...options });
}

async function reason(answer) {
  try {
    const { message, hint } = (await answer.json()).error;
    return hint ? `${message} (${hint})` : message;
  } catch {
    return `the server answered ${answer.status}`;
  }
}

/** The events of a stream after the one of that id: `seen(name, data, id)` for each, until it ends. */
export async function follow(path, after, seen, signal) {
  const headers = { "last-event-id": after };
  const answer = await send("GET", path, undefined, { signal, headers });
  if (!answer.ok) throw new Error(await reason(answer));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      const fields = Object.fromEntries(event.split("\n").map((line) => {
        const at = line.indexOf(": ");
        return [line.slice(0, at), line.slice(at + 2)];
      }));
      if (fields.event) seen(fields.event, JSON.parse(fields.data), fields.id);
    }
  }
}
