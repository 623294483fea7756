/**
 * The filters of the list, kept in the page's address: a link shows the same list, and the back button an earlier one.
 */

export class Filters {
  #form;
  #parameters;
  /** Whether the browser's history already has an entry for the text that is being typed. */
  #isTyping = false;

  /** `parameters`: the form's fields with their names in the address. */
  constructor(form, parameters) {
    this.#form = form;
    this.#parameters = parameters;
  }

  get values() {
    const given = Object.fromEntries(new FormData(this.#form));
    return Object.fromEntries(Object.keys(this.#parameters).map((name) => [name, given[name].trim()]));
  }

  /** Fills the form from the address. */
  read() {
    const query = new URLSearchParams(location.search);
    for (const [name, parameter] of Object.entries(this.#parameters)) {
      const field = this.#form.elements[name];
      field.value = query.get(parameter) ?? "";
      // A choice that there is not leaves the field without any.
      if (field.selectedIndex === -1) field.value = "";
    }
    this.#isTyping = false;
  }

  /** Writes the form's values into the address. Returns false if they are there already. */
  write({ isTyping = false } = {}) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(this.values)) if (value !== "") query.set(this.#parameters[name], value);
    const search = query.size === 0 ? "" : `?${query}`;
    const isSame = search === location.search;
    if (!isSame) {
      const address = location.pathname + search + location.hash;
      if (isTyping && this.#isTyping) history.replaceState(null, "", address);
      else history.pushState(null, "", address);
    }
    this.#isTyping = isTyping && (this.#isTyping || !isSame);
    return !isSame;
  }
}
