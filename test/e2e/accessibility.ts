import axe from "axe-core";
import type { Page } from "playwright-core";

/** Keeps what is reported short, and free of the page's own elements, which cannot be passed on. */
const RUN = `axe.run(document).then(({ violations }) => violations.flatMap(({ id, help, nodes }) =>
  nodes.map(({ target, failureSummary }) => id + ": " + help + " at " + target.join(" ") + ". " + failureSummary)))`;

/** The faults that axe finds on the page as it is, one text for each element. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(`if (window.axe === undefined) {${axe.source}}`);
  return page.evaluate<string[]>(RUN);
}
