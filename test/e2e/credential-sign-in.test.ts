import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AuthorizationServer } from "#test/helpers/servers/authorization-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { cannotRun } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
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
    expect(await ui.chips()).toEqual(asked);
    await ui.selectEvent(6);
    await ui.openEventTab("JSON");
    await expect.poll(() => ui.sidePanel()).toContain("the user's files");
    expect(authorization.apiCalls).toEqual([expect.stringMatching(/^Bearer SECRET-access/)]);

    await ui.send("And now?");
    await expect.poll(async () => (await ui.conversation()).slice(2)).toEqual(["And now?", "Those are your files."]);
    expect(await ui.chips()).toEqual([...asked, "read_files()", "read_files"]);
    expect([authorization.apiCalls.length, authorization.tokenRequests.length]).toEqual([2, 1]);
    expect(pageErrors).toEqual([]);
  });
});
