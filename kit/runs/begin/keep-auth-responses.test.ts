import { expect, it } from "vitest";
import { answerKeyOf } from "#kit/credentials/credential-key.ts";
import type { Content, FunctionCall } from "#kit/events/content.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { keepAuthResponses } from "./keep-auth-responses.ts";

const SESSION: SessionKey = { tenantId: "acme", appName: "app", userId: "ada", id: "s" };
const ASKED: FunctionCall = {
  id: "q",
  name: "adk_request_credential",
  args: { authConfig: { authScheme: { type: "apiKey", in: "header", name: "x" } } },
};

const answer = (name = "adk_request_credential", id = "q", response: object = { result: "secret" }): Content =>
  ({ role: "user", parts: [{ functionResponse: { id, name, response } }] }) as Content;

async function keep(message: Content, session = SESSION) {
  const credentialService = new InMemoryCredentialService();
  const kept = keepAuthResponses(message, { calls: new Map([["q", ASKED]]), session, credentialService });
  return { credentialService, kept };
}

it.each<SessionKey>([
  SESSION,
  { appName: "app", userId: "ada", id: "s" },
  { ...SESSION, appName: "other" },
  { ...SESSION, userId: "eve" },
])("keeps the credential of an answer for the user of %j alone", async (session) => {
  const { credentialService, kept } = await keep(answer(), session);
  await kept;
  const { id: _, ...owner } = session;
  const { tenantId, ...untenanted } = owner;
  const stored = { credential: { authType: "apiKey", apiKey: "secret" } };
  expect(await credentialService.loadCredential(owner, answerKeyOf("q"))).toMatchObject(stored);
  const others = [
    tenantId === undefined ? { ...owner, tenantId: "acme" } : untenanted,
    { ...owner, tenantId: "globex" },
    { ...owner, appName: "another" },
    { ...owner, userId: "mallory" },
  ];
  for (const other of others)
    expect(await credentialService.loadCredential(other, answerKeyOf("q")), JSON.stringify(other)).toBeUndefined();
});

it("ignores answers to other calls, and stores nothing of a message with one answer that is wrong", async () => {
  const unknown = await keep(answer(undefined, "other"));
  await unknown.kept;
  const owner = { tenantId: "acme", appName: "app", userId: "ada" };
  expect(await unknown.credentialService.loadCredential(owner, answerKeyOf("other"))).toBeUndefined();
  const [good, wrong] = [answer().parts ?? [], answer("pay").parts ?? []];
  for (const parts of [wrong, [...good, ...wrong]]) {
    const { credentialService, kept } = await keep({ role: "user", parts });
    await expect(kept).rejects.toMatchObject({ reason: "INVALID_MESSAGE" });
    expect(await credentialService.loadCredential(owner, answerKeyOf("q"))).toBeUndefined();
  }
});
