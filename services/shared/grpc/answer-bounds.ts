import type { ServiceDefinition } from "@grpc/grpc-js";

/**
 * The most bytes that the answer to a call has in memory, each copy counted: of a stream, what is in memory of it at a time.
 * `small` is less than 64 KiB by constants, which costs less than the system's own buffers of a connection; `of-a-run` is
 * what a run needs of its session, of which there are as many as runners may execute at a time; `of-the-operator` is as
 * large as the operator's agents.
 */
export type AnswerBound<Request> = "small" | "of-a-run" | "of-the-operator" | number | ((request: Request) => number);

/** A bound for each method of a service's generated definition, so that none can be forgotten. */
export type AnswerBounds<Definition extends ServiceDefinition> = {
  readonly [Method in keyof Definition as string extends Method ? never : Method]: AnswerBound<
    // The library declares the request type only on this function.
    ReturnType<Definition[Method]["requestDeserialize"]>
  >;
};

/** Bounds of a process by path, `/package.Service/Method`, of the answers that are not small. */
export type AnswerBoundsByPath = ReadonlyMap<string, number | ((request: unknown) => number)>;

export function answerBounds<Definition extends ServiceDefinition>(
  definition: Definition,
  bounds: AnswerBounds<Definition>,
): AnswerBoundsByPath {
  const byMethod = new Map(Object.entries<unknown>(bounds));
  const large = new Map<string, number | ((request: unknown) => number)>();
  for (const [method, { path }] of Object.entries(definition)) {
    // The types have checked each bound against its method's own request.
    const bound = byMethod.get(method) as AnswerBound<unknown> | undefined;
    if (bound === undefined) throw new TypeError(`${path} has no bound for its answer.`);
    if (typeof bound !== "string") large.set(path, bound);
  }
  return large;
}
