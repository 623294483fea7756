import { CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { QuestionKind } from "./question-kind.ts";

/**
 * Asks the user to sign in, or for a key. The arguments have the form that ADK's clients read. The credential is
 * removed from the user's answer before the answer is stored, so that the stored answer only shows that the user has
 * answered.
 */
export const CREDENTIAL_QUESTION: QuestionKind<JsonValue> = {
  callName: CREDENTIAL_CALL,
  asksById: true,
  noun: "credential",
  reasons: {
    unknown: "CREDENTIAL_UNKNOWN",
    mismatch: "CREDENTIAL_MISMATCH",
    malformed: "CREDENTIAL_MALFORMED",
    alreadyUsed: "CREDENTIAL_ALREADY_USED",
  },
  expected: "an auth config as its response",
  requestsOf: (actions) => actions.requestedAuthConfigs,
  toArgs: (request, { id }) => ({ functionCallId: id, authConfig: request }),
  readAnswer: ({ id = "", response }, request) => {
    if (response === undefined || !isJsonObject(request)) return undefined;
    const credentialKey = textOf(request, "credentialKey") ?? "";
    const state = textOf(memberOf(memberOf(request, "exchangedAuthCredential"), "oauth2"), "state");
    const issuer = textOf(memberOf(request, "authScheme"), "issuer_url");
    return { kind: "credential", credential: { questionId: id, credentialKey, state, issuer } };
  },
};

function memberOf(value: JsonObject | undefined, name: string): JsonObject | undefined {
  const member = value?.[name];
  return isJsonObject(member) ? member : undefined;
}

function textOf(value: JsonObject | undefined, name: string): string | undefined {
  const member = value?.[name];
  return typeof member === "string" ? member : undefined;
}
