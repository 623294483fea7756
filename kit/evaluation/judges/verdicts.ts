import type { JudgeAnswer } from "./ask-judge.ts";

/** The verdict that results from a judge's samples. */
export interface Verdict {
  /** 1 for yes and 0 for no; absent without a verdict. */
  readonly score: 0 | 1 | undefined;
  /** The problems of the answers; empty if there are none. */
  readonly remarks: readonly string[];
}

/**
 * The majority of the samples; a tie is a no. Answers that cannot be read do not count. There is no verdict if the
 * judge failed to answer one of the samples.
 */
export function majority(answers: readonly JudgeAnswer[], read: (text: string) => boolean | undefined): Verdict {
  const failed = failureRemarks(answers);
  if (failed.length > 0) return { score: undefined, remarks: failed };
  const votes = answers.map((answer) => (answer.kind === "answer" ? read(answer.text) : undefined));
  const remarks = unreadableRemarks(votes.filter((vote) => vote === undefined).length, votes.length);
  const [yes, no] = [true, false].map((wanted) => votes.filter((vote) => vote === wanted).length);
  if (yes === undefined || no === undefined || yes + no === 0) return { score: undefined, remarks };
  return { score: yes > no ? 1 : 0, remarks };
}

/** Empty if the judge answered all. */
export function failureRemarks(answers: readonly JudgeAnswer[]): readonly string[] {
  const failed = answers.filter((answer) => answer.kind === "failed");
  const [first] = failed;
  if (first === undefined) return [];
  return [`The judge failed to answer ${failed.length} of ${answers.length} samples: ${first.why}`];
}

export function unreadableRemarks(count: number, total: number): readonly string[] {
  return count === 0 ? [] : [`${count} of ${total} answers of the judge could not be read.`];
}
