// Gives what Swagger UI renders the names, levels and roles that screen readers and keyboards need.

/** Attributes by selector; a function gets the element and answers the value. */
const ATTRIBUTES = [
  [".information-container", "role", "region"],
  [".information-container", "aria-label", "About this API"],
  [".filter-container", "role", "search"],
  [".filter-container", "aria-label", "Filter operations"],
  ["#api .wrapper:has(> section > .models)", "role", "region"],
  ["#api .wrapper:has(> section > .models)", "aria-label", "Schemas"],
  ["h3.opblock-tag, .models h4", "aria-level", "2"],
  [".opblock h4", "aria-level", "3"],
  [".opblock h5", "aria-level", "4"],
  [".responses-table[role=region]", "aria-label", (table) => table.closest(".opblock").id],
  ["textarea.body-param__text", "aria-label", "Request body"],
  [".parameters-col_description > select", "aria-label", (select) => select.closest("tr").dataset.paramName],
  [".parameters-col_description > input", "aria-label", (input) => input.closest("tr").dataset.paramName],
  ["pre.microlight, .example", "tabindex", "0"],
];

/** Keeps them right while the page changes, once in each frame at most. */
export function keepAccessible(root) {
  let isPlanned = false;
  const plan = () => {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      repair();
    });
  };
  new MutationObserver(plan).observe(root, { childList: true, subtree: true });
}

function repair() {
  for (const [selector, name, value] of ATTRIBUTES) {
    for (const element of document.querySelectorAll(selector)) {
      const wanted = typeof value === "function" ? value(element) : value;
      if (wanted !== undefined && element.getAttribute(name) !== wanted) element.setAttribute(name, wanted);
    }
  }
  // A button may contain no link. This one only does what its button does.
  for (const link of document.querySelectorAll(".opblock-summary-control a[href]")) link.removeAttribute("href");
}
