/** The pages of the console share this: the skip link, the note beside the title, and lists that are kept up to date. */
import { listApps } from "./api.js";
import { Filters } from "./filters.js";
import { element } from "./format.js";

const REFRESH_MS = 5000;
const TICK_MS = 1000;

export const find = (id) => document.querySelector(`#${id}`);

/** Whether the server has the developer UI, where sessions can be opened. */
export const hasDevUi = document.body.hasAttribute("data-dev-ui");

document.querySelector(".skip").addEventListener("click", (event) => {
  // The fragment of the address names the run that is shown.
  event.preventDefault();
  document.querySelector("main section:not([hidden]) h2").focus();
});

/** Shows beside the title what was done, or what has failed. */
export function note(text, { isFailure = false } = {}) {
  find("connection").textContent = text;
  find("connection").classList.toggle("problem", isFailure);
}

export function runLink(runId, text = "Show the run") {
  return element("a", { href: new URL(`../console#${encodeURIComponent(runId)}`, import.meta.url) }, text);
}

/**
 * Reads what the page shows, again and again. A newer read replaces one in progress, and what `say` was given is shown
 * until the next one.
 */
export class Reader {
  #read;
  #show;
  #asking;
  #askedAt = 0;

  /** `everyMs` answers the pause before the next read; `tick` is called each second, without a request to the server. */
  constructor({ read, show, everyMs = () => REFRESH_MS, tick = () => {} }) {
    this.#read = read;
    this.#show = show;
    setInterval(() => {
      const isDue = performance.now() - this.#askedAt > everyMs() - TICK_MS / 2;
      if (!document.hidden && isDue) void this.refresh();
      tick();
    }, TICK_MS);
  }

  async refresh(say = "") {
    this.#asking?.abort();
    const question = new AbortController();
    this.#asking = question;
    this.#askedAt = performance.now();
    try {
      const answer = await this.#read(question.signal);
      if (question.signal.aborted) return;
      note(say);
      this.#show(answer);
    } catch (error) {
      if (!question.signal.aborted) note(error.message, { isFailure: true });
    }
  }
}

/** The form's filters, followed: `onChange` is called after each change, and after steps back and forth. */
export function followFilters(parameters, onChange) {
  const form = find("filter") ?? element("form");
  const filters = new Filters(form, parameters);
  filters.read();
  const change = () => form.reportValidity() && filters.write() && onChange();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    change();
  });
  form.addEventListener("change", change);
  addEventListener("popstate", () => {
    const before = JSON.stringify(filters.values);
    filters.read();
    if (JSON.stringify(filters.values) !== before) onChange();
  });
  if (find("apps") !== null) {
    listApps()
      .then((names) => find("apps").append(...names.map((value) => element("option", { value }))))
      // Without the list of names the user can still type one.
      .catch(() => {});
  }
  return filters;
}

/** A page with a list of cards. A card stays as it is while its item does, so that typed text and the focus are kept. */
export class CardPage {
  #options;
  #list = find("entries");
  #cards = new Map();
  #most;
  #reader;
  #filters;

  /**
   * `read` answers one page of items for the filters' query, `card` makes an element of an item, given the card of its
   * id so far, and `tick` writes what changes with time. `onShow` gets the number of items as text.
   */
  constructor(options) {
    this.#options = options;
    this.#most = options.pageSize;
    this.#reader = new Reader({
      read: (signal) => this.#read(signal),
      show: (page) => this.#show(page),
      tick: () => this.#tick(),
    });
    this.#filters = followFilters(options.filters, () => {
      this.#most = options.pageSize;
      void this.refresh();
    });
    find("more").addEventListener("click", () => {
      this.#most = Math.min(options.most, this.#most + options.pageSize);
      void this.refresh();
    });
    void this.refresh();
  }

  refresh(say) {
    return this.#reader.refresh(say);
  }

  remove(id) {
    this.#cards.get(id)?.root.remove();
    this.#cards.delete(id);
  }

  /** A button that does its work, and says what was done or why not; then the list is read again. */
  button(label, work, { said = "", ...attributes } = {}) {
    const made = element("button", { type: "button", class: "quiet", ...attributes }, label);
    made.addEventListener("click", async () => {
      made.disabled = true;
      try {
        if ((await work()) !== false) {
          document.querySelector("main h2").focus();
          await this.refresh(said);
        }
      } catch (error) {
        await this.refresh(error.message);
      }
      made.disabled = false;
    });
    return made;
  }

  async #read(signal) {
    const { read, pageSize } = this.#options;
    const items = [];
    let pageToken;
    do {
      const page = await read({ ...this.#filters.values, pageSize, pageToken }, signal);
      items.push(...page.items);
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined && items.length < this.#most);
    return { items, hasMore: pageToken !== undefined };
  }

  #show({ items, hasMore }) {
    const { card, most, onShow } = this.#options;
    const ids = new Set(items.map(({ id }) => id));
    for (const id of this.#cards.keys()) if (!ids.has(id)) this.remove(id);
    for (const [index, item] of items.entries()) {
      const known = this.#cards.get(item.id);
      const shown = card(item, known);
      if (known !== undefined && known !== shown) known.root.remove();
      this.#cards.set(item.id, shown);
      if (this.#list.children[index] !== shown.root)
        this.#list.insertBefore(shown.root, this.#list.children[index] ?? null);
    }
    this.#tick();
    const count = `${items.length}${hasMore ? "+" : ""}`;
    find("count").textContent = `(${count})`;
    find("empty").hidden = items.length > 0;
    find("more").hidden = !hasMore || this.#most >= most;
    onShow?.(count);
  }

  #tick() {
    for (const card of this.#cards.values()) this.#options.tick(card);
  }
}
