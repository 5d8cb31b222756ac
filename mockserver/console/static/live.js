// The journal as it grows: new requests load the list anew, at most once a second.

import { follow } from "./server.js";
import { renew, tell } from "./page.js";

const PAUSE_MS = 1000;

export function live(button) {
  let ending = null;
  let last = button.dataset.after; // what comes while nobody follows is not missed
  let fresh = 0;
  let waiting = 0;

  const show = async () => {
    waiting = 0;
    const number = fresh;
    fresh = 0;
    await renew("#results");
    button.title = `${number} new`;
  };
  const seen = (name, data, id) => {
    last = id;
    if (name === "closed") {
      tell("The session was closed.");
      stop();
      return;
    }
    fresh += name === "skipped" ? data.entries : 1;
    if (!waiting) waiting = setTimeout(show, PAUSE_MS / 4);
  };
  const run = async () => {
    ending = new AbortController();
    const { signal } = ending;
    while (!signal.aborted) {
      try {
        await follow(button.dataset.live, last, seen, signal);
      } catch (error) {
        if (signal.aborted) return;
        button.title = error.message;
      }
      await new Promise((go) => setTimeout(go, PAUSE_MS));
    }
  };
  const stop = () => {
    ending?.abort();
    ending = null;
    button.setAttribute("aria-pressed", "false");
  };
  const begin = () => {
    button.setAttribute("aria-pressed", "true");
    run();
  };

  button.addEventListener("click", () => {
    if (ending) stop();
    else begin();
  });
  if ("paused" in button.dataset) stop();
  else begin();
}
