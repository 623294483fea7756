import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import { Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import { AnswerAccount } from "./answer-account.ts";

/** Limits of the bytes that a process has in memory for those who read its answers. */
export const answerConfigSchema = Type.Object({
  MAX_ANSWER_BYTES: Type.Integer({
    default: 64 * 1024 * 1024,
    minimum: 0,
    description:
      "Bytes of answers that one process may have in memory for their readers. Sessions, files and lists are written in parts, which wait for their turn beyond it; an answer that waits for five seconds is refused with 503. 0 for no limit.",
  }),
  MAX_ANSWER_BYTES_PER_USER: Type.Integer({
    default: 16 * 1024 * 1024,
    minimum: 0,
    description: "The part of `MAX_ANSWER_BYTES` that one user may have; beyond it 429. 0 for no limit.",
  }),
});

/** Throws `CONFIGURATION` if a user's part is larger than the whole. */
export function openAnswerAccount(config: ConfigOf<typeof answerConfigSchema>): AnswerAccount {
  const { MAX_ANSWER_BYTES: maxBytes, MAX_ANSWER_BYTES_PER_USER: maxBytesOfUser } = config;
  if (maxBytes > 0 && maxBytesOfUser > maxBytes)
    throw new ConfigurationException(
      `MAX_ANSWER_BYTES_PER_USER is ${maxBytesOfUser}, more than all answers may have (MAX_ANSWER_BYTES, ${maxBytes}). Make it smaller.`,
    );
  return new AnswerAccount({ maxBytes, maxBytesOfUser });
}
