import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { TestIssuer } from "#tooling/identity/test-issuer.ts";
import { cannotRun } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { isAt, signInAtProvider } from "./provider-page.ts";
import { UiWorld } from "./ui-world.ts";

const SCOPES = ["runs:write", "sessions:read", "sessions:write", "artifacts", "memory", "evals"];

async function startSignedOut() {
  const issuer = await TestIssuer.start();
  const world = await UiWorld.start(undefined, {
    ...{ AUTH: "api-key,oidc", OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: issuer.audience, OIDC_CLIENT_ID: "pages" },
    OIDC_SCOPE_MAP: SCOPES.map((scope) => `*=${scope}`).join(","),
  });
  const createKey = async (expiresInSeconds: number): Promise<string> => {
    const token = await issuer.token({ claims: { sub: "admin", scope: "ops users:all sessions:read" } });
    const response = await fetch(`${world.url}/v1/keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "console", scopes: ["sessions:read"], userId: "ada", expiresInSeconds }),
    });
    // The route's answer.
    return ((await response.json()) as { readonly key: string }).key;
  };
  return {
    ...{ issuer, world, createKey },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(cannotRun("signing in"))("signing in with a browser", () => {
  it("is the proxy's work with AUTH=proxy: pages link to where it signs its users out", async () => {
    verifies("authentication:proxy:sign-out");
    await using world = await UiWorld.start(undefined, {
      ...{ AUTH: "proxy", TRUSTED_PROXIES: "127.0.0.1,::1", PROXY_SIGN_OUT_URL: "/oauth2/sign_out?rd=%2F" },
    });
    const { page } = await world.openPage("/health");
    await page.setExtraHTTPHeaders({ "x-forwarded-user": "ada" });
    await page.goto(`${world.url}/docs`);
    await page.locator("[data-signed-in]").getByText("ada").waitFor();
    const link = page.getByRole("link", { name: "Sign out" });
    expect(await link.getAttribute("href")).toBe("/oauth2/sign_out?rd=%2F");
  });

  it("leads to the developer UI, which chats as the user; after the sign-out it asks to sign in again", async () => {
    verifies("authentication:sign-in:page", "authentication:sign-in:sign-out");
    await using rig = await startSignedOut();
    const { page } = await rig.world.openPage("/dev-ui/?app=weather");
    expect(new URL(page.url()).pathname).toBe("/auth/login");
    await signInAtProvider(page, "ada");
    await page.waitForURL(isAt("/dev-ui/"));
    const ui = new DevUiPage(page);
    await ui.sendAndFollow("What is the weather in Paris?");
    await page.getByText("It is foggy in Paris").first().waitFor();
    expect(new URL(page.url()).searchParams.get("userId")).toBe("ada");
    expect(await page.evaluate(`fetch("/auth/logout", { method: "POST" }).then(({ status }) => status)`)).toBe(204);
    await ui.send("Again?");
    const ended = page.getByRole("dialog", { name: "You are signed out" });
    await ended.getByRole("link", { name: "Sign in again" }).click();
    await signInAtProvider(page, "ada");
    await page.waitForURL(isAt("/dev-ui/"));
    expect(new URL(page.url()).searchParams.get("app")).toBe("weather");
    await page.goto(`${rig.world.url}/docs`);
    await page.locator("[data-signed-in]").getByText("ada").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    expect(new URL(page.url()).pathname).toBe("/auth/login");
  });

  it("lasts when a page of another site leads to the developer UI, with everything in the address", async () => {
    verifies("authentication:sign-in:cookie");
    await using rig = await startSignedOut();
    const { page } = await rig.world.openPage("/dev-ui/?app=weather");
    await signInAtProvider(page, "ada");
    await page.waitForURL(isAt("/dev-ui/"));
    // The address as an authorization server returns to it.
    const target = `${rig.world.url}/dev-ui/?app=weather&code=abc&state=s`;
    await page.goto(`data:text/html,<a href="${encodeURIComponent(target)}">back</a>`);
    await page.getByRole("link", { name: "back" }).click();
    // The browser withholds the cookie at first; the sign-in page finds the session and leads back.
    await page.waitForURL(isAt("/dev-ui/"));
    expect(new URL(page.url()).searchParams.get("code")).toBe("abc");
  });

  it("by an API key opens the console with the user's own runs, until the cookie is lost", async () => {
    verifies("authentication:sign-in:page", "authentication:sign-in:cookie");
    await using rig = await startSignedOut();
    const { page } = await rig.world.openPage("/console?user=ada");
    await page.getByLabel("API key").fill("fl_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The API key is incomplete or mistyped").waitFor();
    await page.getByLabel("API key").fill(await rig.createKey(600));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(isAt("/console"));
    await page.locator("[data-signed-in]").getByText("ada").waitFor();
    expect(page.url()).not.toContain("fl_");
    expect(await page.evaluate("document.cookie")).toBe("");
    const [cookie] = await page.context().cookies();
    expect([cookie?.httpOnly, cookie?.sameSite]).toEqual([true, "Strict"]);
    // A link of another site comes without the cookie, and still ends on the page.
    await page.goto(`${rig.issuer.url}/authorize?${new URLSearchParams({ redirect_uri: rig.world.url })}`);
    await page.evaluate(`location.href = ${JSON.stringify(`${rig.world.url}/console?app=weather`)}`);
    await page.locator("[data-signed-in]").getByText("ada").waitFor();
    expect(page.url()).toBe(`${rig.world.url}/console?app=weather`);
    await page.context().clearCookies();
    await page.getByRole("dialog", { name: "You are signed out" }).waitFor();
  });

  it("is renewed by the provider without a prompt, on an open page and before one is loaded", async () => {
    verifies("authentication:sign-in:renewal");
    await using rig = await startSignedOut();
    rig.issuer.givesRefreshTokens = true;
    const { page } = await rig.world.openPage("/console");
    await signInAtProvider(page, "ada");
    await page.waitForURL(isAt("/console"));
    await page.locator("[data-signed-in]").getByText("ada").waitFor();
    const loseSession = () => page.context().clearCookies({ name: "fairlead" });
    const hasSession = async () => (await page.context().cookies()).some(({ name }) => name === "fairlead");

    // The page finds out by a refused request of its own.
    await loseSession();
    await expect.poll(hasSession).toBe(true);
    expect(await page.getByRole("dialog", { name: "You are signed out" }).count()).toBe(0);

    // No page renews it meanwhile.
    await page.goto("about:blank");
    await loseSession();
    await page.goto(`${rig.world.url}/docs`);
    await page.waitForURL(isAt("/docs"));
    await page.locator("[data-signed-in]").getByText("ada").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API key").waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  it("ends the session of the user before, whose cookies browsers do not send from the provider's page", async () => {
    verifies("authentication:sign-in:late-renewal");
    await using rig = await startSignedOut();
    rig.issuer.givesRefreshTokens = true;
    // Another site than that of the provider, whose address is 127.0.0.1.
    const origin = rig.world.url.replace("127.0.0.1", "localhost");
    const { page } = await rig.world.openPage("/auth/login");
    const namesOf = async () => (await page.context().cookies()).map(({ name }) => name).toSorted();
    await page.goto(`${origin}/console`);
    await signInAtProvider(page, "ada");
    await page.locator("[data-signed-in]").getByText("ada").waitFor();
    const earlier = await page.context().cookies();
    expect(await namesOf()).toEqual(["fairlead", "fairlead-refresh"]);

    rig.issuer.givesRefreshTokens = false;
    await page.goto(`${origin}/auth/start?provider=0&next=/console`);
    await page.getByLabel("User").fill("bob");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("[data-signed-in]").getByText("bob").waitFor();
    expect(await namesOf()).toEqual(["fairlead"]);

    await page.context().addCookies(earlier);
    await page.goto(`${origin}/console`);
    await page.getByLabel("API key").waitFor();
    await expect.poll(namesOf).toEqual(["fairlead"]);
  });

  it("is of no use to a page of another origin", async () => {
    verifies("authentication:sign-in:own-pages");
    await using rig = await startSignedOut();
    const { page } = await rig.world.openPage("/console");
    await signInAtProvider(page, "ada");
    await page.waitForURL(isAt("/console"));
    await page.goto(`${rig.issuer.url}/authorize`);
    const statusOf = (method: string) =>
      page.evaluate<string>(
        `fetch(${JSON.stringify(`${rig.world.url}/v1/runs`)}, { method: "${method}", credentials: "include" }).then((r) => r.type + r.status, (e) => e.name)`,
      );
    expect([await statusOf("GET"), await statusOf("POST")]).toEqual(["TypeError", "TypeError"]);
  });
});
