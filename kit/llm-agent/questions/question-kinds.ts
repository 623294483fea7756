import { CONFIRMATION_QUESTION } from "./confirmation-question.ts";
import { CREDENTIAL_QUESTION } from "./credential-question.ts";
import { INPUT_QUESTION } from "./input-question.ts";
import type { QuestionKind } from "./question-kind.ts";

/** All kinds of questions about calls. */
export const QUESTION_KINDS: readonly QuestionKind[] = [CONFIRMATION_QUESTION, INPUT_QUESTION, CREDENTIAL_QUESTION];

/** Returns the kind with this reserved name, or undefined. */
export function questionKindOf(callName: string | undefined): QuestionKind | undefined {
  return QUESTION_KINDS.find((kind) => kind.callName === callName);
}
