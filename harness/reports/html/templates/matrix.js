// Search, filters, order and keys of a matrix (matrix.html). Rows that are markup are taken as they
// stand; those that are data are made when they are shown for the first time.
"use strict";

const PAGE = 300; // rows shown at once

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function time(milliseconds) {
  if (milliseconds === null) return "";
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${milliseconds.toFixed(milliseconds < 100 ? 1 : 0)} ms`;
}

function rowOfMarkup(node) {
  const said = node.dataset;
  const [passed, valid] = said.rate.split("/").map(Number);
  return {
    node, passed, valid,
    at: Number(said.at),
    case: said.case,
    category: said.category,
    verdict: said.verdict,
    classes: said.classes ? said.classes.split("|") : [],
    ms: said.ms === undefined ? null : Number(said.ms),
    text: node.textContent.toLowerCase() + " " + said.category.toLowerCase(),
  };
}

function rowOfData(data, values) {
  const [at, id, title, category, verdict, passed, valid, classes, reason, others, note, ms, linked, numbers, cells, hidden] = values;
  const row = {
    at, passed, valid, title, reason, others, note, ms, linked, numbers, cells, hidden,
    case: id,
    category: data.categories[category],
    verdict: data.verdicts[verdict],
    classes: classes.map((number) => data.classes[number]),
  };
  row.text = [id, title, row.category, row.verdict, note, reason, ...row.classes].join(" ").toLowerCase();
  return row;
}

function makeNode(row, data, timed) {
  const number = (place) => row.numbers[place] ?? place + 1;
  const link = (place) => data.link.replace("{case}", row.case).replace("{number}", number(place));
  const cells = [...row.cells].map((digit, place) => {
    const status = data.statuses[digit];
    const named = `trial ${number(place)}: ${status.replace("_", " ")}`;
    const cell = row.linked.includes(place)
      ? element("a", { href: link(place) })
      : element("span", { role: "img" });
    cell.className = `cell s-${status}`;
    cell.ariaLabel = named;
    cell.textContent = data.glyphs[digit];
    return cell;
  });
  if (row.hidden) cells.push(" ", element("span", { className: "soft" }, row.hidden));
  const why = element("td", { className: "why" });
  if (row.note) why.append(element("span", { className: "tag" }, row.note), " ");
  if (row.classes.length) why.append(element("b", {}, row.classes.join(", ")), " ");
  why.append(row.reason);
  if (row.others) {
    why.append(" ", element("span", { className: "soft" }, `and ${row.others} other reason${row.others > 1 ? "s" : ""}`));
  }
  const shown = row.linked.find((place) => data.statuses[row.cells[place]] !== "pass") ?? row.linked[0];
  const name = shown !== undefined ? element("a", { href: link(shown) }, row.case) : row.case;
  const node = element("tr", {},
    element("th", { scope: "row" }, name, element("span", {}, row.title)),
    element("td", {}, element("span", { className: `tag v-${row.verdict}` }, row.verdict), " ",
      element("span", { className: "rate" }, `${row.passed}/${row.valid}`)),
    element("td", { className: "cells" }, ...cells),
    why);
  if (timed) node.append(element("td", { className: "n" }, time(row.ms)));
  return node;
}

const rate = (row) => (row.valid ? row.passed / row.valid : 2);
const byName = (one, other) => one.localeCompare(other, "en", { numeric: true });

function startMatrix(root) {
  const form = root.querySelector("form"), body = root.querySelector("tbody");
  const more = root.querySelector("button.more"), output = form.querySelector("output");
  const data = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
  const timed = root.querySelectorAll("thead th").length > 4;
  const rows = [...[...body.rows].map(rowOfMarkup), ...data.rows.map((values) => rowOfData(data, values))];
  const chosen = new Set();
  const orders = {
    worst: (a, b) => data.verdicts.indexOf(a.verdict) - data.verdicts.indexOf(b.verdict) || a.at - b.at,
    run: (a, b) => a.at - b.at,
    case: (a, b) => byName(a.case, b.case),
    category: (a, b) => byName(a.category, b.category) || a.at - b.at,
    rate: (a, b) => rate(a) - rate(b) || a.at - b.at,
    time: (a, b) => (b.ms ?? -1) - (a.ms ?? -1) || a.at - b.at,
  };
  let found = rows, shown = 0;

  function showMore() {
    const next = found.slice(shown, shown + PAGE);
    body.append(...next.map((row) => (row.node ??= makeNode(row, data, timed))));
    shown += next.length;
    const left = found.length - shown;
    more.hidden = !left;
    more.textContent = `Show ${Math.min(left, PAGE)} more of ${left}`;
  }

  function update() {
    const words = form.elements.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const category = form.elements.category?.value, failure = form.elements.class?.value;
    found = rows
      .filter((row) => (!chosen.size || chosen.has(row.verdict))
        && (!category || row.category === category)
        && (!failure || row.classes.includes(failure))
        && words.every((word) => row.text.includes(word)))
      .sort(orders[form.elements.order.value]);
    body.replaceChildren();
    shown = 0;
    showMore();
    output.textContent = found.length === rows.length ? `${rows.length} cases` : `${found.length} of ${rows.length} cases`;
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", update);
  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-verdict]");
    if (!button) return;
    const verdict = button.dataset.verdict;
    if (!chosen.delete(verdict)) chosen.add(verdict);
    button.ariaPressed = String(chosen.has(verdict));
    update();
  });
  more.addEventListener("click", () => {
    const first = shown;
    showMore();
    found[first].node.querySelector("a")?.focus();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && event.target === form.elements.search) {
      event.preventDefault();
      body.querySelector("a")?.focus();
    }
  });
  body.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(event.target, event.key.endsWith("Down") || event.key.endsWith("Up"), step);
  });

  function move(link, vertical, step) {
    const row = link.closest("tr"), links = [...row.querySelectorAll("a")], place = links.indexOf(link);
    if (!vertical) {
      links[place + step]?.focus();
      return;
    }
    let other = row;
    do other = step > 0 ? other.nextElementSibling : other.previousElementSibling;
    while (other && !other.querySelector("a"));
    if (other) [...other.querySelectorAll("a")].at(Math.min(place, other.querySelectorAll("a").length - 1)).focus();
    else if (step < 0) form.elements.search.focus();
  }

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      form.elements.search.focus();
    }
  });
  form.hidden = false;
  update();
}

// What a link leads to is opened with all that it stands in.
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let each = target; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
  target?.scrollIntoView();
}

document.querySelectorAll("[data-matrix]").forEach(startMatrix);
addEventListener("hashchange", openTarget);
if (location.hash) openTarget();
