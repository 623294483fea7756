import type { StoredEvent } from "#kit/events/event-record.ts";
import type { OutsideAppend } from "#ports/sessions/session-operations.ts";
import { TabularSessionStore } from "#ports/sessions/tabular-session-store.ts";
import { assertDataOwner, type DataOwner, dataOwner } from "#ports/tenants/data-owner.ts";
import { readDataPage } from "#ports/tenants/data-pages.ts";
import type {
  DataDeletion,
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
} from "#ports/tenants/tenant-data.ts";
import { NetworkRunner, type NetworkRunnerOptions } from "./network-runner.ts";
import type { NetworkHead, SessionDatabase } from "./session-database.ts";
import { SharedAppends } from "./shared-appends.ts";

/** Sessions, runs and leases in a database on a network, by the rules that all stores share. */
export class NetworkSessionStore<Version> extends TabularSessionStore<NetworkHead<Version>> {
  readonly #database: SessionDatabase<Version>;
  readonly #appends: SharedAppends<NetworkHead<Version>>;

  constructor(options: NetworkRunnerOptions<Version>) {
    super({ runner: new NetworkRunner(options), ids: options.ids, limits: options.limits });
    this.#database = options.database;
    this.#appends = new SharedAppends(this.runner);
  }

  protected override appendOutside(append: OutsideAppend): Promise<readonly StoredEvent[]> {
    return this.#appends.append(append);
  }

  override async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return readDataPage(request, (place) => this.#database.ownedItems(dataOwner(request), place));
  }

  /** The sessions are deleted one by one, with what is counted of them. */
  override async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    const owner = dataOwner(request);
    let deleted = 0;
    for await (const session of this.#database.ownedSessions(owner)) {
      if (deleted === request.limit) return { deleted, isDone: false };
      await this.deleteSession(session);
      deleted += 1;
    }
    await this.#database.deleteStates(owner);
    return { deleted, isDone: true };
  }

  override async beginDeletion(owner: DataOwner): Promise<DataDeletion> {
    assertDataOwner(owner);
    return this.#database.beginDeletion(dataOwner(owner));
  }

  override async endDeletion(owner: DataOwner): Promise<void> {
    assertDataOwner(owner);
    await this.#database.endDeletion(dataOwner(owner));
  }

  override listDeletions(): Promise<readonly DataDeletion[]> {
    return this.#database.listDeletions();
  }
}
