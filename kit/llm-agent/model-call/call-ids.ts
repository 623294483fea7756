import type { Content, FunctionCall, Part } from "#kit/events/content.ts";
import { CALL_ID_PREFIX, isReservedCall } from "#kit/events/reserved-calls.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";

/**
 * Assigns the ids of one answer's calls. Every call has a unique id: missing and repeated ones are created here, and a
 * streamed call has the same id in its chunks and in the complete answer.
 */
export class CallIds {
  readonly #ids: IdGenerator;
  /** Created ids, by the index of the call in the answer. */
  readonly #made: string[] = [];
  readonly #taken = new Set<string>();
  /** How many calls have begun in the chunks so far. */
  #begun = 0;

  constructor(ids: IdGenerator) {
    this.#ids = ids;
  }

  /** For a chunk: a call without a name continues the call before. */
  forChunk(content: Content): Content {
    return withCalls(content, (call) => {
      if (this.#begun === 0 || (call.name ?? "") !== "") this.#begun += 1;
      return hasId(call) ? call : { ...call, id: this.#idAt(this.#begun - 1) };
    });
  }

  /** For the complete answer. */
  forAnswer(content: Content): Content {
    let place = 0;
    return withCalls(content, (call) => {
      const at = place++;
      if (!hasId(call) || this.#taken.has(call.id)) return { ...call, id: this.#idAt(at) };
      this.#taken.add(call.id);
      return call;
    });
  }

  #idAt(place: number): string {
    this.#made[place] ??= CALL_ID_PREFIX + this.#ids.next();
    return this.#made[place];
  }
}

/** Whether the content has calls: most answers and chunks are text. */
export function hasCalls(content: Content | undefined): content is Content {
  for (const part of content?.parts ?? []) if (part.functionCall !== undefined) return true;
  return false;
}

function hasId(call: FunctionCall): call is FunctionCall & { readonly id: string } {
  return call.id !== undefined && call.id !== "";
}

function withCalls(content: Content, rename: (call: FunctionCall) => FunctionCall): Content {
  const parts = content.parts?.map((part): Part => {
    if (part.functionCall === undefined) return part;
    const functionCall = rename(unreserved(part.functionCall));
    return functionCall === part.functionCall ? part : { ...part, functionCall };
  });
  return parts === undefined ? content : { ...content, parts };
}

/** Only the framework asks its user. The name of a call that a model invents is changed, so that no client takes it for a question. */
function unreserved(call: FunctionCall): FunctionCall {
  return isReservedCall(call.name) ? { ...call, name: `unknown_${call.name}` } : call;
}
