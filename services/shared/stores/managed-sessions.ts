import { Type } from "#kit/schema/shape.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import type { StorageReader } from "#ports/storage-limits/storage-limits.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { ContentConfig } from "./open-content-encryption.ts";
import { createOfVertex, type VertexConfig } from "./open-vertex.ts";
import type { OpenedStore, StoreContext } from "./store-context.ts";

/**
 * A managed service has no leases, so it cannot be the store of runs: `SESSION_STORE` stays the one where an event counts, and
 * the managed service has a copy that other clients can add to.
 */
export const managedSessionsConfigSchema = Type.Object({
  MANAGED_SESSIONS: Type.Union([Type.Literal("off"), Type.Literal("vertex")], {
    default: "off",
    description:
      "Keep sessions also in Google's Agent Platform, where other clients read and write them; runs stay in SESSION_STORE.",
  }),
});

type ManagedConfig = ConfigOf<typeof managedSessionsConfigSchema> & VertexConfig & ContentConfig;

type SessionStore = SessionService & RunJournal & StorageReader;

/** How long one call of the managed service may take. */
const TIMEOUT_MS = 10_000;
/** How often a call is sent: what fails is repeated with the next change of the session. */
const ATTEMPTS = 2;

/** The store with its sessions also in the managed service, if the settings name one. */
export async function withManagedSessions(
  { store, ...probes }: OpenedStore<SessionStore>,
  context: StoreContext<ManagedConfig>,
): Promise<OpenedStore<SessionStore>> {
  if (context.config.MANAGED_SESSIONS === "off") return { store, ...probes };
  const { clock, ids, logger, stack } = context;
  const [{ VertexAiSessionService }, { ManagedSessionStore }] = await Promise.all([
    import("#adapters/vertex/vertex-ai-session-service.ts"),
    import("#adapters/vertex/managed-session-store.ts"),
  ]);
  const bounds = { timeoutMs: TIMEOUT_MS, maxAttempts: ATTEMPTS, clock, ids };
  const managed = createOfVertex(
    context,
    "MANAGED_SESSIONS=vertex",
    (options) => new VertexAiSessionService({ ...options, ...bounds }),
  );
  const both = stack.use(new ManagedSessionStore({ managed, sessionService: store, runJournal: store, logger }));
  return { ...probes, store: Object.assign(both, { readStorage: store.readStorage.bind(store) }) };
}
