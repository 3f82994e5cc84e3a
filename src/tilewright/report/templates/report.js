"use strict";
(() => {
  const table = document.getElementById("table");
  if (!table) return;
  const body = table.tBodies[0], rows = Array.from(body.rows);
  const by = (id) => document.getElementById(id);
  const texts = rows.map((row) => row.textContent.toLowerCase());

  const filter = () => {
    const words = by("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const op = by("op").value, place = by("place").value, slower = by("slower").checked;
    let count = 0;
    rows.forEach((row, i) => {
      const data = row.dataset;
      const show = (!op || data.op === op) && (!place || data.place === place) &&
        (!slower || (data.ratio !== "" && Number(data.ratio) < 1)) && words.every((word) => texts[i].includes(word));
      row.hidden = !show;
      count += show;
    });
    by("shown").textContent = `${count} of ${rows.length}`;
  };
  for (const id of ["filter", "op", "place", "slower"]) by(id).addEventListener("input", filter);

  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };
  const titles = Array.from(table.tHead.rows[0].cells);
  titles.forEach((title, column) => {
    const button = title.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const down = title.getAttribute("aria-sort") === "ascending";
      titles.forEach((other) => other.removeAttribute("aria-sort"));
      title.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sorted = rows.map((row, i) => [value(row, column), i]);
      sorted.sort(([a, i], [b, j]) => (a < b ? -1 : a > b ? 1 : i - j) * (down ? -1 : 1));
      body.append(...sorted.map(([, i]) => rows[i]));
    });
  });
})();
