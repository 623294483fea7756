import { Type } from "#kit/schema/shape.ts";

/** How long runs of clients and of evaluations may take. */
export const runTimeoutConfigSchema = Type.Object({
  RUN_TIMEOUT_MS: Type.Integer({
    default: 30 * 60 * 1000,
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: "Longest run in ms, its time in the queue included; a request may ask for less. 0 for no limit.",
  }),
});
