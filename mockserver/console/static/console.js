// Makes the elements of a page work by what they say of themselves.

import { sends, tries, unlocks, whenRenewed } from "./forms.js";
import { live } from "./live.js";
import { copies, filtersRows, keepsPatch } from "./page.js";

const WORKS = {
  "[data-send]": sends,
  "[data-try]": tries,
  "[data-copy]": copies,
  "[data-filter-rows]": filtersRows,
  "[data-patch]": keepsPatch,
  "[data-live]": live,
  "[data-unlock]": (form) => unlocks(form, show),
};

const working = new WeakSet();

function start() {
  for (const [selector, work] of Object.entries(WORKS)) {
    for (const element of document.querySelectorAll(selector)) {
      if (!working.has(element)) work(element);
      working.add(element);
    }
  }
  for (const select of document.querySelectorAll(".filters select")) {
    select.onchange = () => select.form.requestSubmit();
  }
}

/** Shows a page in place of the one that asked for the token. */
function show(page) {
  document.title = page.title;
  document.body.replaceWith(page.body);
  start();
}

whenRenewed(start);
start();
