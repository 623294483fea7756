import type { ContentKeys } from "./content-keys.ts";
import { type ContentSealer, EnvelopeSealer } from "./content-sealer.ts";
import { MissingContentKey, MissingContentKeys } from "./missing-content-key.ts";

/**
 * The most attempts of one call, each of which may find another missing key. A history has the keys of all processes
 * that wrote to it.
 */
const MAX_KEYS_OF_CALL = 1_000;

/** Encryption of a process's stores. */
export class ContentEncryption {
  readonly sealer: ContentSealer;
  readonly #keys: ContentKeys;

  constructor(keys: ContentKeys) {
    this.#keys = keys;
    this.sealer = new EnvelopeSealer(keys);
  }

  /**
   * Wraps the store: when a method throws `MissingContentKey`, the key is loaded and the method is called again. A
   * store must therefore undo its writes before it throws the error, or recognise them in the repeated call.
   */
  withKeys<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        // Methods that use private members need the store itself, and not this proxy, as their receiver.
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...args: readonly unknown[]) => this.#call(() => Reflect.apply(member, target, args));
      },
    });
  }

  #call(method: () => unknown): unknown {
    try {
      const result = method();
      return result instanceof Promise ? result.catch((error: unknown) => this.#repeat(method, error)) : result;
    } catch (error) {
      return this.#repeat(method, error);
    }
  }

  async #repeat(method: () => unknown, first: unknown): Promise<unknown> {
    let problem = first;
    for (let keys = 0; keys < MAX_KEYS_OF_CALL; keys += 1) {
      if (problem instanceof MissingContentKeys) await this.#keys.loadAll(problem.keys);
      else if (problem instanceof MissingContentKey) await this.#keys.load(problem);
      else break;
      try {
        return await method();
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  }
}
