import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { answerJson, startWireServer, type WireAnswer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";

it("sends each agent's request to the server of its model, with that server's key", async () => {
  verifies("authentication:model:own-endpoint");
  await using draft = await startWireServer(completion("It rains."));
  await using review = await startWireServer(completion("Rain falls."));
  const env = {
    ...process.env,
    DRAFT_URL: draft.url,
    DRAFT_KEY: "key-of-drafts",
    REVIEW_URL: review.url,
    REVIEW_KEY: "key-of-reviews",
  };
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, "main.ts"), "Rain!"], {
    env,
  });
  expect(stdout).toBe("writer: It rains.\neditor: Rain falls.\n");
  const seen = [...draft.requests, ...review.requests].map(({ headers, body }) => [
    headers.authorization,
    Object(body).model,
    JSON.stringify(body).includes("Improve this draft: It rains."),
  ]);
  expect(seen).toEqual([
    ["Bearer key-of-drafts", "llama3.3", false],
    ["Bearer key-of-reviews", "gpt-6-luna", true],
  ]);
});

/** A chat completion with this text. */
function completion(content: string): WireAnswer {
  const message = { role: "assistant", content };
  const choices = [{ index: 0, finish_reason: "stop", message }];
  return answerJson(JSON.stringify({ id: "c", object: "chat.completion", created: 0, model: "m", choices }));
}
