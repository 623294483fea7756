import { expect, it } from "vitest";
import type { SignIn } from "./sign-in.ts";
import { failedPage, signedInPage, signInPage } from "./sign-in-page.ts";

const provider = (label: string) => ({ client: { label } });

/** What the pages read of the way to sign in. */
function signIn(acceptsKeys: boolean, ...labels: readonly string[]): SignIn {
  return { acceptsKeys, providers: labels.map(provider), address: { path: "/team" } } as unknown as SignIn;
}

const linksOf = (page: string) =>
  [...page.matchAll(/href="(start[^"]+)">([^<]+)</g)].map(([, href, text]) => [href, text]);

it("offers each provider, and the form for keys where they are accepted", () => {
  const page = signInPage(signIn(false, "One", "Two"), "/console?a=1&b=2");
  expect(linksOf(page)).toEqual(
    ["One", "Two"].map((label, index) => [
      `start?provider=${index}&amp;next=%2Fconsole%3Fa%3D1%26b%3D2`,
      `Sign in with ${label}`,
    ]),
  );
  expect([page.includes('id="key"'), page.includes('data-next="/team/console?a=1&amp;b=2"')]).toEqual([false, true]);
  expect(signInPage(signIn(true), "/")).toContain('<form id="key">');
});

it("shows what others have named as text alone", () => {
  const hostile = `<b>"'&`;
  const shown = "&lt;b>&quot;&#39;&amp;";
  expect(signInPage(signIn(false, hostile), "/")).toContain(`Sign in with ${shown}</a>`);
  expect(failedPage(hostile)).toContain(`<p role="alert">${shown}</p>`);
  const page = signedInPage(signIn(true), `/${hostile}`);
  expect(page).toContain(`<a href="/team/${shown}">Continue</a>`);
  expect(page).toContain(`<meta http-equiv="refresh" content="0;url=/team/${shown}">`);
});
