"use strict";
(() => {
  const STEP = 50;

  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const island = (name) => JSON.parse(document.getElementById(name).textContent);

  // -- charts ------------------------------------------------------------------------------------------------------

  const unpacked = async (packed) => {
    const bytes = Uint8Array.from(atob(packed), (one) => one.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  };

  const loadPlotly = async () => {
    const script = document.createElement("script");
    script.textContent = await unpacked(document.getElementById("plotly").textContent);
    document.head.append(script);
    if (!window.Plotly) throw new Error("plotly did not start");
  };

  // The same figure with the page's present colours: a text "var(--x)" becomes what --x stands for.
  const coloured = (value, style) => {
    if (typeof value === "string") return value.startsWith("var(--") ? style.getPropertyValue(value.slice(4, -1)).trim() : value;
    if (Array.isArray(value)) return value.map((one) => coloured(one, style));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, coloured(one, style)]));
  };

  const drawCharts = async () => {
    const places = [...document.querySelectorAll(".chart")];
    if (!places.length) return;
    const figures = island("charts");
    const draw = (at, width) => {
      const { data, layout } = coloured(figures[at], getComputedStyle(document.documentElement));
      const size = width ? { width, autosize: false } : { autosize: true };
      return window.Plotly.react(places[at], data, { ...layout, ...size }, { displayModeBar: false, responsive: true, scrollZoom: false });
    };
    const all = (width) => Promise.all(places.map((_, at) => draw(at, width)));
    try {
      await loadPlotly();
      for (let at = 0; at < places.length; at += 1) {
        await draw(at);
        await new Promise((done) => setTimeout(done));
      }
    } catch (error) {
      for (const one of places) one.replaceChildren(element("p", { class: "chart-missing" }, "This browser cannot draw the chart; the tables have its figures."));
      document.documentElement.dataset.charts = `missing: ${error}`;
      return;
    }
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => all());
    addEventListener("beforeprint", () => { document.documentElement.dataset.print = ""; all(620); });
    addEventListener("afterprint", () => { delete document.documentElement.dataset.print; all(); });
    document.documentElement.dataset.charts = "drawn";
  };

  // -- questions ---------------------------------------------------------------------------------------------------

  const short = (value) => (typeof value === "number" ? String(Math.round(value * 1000) / 1000) : String(value));
  const isPlace = (value) => value !== null && typeof value === "object" && "path" in value && "start" in value && "end" in value;
  const isEmpty = (value) => value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

  // Any plain data: places as path and span, lists as lists, texts as they are.
  const shown = (value) => {
    if (isPlace(value)) {
      const more = Object.entries(value).filter(([key]) => !["path", "start", "end"].includes(key));
      const place = element("div", {}, element("code", {}, `${value.path}, ${value.start} to ${value.end}`));
      for (const [key, one] of more) place.append(key === "text" ? shown(one) : element("p", {}, `${key} ${short(one)}`));
      return place;
    }
    if (Array.isArray(value)) {
      if (value.every((one) => typeof one !== "object" && typeof one !== "string")) return element("p", {}, value.map(short).join(", "));
      return element("ol", {}, ...value.map((one) => element("li", {}, shown(one))));
    }
    if (value !== null && typeof value === "object") {
      return element("dl", {}, ...Object.entries(value).map(([key, one]) => element("div", {}, element("dt", {}, key), element("dd", {}, shown(one)))));
    }
    return element("p", { class: "text" }, short(value));
  };

  const part = (title, value) => [element("h3", {}, title), value];

  const inside = (question) => {
    const values = Object.entries(question.values).map(([name, value]) => element("div", {}, element("span", {}, `${name} `), short(value)));
    const body = element("div", { class: "inside" }, element("div", { class: "values" }, ...values));
    const known = ["expected", "found", "answer"];
    const rest = Object.keys(question.detail).filter((name) => !known.includes(name));
    for (const name of [...known.filter((one) => one in question.detail), ...rest]) {
      if (!isEmpty(question.detail[name])) body.append(...part(name, shown(question.detail[name])));
    }
    const group = Object.entries(question.group).map(([name, value]) => `${name} ${short(value)}`);
    body.append(...part("id", element("p", {}, element("code", {}, question.id), group.length ? `, ${group.join(", ")}` : "")));
    return body;
  };

  const row = (question, metric) => {
    const value = question.values[metric];
    const [mark, kind] = value === undefined || value === null ? ["·", "none"] : value < 1 ? ["✗", "bad"] : ["✓", "good"];
    const said = { none: "without a value", bad: "below 1", good: "1" }[kind];
    const side = [question.cell];
    if (kind !== "none") side.push(`${metric} ${short(value)}`);
    if (question.ms !== null) side.push(`${question.ms.toFixed(1)} ms`);
    const sign = element("span", { class: `mark-${kind}`, role: "img", "aria-label": said }, mark);
    const summary = element("summary", {}, sign, element("span", {}, question.question), element("span", { class: "side" }, side.join(" · ")));
    const details = element("details", {}, summary);
    details.addEventListener("toggle", () => { if (details.open && details.children.length === 1) details.append(inside(question)); });
    return element("li", {}, details);
  };

  const select = (label, options) => {
    const made = element("select", {}, ...options.map(([value, text]) => element("option", { value }, text)));
    return [element("label", {}, label, made), made];
  };

  const fill = (box) => {
    const questions = island(box.dataset.questions);
    const metrics = [...new Set(questions.flatMap((one) => Object.keys(one.values)))];
    const cells = [...new Set(questions.map((one) => one.cell))];
    const isBelow = (one, metric) => typeof one.values[metric] === "number" && one.values[metric] < 1;
    const count = (metric) => questions.filter((one) => isBelow(one, metric)).length;
    const failed = metrics.map((name) => [name, `${name} below 1 (${count(name).toLocaleString("en")})`]);
    const [showLabel, show] = select("Show", [["", `all (${questions.length.toLocaleString("en")})`], ...failed]);
    const [cellLabel, cell] = select("Cell", [["", "all"], ...cells.map((one) => [one, one])]);
    const search = element("input", { type: "search", autocomplete: "off", spellcheck: "false" });
    const found = element("p", { class: "found", "aria-live": "polite" });
    const list = element("ol", { class: "list" });
    const more = element("button", { type: "button" });
    const filters = element("div", { class: "filters", role: "search" }, element("label", {}, "Text", search), showLabel);
    if (cells.length > 1) filters.append(cellLabel);
    box.append(filters, found, list, more);

    let texts = null;
    let wanted = [];
    const extend = () => {
      const first = list.children.length;
      const metric = show.value || box.dataset.first;
      list.append(...wanted.slice(first, first + STEP).map((one) => row(one, metric)));
      const left = wanted.length - list.children.length;
      more.hidden = left === 0;
      more.textContent = `Show ${Math.min(left, STEP)} more of ${left.toLocaleString("en")}`;
    };
    const filter = () => {
      const text = search.value.trim().toLowerCase();
      if (text && texts === null) texts = questions.map((one) => `${one.id} ${one.question} ${JSON.stringify(one.detail)}`.toLowerCase());
      wanted = questions.filter((one, at) => (!show.value || isBelow(one, show.value)) && (!cell.value || one.cell === cell.value) && (!text || texts[at].includes(text)));
      found.textContent = `${wanted.length.toLocaleString("en")} of ${questions.length.toLocaleString("en")} questions`;
      list.replaceChildren();
      extend();
    };
    for (const one of [search, show, cell]) one.addEventListener("input", filter);
    more.addEventListener("click", extend);
    if (count(box.dataset.first)) show.value = box.dataset.first;
    filter();
  };

  for (const box of document.querySelectorAll("details.questions")) {
    box.addEventListener("toggle", () => { if (box.open && !box.querySelector(".list")) fill(box); });
  }
  drawCharts();
})();
