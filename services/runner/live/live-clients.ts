import { TransientMap } from "#kit/cache/transient-map.ts";
import { LiveRequestQueue } from "#kit/core/context/live-request-queue.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { tenantKey } from "#kit/names/tenant.ts";
import type { StartedRun } from "#kit/runs/base/started-run.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { LiveClient } from "./live-client.ts";

/** How many leases a live run waits for its client's next call. */
const LEASES_WITHOUT_CLIENT = 2;

type Named = Pick<RunRecord, "runId" | "session">;

/**
 * The clients of the live runs of this process, by run. A client is here from its first call until its run has ended
 * here; between two calls it is waited for, and the run is ended if it does not come.
 */
export class LiveClients {
  readonly #patienceMs: number;
  /** The keys come from `tenantKey`. */
  readonly #clients = new TransientMap<string, LiveClient>();

  constructor({ LEASE_MS }: { readonly LEASE_MS: number }) {
    this.#patienceMs = LEASES_WITHOUT_CLIENT * LEASE_MS;
  }

  /** Whether the run has a client here, which is attached or is waited for. */
  has({ runId, session }: Named): boolean {
    return this.#clients.has(tenantKey(runId, session.tenantId));
  }

  /** The run's client, with this call as its newest: an earlier call no longer reads messages. See `LiveClient.attach`. */
  attach({ runId, session }: Named, onLeft: () => void, hasMissed: boolean): LiveClient {
    const name = tenantKey(runId, session.tenantId);
    const client = this.#clients.get(name) ?? this.#add(name);
    client.attach(onLeft, hasMissed);
    return client;
  }

  #add(name: string): LiveClient {
    const client = new LiveClient(this.#patienceMs, () => {
      if (this.#clients.get(name) === client) this.#clients.delete(name);
    });
    this.#clients.set(name, client);
    return client;
  }

  /** Gets what the run emits; undefined if the run has no client here. */
  receiverOf({ runId, session }: Named): LiveClient["emit"] | undefined {
    return this.#clients.get(tenantKey(runId, session.tenantId))?.emit;
  }

  /** Drops the run's client: the run has ended here, or was left to other runners. */
  forget({ runId, session }: Named): void {
    this.#clients.get(tenantKey(runId, session.tenantId))?.end();
  }

  /** The run with the queue that its client fills. A run without a client is aborted: nobody would end it. */
  connect(run: StartedRun): StartedRun {
    const { runId, session } = run.record;
    const client = this.#clients.get(tenantKey(runId, session.tenantId));
    if (client !== undefined) return { ...run, liveRequestQueue: client.queue };
    run.abort.abort(clientLeft());
    const liveRequestQueue = new LiveRequestQueue();
    liveRequestQueue.close();
    return { ...run, liveRequestQueue };
  }
}

/** Why a live run ends whose client has gone without an end of its messages. */
export function clientLeft(): PlatformError {
  return new PlatformError("RUN_INTERRUPTED", "The client of the live run has left.");
}
