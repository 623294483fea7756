/**
 * The name under which the user's answer to a question is kept until the call runs that asked it. No credential has such
 * a name by itself.
 */
export function answerKeyOf(questionId: string): string {
  return `adk_answer_${questionId}`;
}
