// Pan, zoom, search and keyboard for a graph drawn as SVG. Without this the picture just stands there.
"use strict";
for (const viewer of document.querySelectorAll(".viewer")) {
  const paper = viewer.querySelector(".paper");
  const svg = paper.querySelector("svg");
  const field = viewer.querySelector("input");
  const hits = viewer.querySelector(".hits");
  const nodes = [...svg.querySelectorAll(".node")];
  const covers = [...svg.querySelectorAll(".cover")]; // one for each function
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
  function fold(cover, folded) { // a function becomes one box, or shows what is in it
    const inside = new Set(nodes.filter((node) => node.dataset.frame === cover.dataset.frame));
    const names = new Set([...inside].map((node) => node.dataset.id));
    cover.classList.toggle("folded", folded);
    cover.setAttribute("aria-expanded", String(!folded));
    for (const node of inside) node.classList.toggle("hidden", folded);
    for (const edge of edges)
      if (names.has(edge.dataset.from) && names.has(edge.dataset.to)) edge.classList.toggle("hidden", folded);
  }
  function functionOf(thing) { // the cover of the function that a node, a title or a cover is of
    return covers.find((cover) => cover.dataset.frame === thing?.dataset?.frame);
  }
  function turn(thing) { // fold or unfold; the focus stays with the function
    const cover = functionOf(thing);
    if (!cover) return;
    const folded = !cover.classList.contains("folded");
    fold(cover, folded);
    if (folded) cover.focus({ preventScroll: true });
    else (nodes.find((node) => node.dataset.frame === cover.dataset.frame) ?? paper).focus({ preventScroll: true });
  }
  function foldAll() { // everything, or where everything is folded nothing
    const folded = covers.some((cover) => !cover.classList.contains("folded"));
    for (const cover of covers) fold(cover, folded);
  }
  function goTo(node) {
    const cover = functionOf(node);
    if (cover?.classList.contains("folded")) fold(cover, false);
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
  function mark(node) { // Tab leads into the graph to this node
    for (const each of nodes) each.setAttribute("tabindex", each === node ? "0" : "-1");
  }
  function choose(node) {
    mark(node);
    goTo(node);
    node.focus({ preventScroll: true });
  }
  function neighbour(step) { // of the node with the focus; without one, the node that Tab leads to
    const at = nodes.indexOf(document.activeElement);
    if (at < 0) return nodes.find((node) => node.getAttribute("tabindex") === "0");
    return nodes[(at + step + nodes.length) % nodes.length];
  }
  function search(step) { // what has that name comes first, also within a fold; then all that say the words
    const words = field.value.trim().toLowerCase();
    const text = (node) => node.getAttribute("aria-label").toLowerCase();
    const named = (node) => node.dataset.id.toLowerCase() === words
      || text(node).split("\n").some((line) => line.startsWith(words + " "));
    const says = (node) => !named(node) && text(node).includes(words);
    found = words === "" ? [] : [...nodes.filter(named), ...nodes.filter(says)];
    current = step && found.length ? (current + 1) % found.length : 0;
    for (const node of nodes) node.classList.toggle("found", found.includes(node));
    hits.textContent = words === "" ? "" : found.length ? `${current + 1} of ${found.length}` : "nothing found";
    if (!found.length) return;
    mark(found[current]);
    goTo(found[current]);
  }
  function visible(node) {
    const box = paper.getBoundingClientRect();
    const at = node.querySelector(".shape").getBoundingClientRect();
    return at.left >= box.left && at.right <= box.right && at.top >= box.top && at.bottom <= box.bottom;
  }

  viewer.classList.add("live");
  if (viewer.parentElement.children.length > 1) paper.style.maxHeight = size.height + "px"; // among other things
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.setAttribute("preserveAspectRatio", "xMinYMin meet");
  nodes.forEach((node, at) => node.setAttribute("tabindex", at ? "-1" : "0"));
  field.addEventListener("input", () => search(false));
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") search(true); });
  const actions = { next: () => search(true), fold: foldAll, in: () => zoom(1.25), out: () => zoom(0.8), full, fit };
  for (const button of viewer.querySelectorAll("button"))
    button.addEventListener("click", () => actions[button.dataset.do]());
  paper.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && document.body.scrollHeight > innerHeight + 4) return; // the page scrolls
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX, event.clientY);
  }, { passive: false });
  let held = null;
  paper.addEventListener("pointerdown", (event) => {
    if (event.isPrimary && event.button === 0) held = { x: event.clientX, y: event.clientY };
  });
  paper.addEventListener("pointermove", (event) => {
    if (!event.isPrimary) return;
    if (!event.buttons) held = null; // let go of elsewhere
    if (held === null) return;
    if (!paper.hasPointerCapture(event.pointerId)) { // before it has moved this is a click on a node
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < 4) return;
      paper.setPointerCapture(event.pointerId);
    }
    view.x -= (event.clientX - held.x) / view.scale;
    view.y -= (event.clientY - held.y) / view.scale;
    held = { x: event.clientX, y: event.clientY };
    show();
  });
  for (const end of ["pointerup", "pointercancel"]) paper.addEventListener(end, () => { held = null; });
  paper.addEventListener("keydown", (event) => {
    const step = 80 / view.scale;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in moves) {
      view.x += moves[event.key][0];
      view.y += moves[event.key][1];
      show();
    } else if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-") zoom(0.8);
    else if (event.key === "0") fit();
    else if (event.key === "1") full();
    else if (event.key === "n" && nodes.length) choose(neighbour(1));
    else if (event.key === "p" && nodes.length) choose(neighbour(-1));
    else if (event.key === "f") turn(document.activeElement);
    else if (event.key === "F") foldAll();
    else if (event.key === "Enter" && document.activeElement.classList.contains("cover")) turn(document.activeElement);
    else if (event.key === "Escape") { around(null); paper.focus(); }
    else return;
    event.preventDefault();
  });
  for (const node of nodes) {
    node.addEventListener("focus", () => {
      around(node.dataset.id);
      if (!visible(node) && node.matches(":focus-visible")) goTo(node); // a click needs no move
    });
    node.addEventListener("blur", () => around(null));
    const tell = () => node.dispatchEvent(new CustomEvent("node", { bubbles: true, detail: (node.dataset.members ?? node.dataset.id).split(" ") }));
    node.addEventListener("click", tell); // whoever has more to say of a node listens
    node.addEventListener("keydown", (event) => { if (event.key === "Enter") tell(); });
    node.addEventListener("dblclick", () => choose(node));
  }
  for (const cover of covers) {
    cover.setAttribute("tabindex", "-1");
    cover.setAttribute("role", "button");
    cover.setAttribute("aria-label", `${cover.dataset.frame}: unfold`);
    cover.addEventListener("click", () => turn(cover));
  }
  for (const title of svg.querySelectorAll(".frame-title")) title.addEventListener("click", () => turn(title));
  addEventListener("beforeprint", fit);
  addEventListener("resize", show);
  full();
}
