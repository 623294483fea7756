/**
 * The name under which the user's answer to a question is kept until the call runs that asked it. The prefix keeps the
 * name apart from those of credentials.
 */
export function answerKeyOf(questionId: string): string {
  return `adk_answer_${questionId}`;
}
