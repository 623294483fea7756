import type { FunctionResponse } from "#kit/events/content.ts";
import { CONFIRMATION_CALL, INPUT_CALL } from "#kit/events/reserved-calls.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { WaitingCall } from "../runs/waiting-calls.ts";
import { McpError } from "./protocol.ts";

const CONFIRMATION_SCHEMA: JsonObject = {
  type: "object",
  properties: { confirmed: { type: "boolean", title: "Allow this", description: "Whether the call may run." } },
  required: ["confirmed"],
};
const ANSWER_SCHEMA: JsonObject = {
  type: "object",
  properties: { answer: { type: "string", description: "The answer in words, or as JSON." } },
  required: ["answer"],
};

/** The calls that ask the client's user. The final response to work that has begun comes from elsewhere. */
export function questionsOf(calls: readonly WaitingCall[]): readonly WaitingCall[] {
  return calls.filter(({ interimResponse }) => interimResponse === undefined);
}

/** The questions to the client's user, by the calls' ids. */
export function toInputRequests(calls: readonly WaitingCall[]): JsonObject {
  return Object.fromEntries(calls.map((call) => [call.id, { method: "elicitation/create", params: elicit(call) }]));
}

function elicit({ name, args }: WaitingCall): JsonObject {
  if (name === CONFIRMATION_CALL) {
    const { toolConfirmation, originalFunctionCall } = args;
    const hint = isJsonObject(toolConfirmation) ? toolConfirmation["hint"] : undefined;
    const asked = isJsonObject(originalFunctionCall) ? JSON.stringify(originalFunctionCall) : "";
    const message = `${typeof hint === "string" ? hint : "The agent asks for a confirmation."}\n${asked}`.trim();
    return { mode: "form", message, requestedSchema: CONFIRMATION_SCHEMA };
  }
  if (name === INPUT_CALL) {
    const { message, response_schema: schema } = args;
    const text = typeof message === "string" ? message : "The agent asks for data.";
    return { mode: "form", message: text, requestedSchema: isForm(schema) ? schema : ANSWER_SCHEMA };
  }
  const message = `The agent waits for the answer to ${name}(${JSON.stringify(args)}).`;
  return { mode: "form", message, requestedSchema: ANSWER_SCHEMA };
}

/** Clients show forms of flat objects alone. */
function isForm(schema: JsonValue | undefined): schema is JsonObject {
  if (!isJsonObject(schema) || schema["type"] !== "object" || !isJsonObject(schema["properties"])) return false;
  const types = ["string", "number", "integer", "boolean"];
  return Object.values(schema["properties"]).every(
    (field) => isJsonObject(field) && types.includes(String(field["type"])),
  );
}

/**
 * The answers of the client's user to waiting calls; others are ignored. Throws an `McpError` for an answer of another
 * form than that of an elicitation.
 */
export function toFunctionResponses(answers: JsonValue | undefined, calls: readonly WaitingCall[]): FunctionResponse[] {
  if (!isJsonObject(answers)) throw new McpError("INVALID_PARAMS", "`inputResponses` should be an object.");
  return calls.flatMap((call) => {
    if (!Object.hasOwn(answers, call.id)) return [];
    const answer = answers[call.id];
    const action = isJsonObject(answer) ? answer["action"] : undefined;
    if (!isJsonObject(answer) || (action !== "accept" && action !== "decline" && action !== "cancel"))
      throw new McpError(
        "INVALID_PARAMS",
        `The response to "${call.id}" should have an action: accept, decline or cancel.`,
      );
    const { content = {} } = answer;
    if (!isJsonObject(content))
      throw new McpError("INVALID_PARAMS", `The content of "${call.id}" should be an object.`);
    return [{ id: call.id, name: call.name, response: responseOf(call, action === "accept" ? content : undefined) }];
  });
}

function responseOf({ name }: WaitingCall, content: JsonObject | undefined): JsonObject {
  if (name === CONFIRMATION_CALL) return { confirmed: content?.["confirmed"] === true };
  return content ?? { error: "The user has declined to answer." };
}
