/* The review queue by keyboard. HTMX swaps #review; this file decides which key may do what, and loses no verdict. */
(() => {
  "use strict";
  const PENDING = "review-pending";
  const REMARK = "review-remark";
  const WAITS = [500, 1000, 2000, 4000, 8000];
  const LEAST_LOOK = 150; // milliseconds: a second click of a double click must not judge the item that has just come
  const PULSE = 160;
  const LETTERS = "acfgimnrsuv";
  const PLACES = Object.fromEntries([
    ...[..."1234"].flatMap((digit) => [[`Digit${digit}`, digit], [`Numpad${digit}`, digit]]),
    ...[...LETTERS].map((letter) => [`Key${letter.toUpperCase()}`, letter]),
  ]);

  let busy = null; // {path, values}: what is on its way, or waits for the connection
  let tries = 0;
  let timer = null;
  let shownAt = performance.now();
  let fired = {key: "", until: 0};

  const root = () => document.getElementById("review");
  const findItem = () => root()?.querySelector("[data-item]")?.dataset.item;
  const isTyping = (target) => target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  // The search box of the sidebar holds names of pages: a digit in it is meant for the item.
  const isSearch = (target) => target.matches('input[type="search"]') && !root()?.contains(target);
  const hasOpenSheet = () => document.querySelector("dialog[open]") !== null;

  // The search box of the sidebar sends requests too.
  const isOurs = (event) => event.detail.target?.id === "review";

  function send(path, values) {
    busy = {path, values};
    sessionStorage.setItem(PENDING, JSON.stringify(busy));
    tries = 0;
    attempt();
  }

  function attempt() {
    clearTimeout(timer);
    if (!busy) return;
    root().classList.add("is-busy");
    const token = root().querySelector("[name=csrfmiddlewaretoken]");
    const values = {...busy.values, ...(token ? {csrfmiddlewaretoken: token.value} : {})};
    htmx.ajax("POST", busy.path, {target: "#review", swap: "outerHTML", values}).catch(() => {});
  }

  // What is typed beside an item outlives a reload, in this tab and for this item alone.
  function keepRemark() {
    const fields = [...root().querySelectorAll(".review-remark [name]")];
    const values = Object.fromEntries(fields.map((field) => [field.name, field.value]));
    sessionStorage.setItem(REMARK, JSON.stringify({item: findItem(), values}));
  }

  function bringBackRemark() {
    const kept = JSON.parse(sessionStorage.getItem(REMARK) || "null");
    if (!kept) return;
    if (kept.item !== findItem()) {
      sessionStorage.removeItem(REMARK);
      return;
    }
    for (const field of root().querySelectorAll(".review-remark [name]")) field.value = kept.values[field.name] ?? "";
  }

  function finish() {
    busy = null;
    sessionStorage.removeItem(PENDING);
    clearTimeout(timer);
  }

  function pulse(key) {
    const left = fired.until - performance.now();
    const button = left > 0 && root().querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!button) return;
    button.classList.add("is-fired");
    setTimeout(() => button.classList.remove("is-fired"), left);
  }

  // The number in the sidebar stands outside of what is swapped.
  function showWaiting() {
    const number = document.querySelector('a[href$="/review/queue/"].active > span:last-child');
    const waiting = root().querySelector("[data-waiting]");
    if (number && waiting && /^\d+$/.test(number.textContent.trim())) number.textContent = waiting.textContent;
  }

  const findKey = (key) => {
    const named = `[data-key="${CSS.escape(key)}"]`;
    return root().querySelector(named) || document.querySelector(`.review-filter ${named}`);
  };

  // A field is gone to, what is folded is opened, and its first field or button gone to.
  function enter(target) {
    if (target.matches("summary")) {
      target.parentElement.open = !target.parentElement.open;
      if (target.parentElement.open) target.parentElement.querySelector("select, form button")?.focus();
    } else {
      target.focus();
      target.select?.();
    }
  }

  function press(button) {
    if (!button.matches("button")) return enter(button);
    fired = {key: button.dataset.key, until: performance.now() + PULSE};
    pulse(fired.key);
    if (button.dataset.sheet) document.getElementById(button.dataset.sheet).showModal();
    else button.form.requestSubmit(button);
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey || !root()) return;
    const key = event.key === "?" ? "?" : PLACES[event.code] || event.key;
    const {target} = event;
    if (isTyping(target)) {
      const isField = root().contains(target) && target.matches("[data-key]");
      if (key === "Escape" || (key === "Enter" && isField)) {
        if (isField) event.preventDefault();
        target.blur();
        return;
      }
      if (!(isSearch(target) && /^[1-4]$/.test(key))) return;
    }
    if (busy || hasOpenSheet() || (event.shiftKey && event.key !== "?")) return;
    const button = findKey(key);
    if (!button || performance.now() - shownAt < LEAST_LOOK) return;
    event.preventDefault();
    if (isTyping(target)) target.blur();
    press(button);
  });

  document.addEventListener("input", (event) => {
    if (event.target.closest("#review .review-remark")) keepRemark();
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-sheet]");
    if (button) document.getElementById(button.dataset.sheet).showModal();
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-review]")) return;
    event.preventDefault();
    if (busy || performance.now() - shownAt < LEAST_LOOK) return;
    const values = Object.fromEntries(new FormData(form, event.submitter));
    delete values.csrfmiddlewaretoken;
    if ("timed" in form.dataset) values.milliseconds = Math.round(performance.now() - shownAt);
    send(form.getAttribute("action"), values);
  });

  // A page instead of the queue: the session is over, or the tenant was changed elsewhere.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const answer = event.detail.xhr;
    if (isOurs(event) && answer.status < 400 && busy && !answer.responseText.includes('id="review"')) {
      event.detail.shouldSwap = false;
      finish();
      location.reload();
    }
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    if (!busy || !isOurs(event)) return;
    finish();
    bringBackRemark();
    shownAt = performance.now();
    pulse(fired.key);
    showWaiting();
    if (matchMedia("(max-width: 900px)").matches) scrollTo({top: 0});
  });

  document.addEventListener("htmx:afterRequest", (event) => {
    if (!busy || !isOurs(event) || event.detail.successful) return;
    const status = event.detail.xhr.status;
    if (status >= 400 && status < 500 && status !== 429) {
      finish();
      location.reload();
      return;
    }
    // Sent or not, stored or not: nobody knows. The same token again settles it.
    root().querySelector(".review-lost").hidden = false;
    timer = setTimeout(attempt, WAITS[Math.min(tries, WAITS.length - 1)]);
    tries += 1;
  });

  window.addEventListener("online", () => { if (busy) attempt(); });

  document.addEventListener("DOMContentLoaded", () => {
    htmx.config.timeout = 15000;
    bringBackRemark();
    const kept = sessionStorage.getItem(PENDING);
    if (kept) {
      busy = JSON.parse(kept);
      attempt();
    }
  });
})();
