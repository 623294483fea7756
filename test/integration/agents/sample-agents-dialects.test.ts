import { afterAll, beforeAll, describe } from "vitest";
import type { BaseLlm, GenerateOptions } from "#kit/models/base-llm.ts";
import { Claude } from "#kit/models/claude/claude.ts";
import { Gemini } from "#kit/models/gemini/gemini.ts";
import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";
import { OpenAiCompatible } from "#kit/models/openai/openai-compatible.ts";
import { defaultModelRegistry } from "#kit/models/registry/model-registry.ts";
import { CLAUDE_DIALECTS } from "#test/helpers/dialects/claude-dialects.ts";
import { demoName, startDemoServer } from "#test/helpers/dialects/demo-server.ts";
import type { Dialect } from "#test/helpers/dialects/dialect.ts";
import { GEMINI_DIALECTS } from "#test/helpers/dialects/gemini-dialects.ts";
import { OPENAI_DIALECTS } from "#test/helpers/dialects/openai-dialects.ts";
import type { WireServer } from "#test/helpers/servers/wire-server.ts";
import { conversesAsWritten } from "./sample-conversations.ts";

type Create = (options: { readonly model: string; readonly baseUrl: string; readonly apiKey: string }) => BaseLlm;

const PROTOCOLS: readonly (readonly [Create, readonly Dialect[]])[] = [
  // An agent may call two tools in one answer, which the oldest form of the protocol cannot express.
  [(options) => new OpenAiCompatible(options), OPENAI_DIALECTS.filter(({ reports }) => reports.manyCalls)],
  [(options) => new Claude(options), CLAUDE_DIALECTS],
  [(options) => new Gemini(options), GEMINI_DIALECTS],
];

/** The model behind the names of the demo models, another one for each dialect. */
let create: (name: string) => BaseLlm;

/** Streams from its server, whatever the run asks for. */
class StreamedModel implements BaseLlm {
  readonly model: string;
  readonly supportsOutputSchemaWithTools = true;

  constructor(model: string) {
    this.model = model;
  }

  async *generateContentAsync(request: LlmRequest, { signal }: GenerateOptions): AsyncIterable<LlmResponse> {
    const model = create(this.model);
    request.model = model.model;
    for await (const response of model.generateContentAsync(request, { signal, stream: true }))
      if (response.partial !== true) yield response;
  }
}

defaultModelRegistry.register(/^demo\//, (name) => new StreamedModel(name));

for (const [createModel, dialects] of PROTOCOLS)
  describe.each(dialects)("sample agents whose model is $name", (dialect) => {
    let server: WireServer;
    beforeAll(async () => {
      server = await startDemoServer(dialect);
      create = (name) => createModel({ model: demoName(dialect, name), baseUrl: server.url, apiKey: "test-key" });
    });
    afterAll(() => server[Symbol.asyncDispose]());

    conversesAsWritten();
  });
