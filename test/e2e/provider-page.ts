import type { Page } from "playwright-core";

/** Signs in on the page of the test's identity provider, from the page that offers it. */
export async function signInAtProvider(page: Page, user: string): Promise<void> {
  await page.getByRole("link", { name: "Sign in with" }).click();
  await page.getByLabel("User").fill(user);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** For `waitForURL`: the page itself, and not the one for signing in, whose address names where it leads. */
export function isAt(path: string): (address: URL) => boolean {
  return ({ pathname }) => pathname.startsWith(path);
}
