/* The review queue by keyboard. HTMX swaps #review; this file decides which key may do what, and loses no verdict. */
(() => {
  "use strict";
  const PENDING = "review-pending";
  const WAITS = [500, 1000, 2000, 4000, 8000];
  const LEAST_LOOK = 150; // milliseconds: a second click of a double click must not judge the item that has just come
  const PULSE = 160;
  const PLACES = {Digit1: "1", Digit2: "2", Digit3: "3", Digit4: "4", KeyS: "s", KeyU: "u", KeyG: "g"};

  let busy = null; // {path, values}: what is on its way, or waits for the connection
  let tries = 0;
  let timer = null;
  let shownAt = performance.now();
  let fired = {key: "", until: 0};

  const root = () => document.getElementById("review");
  const isTyping = (target) => target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  const hasOpenSheet = () => document.querySelector("dialog[open]") !== null;

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

  function press(button) {
    fired = {key: button.dataset.key, until: performance.now() + PULSE};
    pulse(fired.key);
    if (button.dataset.sheet) document.getElementById(button.dataset.sheet).showModal();
    else button.form.requestSubmit(button);
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (busy || hasOpenSheet() || !root()) return;
    if (event.shiftKey && event.key !== "?") return;
    const key = event.key === "?" ? "?" : PLACES[event.code] || event.key;
    const button = root().querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!button || performance.now() - shownAt < LEAST_LOOK) return;
    event.preventDefault();
    press(button);
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
    if (answer.status < 400 && busy && !answer.responseText.includes('id="review"')) {
      event.detail.shouldSwap = false;
      finish();
      location.reload();
    }
  });

  document.addEventListener("htmx:afterSettle", () => {
    if (!busy) return;
    finish();
    shownAt = performance.now();
    pulse(fired.key);
    showWaiting();
    if (matchMedia("(max-width: 900px)").matches) scrollTo({top: 0});
  });

  document.addEventListener("htmx:afterRequest", (event) => {
    if (!busy || event.detail.successful) return;
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
    const kept = sessionStorage.getItem(PENDING);
    if (kept) {
      busy = JSON.parse(kept);
      attempt();
    }
  });
})();
