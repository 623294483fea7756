import {
  type BaseLlm,
  type Content,
  type FunctionResponse,
  type JsonObject,
  type LlmRequest,
  type LlmResponse,
  modelContent,
  textOf,
} from "fairlead/kit";

/** Where things stand on the page, in the coordinates of models: from 0 to 999 on both axes. */
const NAME = { x: 200, y: 150 };
const SEATS = { x: 200, y: 275 };
const BUTTON = { x: 200, y: 400 };

const SENDS = { decision: "require_confirmation", explanation: "This registers the visitor for the tour." };

/** Does what a model for computer use does, for one page that it knows: no key is needed. */
export class FormModel implements BaseLlm {
  readonly model = "form-filler";

  async *generateContentAsync({ contents, systemInstruction }: LlmRequest): AsyncIterable<LlmResponse> {
    const order = contents.findLastIndex((content) => content.role === "user" && textOf(content) !== "");
    const name = /register\s+(\p{L}+)/iu.exec(textOf(contents[order]))?.[1];
    const responses = contents.slice(order + 1).flatMap(responsesOf);
    const problem = responses.at(-1)?.response?.["error"];
    if (name === undefined) yield answer("I register visitors for a tour. Ask me, for example: Register Ada.");
    else if (problem !== undefined) yield answer(`I could not register ${name}: ${String(problem)}`);
    else yield nextStep(responses, name, systemInstruction);
  }
}

function nextStep(responses: readonly FunctionResponse[], name: string, systemInstruction: string): LlmResponse {
  const typing = { press_enter: false };
  switch (responses.length) {
    case 0:
      return call("navigate", { url: /http:\/\/[\d.:]+\//.exec(systemInstruction)?.[0] ?? "" });
    case 1:
      return call("type_text_at", { ...NAME, ...typing, text: name });
    case 2:
      return call("type_text_at", { ...SEATS, ...typing, text: "2" });
    case 3:
      return call("click_at", { ...BUTTON, safety_decision: SENDS });
    default:
      return answer(`${name} is registered with two seats.`);
  }
}

function responsesOf({ parts = [] }: Content): readonly FunctionResponse[] {
  return parts.flatMap(({ functionResponse }) => functionResponse ?? []);
}

function call(name: string, args: JsonObject): LlmResponse {
  return { content: { role: "model", parts: [{ functionCall: { name, args } }] } };
}

function answer(text: string): LlmResponse {
  return { content: modelContent(text) };
}
