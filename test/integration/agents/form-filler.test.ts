import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { type Content, userContent } from "#kit/events/content.ts";
import { CONFIRMATION_CALL } from "#kit/events/reserved-calls.ts";
import { Runner } from "#kit/runs/runner.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { browserFor } from "#test/e2e/browser.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";

const browser = browserFor("the sample form_filler");

it.skipIf(browser === undefined)("fills in a form in Chromium, and sends it after the user's consent", async () => {
  verifies("platform:computer-use:form");
  vi.stubEnv("CHROMIUM_PATH", browser);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const loader = new DirectoryAgentLoader({ directory: join(REPOSITORY_ROOT, "agents"), hotReload: false });
  onTestFinished(() => loader.close());
  const artifacts = new InMemoryArtifactService({ clock: new FixedClock() });
  const runner = new Runner({ app: (await loader.loadAgent("form_filler")).app, artifactService: artifacts });
  onTestFinished(() => runner.close());
  const session = { userId: "u", sessionId: "s" };
  const run = async (newMessage: Content) =>
    Array.fromAsync(runner.runAsync({ ...session, newMessage, runConfig: { autoCreateSession: true } }));

  const asked = await run(userContent("Register Ada."));
  const question = asked.at(-1)?.content?.parts?.[0]?.functionCall;
  expect(question).toMatchObject({
    name: CONFIRMATION_CALL,
    args: { toolConfirmation: { hint: "This registers the visitor for the tour." } },
  });
  const answer = { id: question?.id ?? "", name: CONFIRMATION_CALL, response: { confirmed: true } };
  const sent = await run({ role: "user", parts: [{ functionResponse: answer }] });
  const response = sent.flatMap(({ content }) => content?.parts?.[0]?.functionResponse?.response ?? []);
  expect(response).toEqual([
    expect.objectContaining({
      url: expect.stringMatching(/\/registered\?name=Ada&seats=2$/),
      safety_acknowledgement: "true",
    }),
  ]);
  expect(sent.at(-1)?.content?.parts).toEqual([{ text: "Ada is registered with two seats." }]);
  const key = { session: { appName: "form_filler", userId: "u", id: "s" }, filename: "computer_use/form_filler.png" };
  expect((await artifacts.listVersions(key)).versions).toEqual([0, 1, 2, 3]);
});
