import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Answer, Link } from "./context/plugin-chains.ts";

/** Wraps an agent's own callbacks as links of a callback chain. */
export function ownLinks<Call>(agentName: string, calls: readonly Call[]): readonly { owner: string; call: Call }[] {
  return calls.map((call) => ({ owner: `Agent "${agentName}"`, call }));
}

/**
 * Defines how chains of callbacks run: plugins in order of registration, then the agent's own in the order given. The
 * first returned value is the chain's result; later links, the agent's included, do not run. A link that throws ends
 * the chain with an error that names its owner.
 */
export async function firstAnswer<Args extends readonly unknown[], Value>(
  hook: string,
  links: readonly Link<Args, Value>[],
  ...args: Args
): Promise<Value | undefined> {
  for (const link of links) {
    const given = callLink(hook, link, args);
    // Most callbacks answer at once, and a wait costs more than they do.
    const answer = given instanceof Promise ? await given : given;
    // A callback typed to return nothing may still return null from plain JavaScript.
    if (answer !== undefined && answer !== null) return answer;
  }
  return undefined;
}

/** Runs every link, even if others throw; returns the thrown errors, in order. */
export async function callAll<Args extends readonly unknown[]>(
  hook: string,
  links: readonly Link<Args, unknown>[],
  ...args: Args
): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  for (const link of links) {
    try {
      await callLink(hook, link, args);
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

function callLink<Args extends readonly unknown[], Value>(
  hook: string,
  link: Link<Args, Value>,
  args: Args,
): Answer<Value> {
  try {
    const answer = link.call(...args);
    if (!isThenable(answer)) return answer;
    return Promise.resolve(answer).catch((error: unknown) => {
      throw failureOf(hook, link, error);
    });
  } catch (error) {
    throw failureOf(hook, link, error);
  }
}

/** Callbacks of plain JavaScript may return promises of other libraries. */
function isThenable<Value>(answer: Answer<Value>): answer is Promise<Value | undefined | void> {
  return typeof answer === "object" && answer !== null && "then" in answer && typeof answer.then === "function";
}

function failureOf(hook: string, { owner }: Pick<Link<never, unknown>, "owner">, error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const logDetail = error instanceof Error ? error.message : String(error);
  return new PlatformError("CALLBACK_FAILED", `${owner} failed in ${hook}.`, { cause: error, logDetail });
}
