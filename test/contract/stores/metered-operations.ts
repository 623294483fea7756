import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { NO_ACTIONS } from "#kit/events/event-actions.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { oldDataOf } from "#ports/tenants/old-data.ts";
import type { MeteredOwner, MeteredStoreContract } from "./metered-store.ts";

type Operations<Store extends MeteredStore> = Omit<MeteredStoreContract<Store>, "create">;

/** Files of a session, one for each name. */
export const ARTIFACTS: Operations<ArtifactService & MeteredStore> = {
  kind: "artifacts",
  put: (store, owner, { name, text }) =>
    store.saveArtifact({ session: { ...owner, id: "s" }, filename: name, artifact: { text } }),
  remove: (store, owner, name) => store.deleteArtifact({ session: { ...owner, id: "s" }, filename: name }),
  count: async (store, owner, names) => {
    const { filenames } = await store.listArtifactKeys({ ...owner, id: "s" });
    return names.filter((name) => filenames.includes(name)).length;
  },
  replaces: false,
};

/** The memory of sessions of one event. */
export const MEMORY: Operations<MemoryService & MeteredStore> = {
  kind: "memory",
  put: (store, owner, { name, text }) =>
    store.addSessionToMemory({
      ...{ ...owner, id: name, state: {}, lastUpdateTime: 0, revision: 1 },
      events: [
        {
          id: "e",
          invocationId: "i",
          author: "user",
          timestamp: 1,
          actions: NO_ACTIONS,
          content: { parts: [{ text: `${name} ${text}` }] },
        },
      ],
    }),
  remove: (store, owner, name) => store.deleteSessionMemory(owner, name),
  count: async (store, owner, names) => {
    const found = await Promise.all(names.map((name) => store.searchMemory(owner, name)));
    return found.filter(({ memories }) => memories.length > 0).length;
  },
  replaces: true,
};

/** Sets of no case, whose description has the text. */
export const EVALUATION_SETS: Operations<EvalStore & MeteredStore> = {
  kind: "evaluations",
  put: (store, owner, { name, text }) =>
    store.createEvalSet({ ...appOf(owner), evalSetId: name, description: text, creationTimestamp: 1 }),
  remove: (store, owner, name) => store.deleteEvalSet({ ...appOf(owner), evalSetId: name }),
  count: async (store, owner, names) => {
    const stored = await store.listEvalSets(appOf(owner));
    return names.filter((name) => stored.includes(name)).length;
  },
  replaces: false,
};

/** Results of no case, of a set whose name is the text. Only their age deletes them. */
export const EVALUATION_RESULTS: Operations<EvalStore & MeteredStore> = {
  kind: "evaluations",
  put: (store, owner, { name, text }) =>
    store.saveEvalSetResult(appOf(owner), {
      ...{ evalSetResultId: name, evalSetResultName: name, evalSetId: text, evalCaseResults: [], creationTimestamp: 1 },
    }),
  remove: (store, owner, name) =>
    oldDataOf(store).deleteOldData({ ...appOf(owner), items: [{ id: name }], before: 2000 }),
  count: async (store, owner, names) => {
    const stored = await store.listEvalSetResults(appOf(owner));
    return names.filter((name) => stored.includes(name)).length;
  },
  replaces: true,
};

function appOf({ appName, tenantId }: MeteredOwner) {
  return { appName, ...(tenantId !== undefined && { tenantId }) };
}
