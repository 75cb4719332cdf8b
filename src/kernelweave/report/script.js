// Two comforts: tables sort by a click on a heading, and a class of the legend can be
// picked out. The report is complete without them.
"use strict";
function worth(cell) {
  const text = cell.textContent.trim().replace(/−/g, "-").replace(/,/g, "").replace("<", "");
  const number = parseFloat(text);
  return text === "" || Number.isNaN(number) ? null : number;
}
function sortBy(table, column, down) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const numeric = table.tHead.rows[0].cells[column].classList.contains("number");
  rows.sort((first, second) => {
    const a = first.cells[column], b = second.cells[column];
    if (!numeric) return a.textContent.localeCompare(b.textContent, "en", { numeric: true }) * (down ? -1 : 1);
    const x = worth(a), y = worth(b);
    // Empty cells come last, whichever way.
    if (x === null || y === null) return (x === null) - (y === null);
    return down ? y - x : x - y;
  });
  body.append(...rows);
}
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const numeric = head.classList.contains("number");
      const before = head.getAttribute("aria-sort");
      const down = before === null ? numeric : before === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sortBy(table, column, down);
    });
  });
}
for (const legend of document.querySelectorAll(".legend")) {
  const marks = legend.parentElement.querySelectorAll(".plot .mark");
  for (const item of legend.children) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    button.append(...item.childNodes);
    item.append(button);
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") === "false";
      for (const other of legend.querySelectorAll("button")) other.setAttribute("aria-pressed", "false");
      button.setAttribute("aria-pressed", String(on));
      for (const mark of marks) mark.classList.toggle("dim", on && !mark.classList.contains("k" + item.dataset.k));
    });
  }
}
