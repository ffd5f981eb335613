// Pan, zoom, search and keyboard for a graph drawn as SVG. Without this the picture just stands there.
"use strict";
for (const viewer of document.querySelectorAll(".viewer")) {
  const paper = viewer.querySelector(".paper");
  const svg = paper.querySelector("svg");
  const field = viewer.querySelector("input");
  const hits = viewer.querySelector(".hits");
  const nodes = [...svg.querySelectorAll(".node")];
  const edges = [...svg.querySelectorAll(".edge")];
  const whole = svg.viewBox.baseVal;
  const size = { width: whole.width, height: whole.height };
  const view = { x: 0, y: 0, scale: 1 }; // scale: px on the screen for one of the picture
  let found = [];
  let current = 0;

  function show() {
    const box = paper.getBoundingClientRect();
    svg.setAttribute("viewBox", [view.x, view.y, box.width / view.scale, box.height / view.scale].join(" "));
  }
  function zoom(factor, clientX, clientY) {
    const box = paper.getBoundingClientRect();
    const right = (clientX === undefined ? box.width / 2 : clientX - box.left);
    const down = (clientY === undefined ? box.height / 2 : clientY - box.top);
    const scale = Math.min(8, Math.max(0.02, view.scale * factor));
    view.x += right / view.scale - right / scale;
    view.y += down / view.scale - down / scale;
    view.scale = scale;
    show();
  }
  function fit() {
    const box = paper.getBoundingClientRect();
    view.scale = Math.min(1, box.width / size.width, box.height / size.height);
    view.x = (size.width - box.width / view.scale) / 2;
    view.y = 0;
    show();
  }
  function full() {
    Object.assign(view, { x: 0, y: 0, scale: 1 });
    show();
  }
  function goTo(node) {
    const box = paper.getBoundingClientRect();
    const at = node.querySelector(".shape").getBoundingClientRect();
    view.x += (at.left + at.width / 2 - box.left - box.width / 2) / view.scale;
    view.y += (at.top + at.height / 2 - box.top - box.height / 2) / view.scale;
    if (view.scale < 0.6) zoom(1 / view.scale);
    show();
  }
  function around(name) { // what is next to a node stands out, the rest steps back
    const near = new Set([name]);
    for (const edge of edges) {
      const own = edge.dataset.from === name || edge.dataset.to === name;
      edge.classList.toggle("faint", name !== null && !own);
      if (own) near.add(edge.dataset.from).add(edge.dataset.to);
    }
    for (const node of nodes) node.classList.toggle("faint", name !== null && !near.has(node.dataset.id));
  }
  function choose(node) {
    for (const each of nodes) each.setAttribute("tabindex", each === node ? "0" : "-1");
    goTo(node);
    node.focus({ preventScroll: true });
  }
  function search(step) {
    const words = field.value.trim().toLowerCase();
    const all = words === "" ? [] : nodes.filter((node) =>
      node.dataset.id.toLowerCase() === words || node.getAttribute("aria-label").toLowerCase().includes(words));
    current = step && all.length ? (current + 1) % all.length : 0;
    found = all;
    for (const node of nodes) node.classList.toggle("found", found.includes(node));
    hits.textContent = words === "" ? "" : found.length ? `${current + 1} of ${found.length}` : "nothing found";
    if (found.length) goTo(found[current]);
  }

  viewer.classList.add("live");
  if (viewer.parentElement.children.length > 1) paper.style.maxHeight = size.height + "px"; // among other things
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.setAttribute("preserveAspectRatio", "xMinYMin meet");
  nodes.forEach((node, at) => node.setAttribute("tabindex", at ? "-1" : "0"));
  field.addEventListener("input", () => search(false));
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") search(true); });
  const actions = { next: () => search(true), in: () => zoom(1.25), out: () => zoom(0.8), full, fit };
  for (const button of viewer.querySelectorAll("button"))
    button.addEventListener("click", () => actions[button.dataset.do]());
  paper.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && document.body.scrollHeight > innerHeight + 4) return; // the page scrolls
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX, event.clientY);
  }, { passive: false });
  let held = null;
  paper.addEventListener("pointerdown", (event) => {
    held = { x: event.clientX, y: event.clientY };
    paper.setPointerCapture(event.pointerId);
  });
  paper.addEventListener("pointermove", (event) => {
    if (held === null) return;
    view.x -= (event.clientX - held.x) / view.scale;
    view.y -= (event.clientY - held.y) / view.scale;
    held = { x: event.clientX, y: event.clientY };
    show();
  });
  for (const end of ["pointerup", "pointercancel"]) paper.addEventListener(end, () => { held = null; });
  paper.addEventListener("keydown", (event) => {
    const step = 80 / view.scale;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    const at = nodes.indexOf(document.activeElement);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in moves) {
      view.x += moves[event.key][0];
      view.y += moves[event.key][1];
      show();
    } else if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-") zoom(0.8);
    else if (event.key === "0") fit();
    else if (event.key === "1") full();
    else if (event.key === "n" && nodes.length) choose(nodes[(at + 1) % nodes.length]);
    else if (event.key === "p" && nodes.length) choose(nodes[(at < 1 ? nodes.length : at) - 1]);
    else if (event.key === "Escape") { around(null); paper.focus(); }
    else return;
    event.preventDefault();
  });
  for (const node of nodes) {
    node.addEventListener("focus", () => around(node.dataset.id));
    node.addEventListener("blur", () => around(null));
    node.addEventListener("dblclick", () => choose(node));
  }
  addEventListener("resize", show);
  full();
}
