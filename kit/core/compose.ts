import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Link } from "./context/plugin-chains.ts";

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
    const answer = await callLink(hook, link, args);
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

async function callLink<Args extends readonly unknown[], Value>(
  hook: string,
  link: Link<Args, Value>,
  args: Args,
): Promise<Value | undefined | void> {
  try {
    return await link.call(...args);
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    const logDetail = error instanceof Error ? error.message : String(error);
    throw new PlatformError("CALLBACK_FAILED", `${link.owner} failed in ${hook}.`, { cause: error, logDetail });
  }
}
