import type { Stores } from "#adapters/stores.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { KeyStore } from "#ports/api-keys/key-store.ts";
import { STORE_MEMBERS, type WatchStore } from "./open-stores.ts";

/**
 * Stores that a program has opened, each optional. Sessions and the journal of runs come from one store, and are given
 * together. The `keyStore` is used if the setting AUTH has `api-key`. The server disposes of the object when it closes.
 */
export type ServerStores = { readonly keyStore?: KeyStore | undefined } & {
  readonly [Member in keyof (Stores & AsyncDisposable & Disposable)]?:
    | (Stores & AsyncDisposable & Disposable)[Member]
    | undefined;
};

/** The members of all objects; of two that have the same one, the later object's. */
export function mergeStores(given: readonly ServerStores[]): Partial<Stores> {
  const merged: Record<string, unknown> = {};
  for (const stores of given) {
    for (const member of STORE_MEMBERS) if (stores[member] !== undefined) merged[member] = stores[member];
  }
  // Each member was taken from an object that has it with this type.
  return merged as Partial<Stores>;
}

/** The keys of the last object that has some, which may open them only then. Undefined if there is none. */
export function keyStoreOf(given: readonly ServerStores[]): KeyStore | undefined {
  for (const { keyStore } of given.toReversed()) if (keyStore !== undefined) return keyStore;
  return undefined;
}

/** What is wrong with the objects, one sentence each. */
export function storeProblems(given: readonly ServerStores[]): readonly string[] {
  const problems = given.flatMap((stores, index) => {
    const isEmpty = !("keyStore" in stores) && STORE_MEMBERS.every((member) => stores[member] === undefined);
    return isEmpty ? [`stores[${index}] has no store: give one of ${STORE_MEMBERS.join(", ")}, keyStore.`] : [];
  });
  const { sessionService, runJournal } = mergeStores(given);
  if ((sessionService === undefined) !== (runJournal === undefined)) {
    const missing = sessionService === undefined ? "sessionService" : "runJournal";
    problems.push(`stores.${missing} is missing: sessions and the journal of their runs come from one store.`);
  }
  return problems;
}

/** Observes the calls of the stores; a store that has several members' roles is observed once. */
export function watchStores(stores: Stores, watch: WatchStore): Stores {
  const journal = watch("session", { store: stores.runJournal });
  const isOneStore = Object.is(stores.sessionService, stores.runJournal);
  return {
    // The observed store has all members of the store itself.
    sessionService: isOneStore ? (journal as RunJournal & SessionService) : stores.sessionService,
    runJournal: journal,
    artifactService: watch("artifact", { store: stores.artifactService }),
    memoryService: watch("memory", { store: stores.memoryService }),
    evalStore: watch("eval", { store: stores.evalStore }),
    credentialService: watch("credential", { store: stores.credentialService }),
    evalJobStore: watch("eval", { store: stores.evalJobStore }),
  };
}
