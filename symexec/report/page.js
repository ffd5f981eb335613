// Copy buttons, and what is known of a node that is chosen in the picture. Without this the page reads on as it stands.
"use strict";
document.documentElement.classList.add("live");
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // where a page from a file may not
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}
for (const button of document.querySelectorAll("button.copy"))
  button.addEventListener("click", async () => {
    await copied(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
const chosen = document.querySelector(".chosen");
function shown(names) { // below the picture: what the page knows of a node, and of all that it stands for
  const known = names.map((name) => document.getElementById(`node-${name}`)).filter(Boolean);
  if (!chosen || !known.length) return;
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => {
    chosen.hidden = true;
    document.querySelector(`.node[data-id="${CSS.escape(names[0])}"]`)?.focus();
  });
  const copies = known.map((each) => each.cloneNode(true));
  for (const copy of copies) copy.removeAttribute("id");
  chosen.replaceChildren(close, ...copies);
  chosen.scrollTop = 0;
  chosen.hidden = false;
}
document.addEventListener("node", (event) => shown(event.detail));
function unfolded() { // a link into what is folded opens it
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let each = target?.closest("details"); each; each = each.parentElement.closest("details")) each.open = true;
  target?.scrollIntoView();
}
addEventListener("hashchange", unfolded);
if (location.hash) unfolded();
addEventListener("beforeprint", () => { for (const each of document.querySelectorAll("details")) each.open = true; });
