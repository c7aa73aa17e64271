// <unde-memory> and <unde-sources>: the memory page inside an app. No build step:
//   <script src="https://memory.example.com/static/page/unde.js" defer></script>
//   <unde-memory link-from="/my-backend/memory-link"></unde-memory>
//   <unde-sources receipt="..." link-from="/my-backend/memory-link"></unde-sources>
// `link-from` is an address of the app's own backend: it answers a POST with the `{"url": ...}` of
// POST /v1/users/{user_id}/page-links. `src` takes such a URL instead, where the app has it already; it works once.
(() => {
"use strict";
const SERVICE = new URL(document.currentScript.src).origin;
const WORDS = {
  en: { open: "Open your memory", sources: "Sources", failed: "Your memory cannot be shown right now." },
  ru: { open: "Открыть память", sources: "Источники", failed: "Память сейчас не открывается." },
  ar: { open: "افتح ذاكرتك", sources: "المصادر", failed: "لا يمكن عرض ذاكرتك الآن." },
};
const STYLE = new CSSStyleSheet();
STYLE.replaceSync(`
  :host { display: block }
  :host([hidden]) { display: none }
  iframe { display: block; inline-size: 100%; border: 0; min-block-size: 12rem; border-radius: inherit; color-scheme: light dark }
  button { font: inherit; padding: .6rem .95rem; min-block-size: 2.75rem; cursor: pointer }
  p { margin: 0 }
`);

class Memory extends HTMLElement {
  static observedAttributes = ["src", "link-from", "receipt"];
  #frame = null;
  #hear = (event) => this.#listen(event);

  connectedCallback() {
    if (!this.shadowRoot) this.attachShadow({ mode: "open" }).adoptedStyleSheets = [STYLE];
    window.addEventListener("message", this.#hear);
    this.start();
  }

  disconnectedCallback() {
    window.removeEventListener("message", this.#hear);
    this.#frame = null;
  }

  attributeChangedCallback(name, before, after) {
    if (this.isConnected && before !== null && before !== after) this.start();
  }

  get words() {
    const language = (this.closest("[lang]")?.lang || navigator.language).slice(0, 2);
    return WORDS[language] || WORDS.en;
  }

  /** What is shown first: the page itself. */
  start() { this.show(); }

  /** Ask for a link and show its page in a frame. */
  async show() {
    try {
      const frame = document.createElement("iframe");
      frame.title = this.words.open;
      frame.referrerPolicy = "no-referrer";
      frame.src = await this.#link();
      this.#frame = frame;
      this.shadowRoot.replaceChildren(frame);
    } catch {
      this.#say(this.words.failed);
    }
  }

  async #link() {
    let url = this.getAttribute("src");
    const from = this.getAttribute("link-from");
    if (from) {
      const answer = await fetch(from, { method: "POST", credentials: "same-origin", headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error("no link");
      url = (await answer.json()).url;
    }
    const link = new URL(url);
    if (link.origin !== SERVICE) throw new Error("a link of another service");
    const receipt = this.getAttribute("receipt");
    if (receipt) link.searchParams.set("receipt", receipt);
    return link.href;
  }

  #listen(event) {
    if (event.origin !== SERVICE || !this.#frame || event.source !== this.#frame.contentWindow) return;
    if (event.data?.type === "unde:height" && Number.isFinite(event.data.height)) {
      this.#frame.style.blockSize = `${Math.min(Math.max(event.data.height, 120), 20000)}px`;
    }
    // The browser keeps no cookies of a frame: a window of its own does.
    if (event.data?.type === "unde:blocked" && this.hasAttribute("link-from")) this.#offerWindow();
  }

  #offerWindow() {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = this.words.open;
    button.addEventListener("click", async () => {
      const opened = window.open("about:blank", "_blank");
      try {
        const href = await this.#link();
        opened.opener = null;
        opened.location.replace(href);
      } catch {
        opened?.close();
        this.#say(this.words.failed);
      }
    });
    this.#frame = null;
    this.shadowRoot.replaceChildren(button);
  }

  #say(sentence) {
    const line = document.createElement("p");
    line.setAttribute("role", "status");
    line.textContent = sentence;
    this.#frame = null;
    this.shadowRoot.replaceChildren(line);
  }
}

/** Under a reply: a button first, for nobody looks at the sources of every reply and each link works once. */
class Sources extends Memory {
  start() {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = this.words.sources;
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => this.show());
    this.shadowRoot.replaceChildren(button);
  }
}

customElements.define("unde-memory", Memory);
customElements.define("unde-sources", Sources);
})();
