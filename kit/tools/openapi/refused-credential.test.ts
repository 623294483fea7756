import { expect, it } from "vitest";
import { ToolContext } from "#kit/core/context/tool-context.ts";
import type { AuthScheme } from "#kit/credentials/auth-scheme.ts";
import { credentialKeyOf } from "#kit/credentials/credential-key.ts";
import type { OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { OpenApiDocument } from "./open-api-document.ts";
import { RestApiTool } from "./rest-api-tool.ts";
import { operationsOf } from "./rest-operation.ts";

const ORIGIN = "https://api.example";
const OWNER = { appName: "app", userId: "u" };
const FLOW = { authorizationUrl: "https://auth.example/authorize", tokenUrl: "https://auth.example/token", scopes: {} };
const OAUTH: AuthScheme = { type: "oauth2", flows: { authorizationCode: FLOW } };
const CLIENT = { authType: "oauth2", oauth2: { clientId: "cid", clientSecret: "secret" } } as const;

/** A tool whose server answers with these statuses, and how many of its answers still hold a connection. */
async function createTool(statuses: readonly number[]) {
  const open = new Set<object>();
  const sent: (string | null)[] = [];
  const outbound = {
    fetch: async (url: string | URL, init?: RequestInit) => {
      if (String(url) === FLOW.tokenUrl)
        return Response.json({ access_token: "fresh-token", token_type: "Bearer", expires_in: 3600 });
      const status = statuses[sent.length] ?? 200;
      sent.push(new Headers(init?.headers).get("authorization"));
      const answer = {};
      open.add(answer);
      let isRead = false;
      const body = new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            // Servers quote the token, often without its scheme.
            const token = sent.at(-1)?.replace("Bearer ", "");
            if (!isRead) controller.enqueue(Buffer.from(JSON.stringify({ status, token })));
            else {
              open.delete(answer);
              controller.close();
            }
            isRead = true;
          },
          cancel: () => void open.delete(answer),
        },
        { highWaterMark: 0 },
      );
      return new Response(body, { status, headers: { "content-type": "application/json" } });
    },
  } as unknown as OutboundAccess;
  const spec = { openapi: "3.1.0", servers: [{ url: ORIGIN }], paths: { "/x": { get: { operationId: "look" } } } };
  const [operation] = operationsOf(await OpenApiDocument.read(spec), undefined).operations;
  if (operation === undefined) throw new Error("The description has no operation.");
  const tool = new RestApiTool(operation, { authScheme: OAUTH, authCredential: CLIENT, trustedOrigin: ORIGIN });
  const credentialService = new InMemoryCredentialService();
  const key = credentialKeyOf({ authScheme: OAUTH, rawAuthCredential: CLIENT });
  const store = (oauth2: { readonly accessToken: string; readonly refreshToken?: string }) =>
    credentialService.saveCredential(OWNER, key, { authType: "oauth2", oauth2 });
  const call = async () => {
    const context = new ToolContext(createInvocation({ credentialService, outbound }), { functionCallId: "call-1" });
    const result = await tool.runAsync({}, context);
    return { result, asked: Object.keys(context.actions.requestedAuthConfigs) };
  };
  return { call, store, sent, open };
}

it.each<[string, readonly number[], { readonly refreshToken?: string }, object]>([
  ["uses a credential that works", [200], {}, { result: { status: 200, token: "[redacted]" }, asked: [], sent: 1 }],
  ["asks the user for another one", [401], {}, { result: null, asked: ["call-1"], sent: 1 }],
  [
    "sends the call again with a fresh one",
    [401, 200],
    { refreshToken: "r" },
    { result: { status: 200, token: "[redacted]" }, asked: [], sent: 2 },
  ],
  ["sends the call twice at most", [401, 401], { refreshToken: "r" }, { result: null, asked: ["call-1"], sent: 2 }],
  [
    "does not take another refusal for one of the credential",
    [403],
    { refreshToken: "r" },
    { result: { error: expect.stringContaining("403") }, asked: [], sent: 1 },
  ],
])("%s, and no answer keeps its connection", async (_title, statuses, more, expected) => {
  const { call, store, sent, open } = await createTool(statuses);
  await store({ accessToken: "stale-token", ...more });
  const outcome = await call();
  expect({ ...outcome, sent: sent.length }).toEqual(expected);
  expect(sent).toEqual(["Bearer stale-token", "Bearer fresh-token"].slice(0, sent.length));
  expect(open.size).toBe(0);
  expect(JSON.stringify(outcome)).not.toMatch(/(stale|fresh)-token/);
});
