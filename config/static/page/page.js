// What the page does more where there is JavaScript: nothing of it is needed.
(() => {
  "use strict";
  const framed = window.parent !== window;
  if (framed) {
    // Says how high the page is, so that the component around it can be as high. No word of the page is sent.
    const tell = () => parent.postMessage({ type: "unde:height", height: document.documentElement.scrollHeight }, "*");
    new ResizeObserver(tell).observe(document.body);
    window.addEventListener("load", tell);
    if (document.body.hasAttribute("data-blocked")) parent.postMessage({ type: "unde:blocked" }, "*");
  }
  if (location.search.includes("entered=1")) history.replaceState(null, "", location.pathname);

  // On a phone the tabs may be wider than the screen: the one that is open is in sight.
  const open = document.querySelector(".tabs [aria-current]");
  if (open) open.scrollIntoView({ block: "nearest", inline: "center", behavior: "instant" });

  // Messages are forgotten only when some are chosen.
  const talk = document.querySelector(".stuck button");
  if (talk) {
    const form = talk.closest("form");
    const look = () => { talk.disabled = !form.querySelector("input[name=message]:checked"); };
    form.addEventListener("change", look);
    look();
  }
  const pick = document.querySelector(".pick select");
  if (pick) pick.addEventListener("change", () => pick.form.requestSubmit());
  // An erasure goes on behind its page, which looks again by itself. It does not load anew: who reads it stays where
  // they are, and a screen reader says what changed.
  const waiting = document.querySelector("[data-look-again]");
  const lookAgain = async () => {
    try {
      const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
      const fresh = page.querySelector("main [role=status]");
      if (fresh && fresh.innerHTML !== waiting.innerHTML) {
        waiting.replaceChildren(...fresh.childNodes);
        document.querySelector("h1").textContent = page.querySelector("h1").textContent;
        document.title = page.title;
      }
      if (fresh && !fresh.hasAttribute("data-look-again")) return;
    } catch { /* the network is away: a later look finds it */ }
    setTimeout(lookAgain, waiting.dataset.lookAgain * 1000);
  };
  if (waiting) setTimeout(lookAgain, waiting.dataset.lookAgain * 1000);
  // A form is sent once.
  document.addEventListener("submit", (event) => {
    if (event.target.dataset.sent) event.preventDefault();
    event.target.dataset.sent = "yes";
  });
  window.addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent));
  document.querySelectorAll("details.fix").forEach((one) => one.addEventListener("toggle", () => {
    const field = one.open && one.querySelector("input[name=value]");
    if (field) field.focus();
  }));
})();
