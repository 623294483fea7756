import { inspect } from "node:util";
import { Claude, Gemini, type ModelOptions, OpenAiCompatible } from "fairlead/models";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { createLogger } from "#shared/logging/logger.ts";
import { KEY } from "#test/helpers/security/planted-secret.ts";
import {
  answerJson,
  answerSse,
  fixture,
  startWireServer,
  type WireRequest,
} from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { collect } from "./model-suite.ts";

const KINDS = [
  {
    name: "OpenAiCompatible",
    create: (options: ModelOptions): BaseLlm => new OpenAiCompatible(options),
    fixtures: "openai",
    keyOf: ({ headers }: WireRequest) => headers.authorization?.replace("Bearer ", ""),
    environment: { OPENAI_API_KEY: "key-of-the-environment", OPENAI_BASE_URL: "http://127.0.0.1:1" },
    organization: { OPENAI_ORG_ID: "organization-of-the-environment", OPENAI_PROJECT_ID: "project" },
  },
  {
    name: "Gemini",
    create: (options: ModelOptions): BaseLlm => new Gemini(options),
    fixtures: "gemini",
    keyOf: ({ headers }: WireRequest) => headers["x-goog-api-key"],
    environment: {
      GOOGLE_API_KEY: "key-of-the-environment",
      GEMINI_API_KEY: "key-of-the-environment",
      GOOGLE_GENAI_USE_VERTEXAI: "true",
      GOOGLE_CLOUD_PROJECT: "project-of-the-environment",
      GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:1",
    },
    organization: {},
  },
  {
    name: "Claude",
    create: (options: ModelOptions): BaseLlm => new Claude(options),
    fixtures: "claude",
    keyOf: ({ headers }: WireRequest) => headers.authorization?.replace("Bearer ", ""),
    environment: {
      ANTHROPIC_API_KEY: "key-of-the-environment",
      ANTHROPIC_AUTH_TOKEN: "token-of-the-environment",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    },
    organization: {},
  },
];

describe.each(KINDS)("$name objects", ({ create, fixtures, keyOf, environment, organization }) => {
  const answer = answerSse(fixture(`${fixtures}/text.sse.txt`));
  const setEnvironment = (): void => {
    for (const [name, value] of Object.entries({ ...environment, ...organization })) vi.stubEnv(name, value);
  };
  afterEach(() => vi.unstubAllEnvs());

  it("have each its own key, headers and address at the same time, whatever the environment contains", async () => {
    verifies("authentication:model:own-endpoint", "authentication:model:api-key", "authentication:model:headers");
    setEnvironment();
    await using one = await startWireServer(answer);
    await using other = await startWireServer(answer);
    const models = [
      create({ model: "model-one", apiKey: "key-of-one", baseUrl: one.url, headers: { "x-team": "blue" } }),
      create({ model: "model-other", apiKey: "key-of-other", baseUrl: other.url, headers: { "x-team": "red" } }),
    ];
    await Promise.all([...models, ...models].map((model) => collect(model)));
    const seen = [one, other].map(({ requests }) =>
      requests.map((request) => [keyOf(request), request.headers["x-team"], namesModel(request)]),
    );
    expect(seen).toEqual([
      [
        ["key-of-one", "blue", "model-one"],
        ["key-of-one", "blue", "model-one"],
      ],
      [
        ["key-of-other", "red", "model-other"],
        ["key-of-other", "red", "model-other"],
      ],
    ]);
    expect(JSON.stringify([...one.requests, ...other.requests])).not.toContain("of-the-environment");
  });

  it("with an own address send no key of the environment to it", async () => {
    verifies("authentication:model:own-endpoint");
    setEnvironment();
    await using server = await startWireServer(answer);
    const model = create({ model: "model-one", baseUrl: server.url });
    const failure: unknown = await collect(model).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(JSON.stringify(server.requests)).not.toContain("of-the-environment");
    if (fixtures === "openai") expect([failure, server.requests.length]).toEqual([undefined, 1]);
    else
      expect(failure).toMatchObject({
        reason: "MODEL_KEY_MISSING",
        message: expect.stringContaining(
          "give apiKey. A model with its own baseUrl takes no key from the environment.",
        ),
      });
  });

  it("show no secret in JSON, in inspections, in errors and in logs of errors", async () => {
    verifies("authentication:model:own-endpoint");
    const headers = { "x-proxy-login": `${KEY}-of-the-proxy` };
    const quoted = JSON.stringify({ error: { message: `bad request with ${KEY} and ${headers["x-proxy-login"]}` } });
    await using server = await startWireServer(
      answerJson(quoted, 400),
      answerJson(quoted, 401),
      answerJson(quoted, 500),
    );
    const model = create({ model: "m", apiKey: KEY, headers, baseUrl: server.url, retry: { maxAttempts: 1 } });
    const shown = [JSON.stringify(model), inspect(model, { depth: null, showHidden: true })];
    for (let call = 0; call < 3; call += 1) {
      const error: unknown = await collect(model).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(PlatformError);
      shown.push(JSON.stringify(error), inspect(error, { depth: null, showHidden: true }), await logged(error));
    }
    shown.push(inspect(model, { depth: null, showHidden: true }));
    expect(server.requests.map((request) => [keyOf(request), request.headers["x-proxy-login"]])).toEqual(
      Array(3).fill([KEY, headers["x-proxy-login"]]),
    );
    expect(shown.filter((text) => text.includes(KEY))).toEqual([]);
    expect(shown.join()).toContain("bad request with [redacted]");
  });
});

/** The name of the model in a request: in the path, or in the body. */
function namesModel({ path, body }: WireRequest): string | undefined {
  return /model-(?:one|other)/.exec(path + JSON.stringify(body))?.[0];
}

/** The line of the server's log for an error. */
async function logged(error: unknown): Promise<string> {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { logger } = await createLogger({ level: "debug", format: "json", destination });
  logger.error({ error }, "model failed");
  return lines.join("");
}
