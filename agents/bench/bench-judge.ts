import { type BaseLlm, type LlmRequest, type LlmResponse, modelContent } from "fairlead/kit";

const VALID: LlmResponse = { content: modelContent('{"reasoning": "ok", "is_the_agent_response_valid": "valid"}') };

/** A judge that finds every answer valid, at once. */
export class BenchJudge implements BaseLlm {
  readonly model = "bench/judge";

  async *generateContentAsync(_request: LlmRequest): AsyncIterable<LlmResponse> {
    yield VALID;
  }
}
