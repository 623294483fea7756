import { isDeepStrictEqual } from "node:util";
import { ReplayVerificationError } from "../errors/replay-errors.ts";
import type { Content } from "../events/content.ts";
import type { LlmResponse } from "../models/llm-response.ts";
import type { JsonObject } from "../platform/json.ts";
import type { Recording } from "./replay-recordings.ts";

const MAX_QUOTED_CHARACTERS = 200;

/** A run's position in its recordings. */
export class ReplayCursor {
  readonly #left: ReadonlyMap<string, Recording[]>;

  constructor(recordings: ReadonlyMap<string, Recording[]>) {
    this.#left = recordings;
  }

  /** How many recordings the run has not used. */
  get left(): number {
    return [...this.#left.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** The next recorded answer of the agent's model, and whether its prompt was the same. */
  nextAnswer(agentName: string, contents: readonly Content[]): { answer: LlmResponse; isSame: boolean } {
    const left = this.#left.get(agentName) ?? [];
    const next = left[0];
    if (next?.kind !== "model") throw differs(`Agent "${agentName}" asked its model`, next);
    left.shift();
    // The chunks of a stream come before the complete answer, which is the last response.
    const answer = next.responses.findLast(({ partial }) => partial !== true) ?? next.responses.at(-1);
    if (answer === undefined) throw new ReplayVerificationError(`An answer of agent "${agentName}" was not recorded.`);
    const isSame = next.contents.length === 0 || isDeepStrictEqual(comparable(next.contents), comparable(contents));
    return { answer, isSame };
  }

  /** The tool's recorded response. Parallel calls may come in any order. */
  nextResponse(agentName: string, name: string, args: JsonObject): JsonObject {
    const left = this.#left.get(agentName) ?? [];
    const called = `Agent "${agentName}" called ${quote(name, args)}`;
    for (const [index, recording] of left.entries()) {
      if (recording.kind !== "tool") break;
      if (recording.name !== name || !isDeepStrictEqual(recording.args, args)) continue;
      left.splice(index, 1);
      return recording.response;
    }
    throw differs(called, left[0]);
  }
}

function differs(what: string, recorded: Recording | undefined): ReplayVerificationError {
  if (recorded === undefined) return new ReplayVerificationError(`${what}, which was not recorded.`);
  const instead = recorded.kind === "model" ? "asking the model" : `calling ${quote(recorded.name, recorded.args)}`;
  return new ReplayVerificationError(`${what}; recorded was ${instead}.`);
}

function quote(name: string, args: JsonObject): string {
  return `${name}(${JSON.stringify(args)})`.slice(0, MAX_QUOTED_CHARACTERS);
}

/** Ids and signatures are new in each run. */
function comparable(contents: readonly Content[]): unknown {
  return JSON.parse(JSON.stringify(contents), (key, value: unknown) =>
    key === "id" || key === "thoughtSignature" ? undefined : value,
  );
}
