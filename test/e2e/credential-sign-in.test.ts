import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AuthorizationServer } from "#test/helpers/servers/authorization-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { TestIssuer } from "#tooling/identity/test-issuer.ts";
import { cannotRun } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { signInAtProvider } from "./provider-page.ts";
import { UiWorld } from "./ui-world.ts";

const AGENTS = fileURLToPath(new URL("../fixtures/credential-agents", import.meta.url));

describe.skipIf(cannotRun("sign-ins for tools in the developer UI"))("a tool that needs a sign-in", () => {
  it("has the user consent in a popup of the developer UI once, and shows the result", async () => {
    verifies("tools:credentials:asks", "tools:credentials:answers");
    await using authorization = await AuthorizationServer.start({ asksConsent: true });
    const environment = { AUTHORIZATION_URL: authorization.url, OUTBOUND_ALLOWED_HOSTS: authorization.host };
    await using world = await UiWorld.start(AGENTS, environment);
    const { page, pageErrors } = await world.openPage("/dev-ui/?app=clerk");
    const ui = new DevUiPage(page);
    const opened = page.waitForEvent("popup");
    await ui.send("Which files have I?");
    const popup = await opened;
    const allow = popup.getByRole("button", { name: "Allow" });
    await allow.waitFor();
    expect(new URL(popup.url()).searchParams.get("redirect_uri")).toBe(`${world.url}/dev-ui/`);
    // The user needs longer than the server lives.
    await world.restart("SIGKILL");
    const closed = popup.waitForEvent("close");
    await allow.click();
    await closed;
    await expect.poll(() => ui.conversation()).toEqual(["Which files have I?", "Those are your files."]);
    const asked = ["read_files()", "read_files", "adk_request_credential", "adk_request_credential", "read_files"];
    await expect.poll(() => ui.chips()).toEqual(asked);
    await ui.selectEvent(6);
    await ui.openEventTab("JSON");
    await expect.poll(() => ui.sidePanel()).toContain("the user's files");
    expect(authorization.apiCalls).toEqual([expect.stringMatching(/^Bearer SECRET-access/)]);

    await ui.send("And now?");
    await expect.poll(async () => (await ui.conversation()).slice(2)).toEqual(["And now?", "Those are your files."]);
    await expect.poll(() => ui.chips()).toEqual([...asked, "read_files()", "read_files"]);
    expect([authorization.apiCalls.length, authorization.tokenRequests.length]).toEqual([2, 1]);
    expect(pageErrors).toEqual([]);
  });

  it("has a user who is signed in consent at a server of another site, from which the browser withholds the page's cookie", async () => {
    verifies("tools:credentials:asks", "authentication:sign-in:cookie");
    await using issuer = await TestIssuer.start();
    await using authorization = await AuthorizationServer.start({ asksConsent: true });
    // Ports do not tell sites apart, and names do.
    const otherSite = authorization.url.replace("127.0.0.1", "localhost");
    await using world = await UiWorld.start(AGENTS, {
      ...{ AUTHORIZATION_URL: otherSite, OUTBOUND_ALLOWED_HOSTS: new URL(otherSite).host },
      ...{ AUTH: "oidc", OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: issuer.audience, OIDC_CLIENT_ID: "pages" },
      OIDC_SCOPE_MAP: "*=runs:write,*=sessions:read,*=sessions:write",
    });
    const { page } = await world.openPage("/dev-ui/?app=clerk");
    await signInAtProvider(page, "ada");
    await page.waitForURL(/dev-ui/);
    const ui = new DevUiPage(page);
    const opened = page.waitForEvent("popup");
    await ui.send("Which files have I?");
    const popup = await opened;
    const allow = popup.getByRole("button", { name: "Allow" });
    await allow.waitFor();
    expect([new URL(popup.url()).hostname, new URL(page.url()).hostname]).toEqual(["localhost", "127.0.0.1"]);
    const closed = popup.waitForEvent("close");
    await allow.click();
    await closed;
    await expect.poll(() => ui.conversation()).toEqual(["Which files have I?", "Those are your files."]);
    expect(authorization.apiCalls).toEqual([expect.stringMatching(/^Bearer SECRET-access/)]);
  });
});
