import type { ListTaskPushNotificationConfigsResponse, TaskPushNotificationConfig } from "@a2a-js/sdk";
import { TaskNotFoundError } from "@a2a-js/sdk/errors";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import { isIdentifier } from "#kit/names/identifiers.ts";
import type { AllowedHosts } from "#kit/outbound-http/allowed-hosts.ts";
import { checkUrl } from "#kit/outbound-http/check-url.ts";
import { isTerminal, type RunRecord } from "#kit/sessions/run-record.ts";
import type { PushPlace, PushStore, PushTarget } from "#ports/push/push-store.ts";
import type { RouteDeps } from "../deps.ts";
import { newestRun } from "../runs/newest-run.ts";
import type { A2aVersion } from "./protocol.ts";
import { malformed } from "./task-errors.ts";
import { nameOf } from "./task-view.ts";

export interface TaskPushesOptions {
  readonly store: PushStore;
  readonly allowedHosts: AllowedHosts;
  /** The version of the protocol that a client of this request gets in notifications. */
  readonly version: () => A2aVersion;
  /** Called when deliveries of this process may be due. */
  readonly onDue: () => void;
}

/** How long the configuration of a task that has ended is kept, in milliseconds. */
export const KEPT_AFTER_END_MS = 24 * 60 * 60 * 1000;

const MAX_URL_LENGTH = 2048;
const MAX_SECRET_LENGTH = 4096;
const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const SCHEME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;

/** The push notification configurations of the tasks of one request. No answer has a token or credentials. */
export class TaskPushes {
  readonly #deps: RouteDeps;
  readonly #options: TaskPushesOptions;

  constructor(deps: RouteDeps, options: TaskPushesOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** What the client asks for. The id is empty if it gives none. Throws an error that names the wrong member. */
  read(given: Partial<TaskPushNotificationConfig>, field: string): PushTarget {
    const { id = "", url = "", token = "", authentication } = given;
    const { scheme = "", credentials = "" } = authentication ?? {};
    if (id !== "" && !isIdentifier(id)) throw malformed(`\`${field}id\` should be a valid identifier.`);
    if (typeof url !== "string" || url === "" || url.length > MAX_URL_LENGTH)
      throw malformed(`\`${field}url\` should be a URL of at most ${MAX_URL_LENGTH} characters.`);
    assertSecret(token, `${field}token`);
    assertSecret(credentials, `${field}authentication.credentials`);
    if ((scheme !== "" || credentials !== "") && !SCHEME.test(scheme))
      throw malformed(`\`${field}authentication.scheme\` should be a scheme of HTTP, such as Bearer.`);
    try {
      checkUrl(url, this.#options.allowedHosts);
    } catch (error) {
      throw malformed(`\`${field}url\`: ${toPlatformError(error).message}`);
    }
    return {
      ...{ id, url, token: token || undefined },
      authentication: scheme === "" ? undefined : { scheme, credentials: credentials || undefined },
    };
  }

  /** For the task of a message, from the message's run on. */
  async addTo(first: RunRecord, run: RunRecord, target: PushTarget): Promise<void> {
    const place = { runId: run.runId, sequence: run.baseRevision, isBegun: false, isAtEnd: false };
    await this.#save(first, target, { place, isOver: false });
  }

  /** For the updates of the task from now on. */
  async create(first: RunRecord, given: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    const target = this.read(given, "");
    const { runId, status, baseRevision } = await newestRun(this.#deps, first);
    const isAtEnd = isTerminal(status);
    const isRunning = status === "running";
    const [head] = isRunning ? await this.#deps.runJournal.getHeads([first.session]) : [];
    // Events of the run that follow a later state are of its next runs.
    const sequence = Math.max(baseRevision, head?.revision ?? 0);
    const place = { runId, sequence, isBegun: isRunning, isAtEnd };
    return this.#save(first, target, { place, isOver: isAtEnd && status !== "awaiting_input" });
  }

  /** Throws TaskNotFound if there is none. */
  async get(first: RunRecord, id: string): Promise<TaskPushNotificationConfig> {
    const target = await this.#options.store.get(nameOf(first), id || first.runId);
    if (target === undefined)
      throw new TaskNotFoundError("The task has no push notification configuration of this id.");
    return shown(first, target);
  }

  async list(first: RunRecord): Promise<ListTaskPushNotificationConfigsResponse> {
    const targets = await this.#options.store.list(nameOf(first));
    return { configs: targets.map((target) => shown(first, target)), nextPageToken: "" };
  }

  async delete(first: RunRecord, id: string): Promise<void> {
    await this.#options.store.delete(nameOf(first), id || first.runId);
  }

  /** The task that waited for its client continues. */
  async goesOn(first: RunRecord): Promise<void> {
    await this.#options.store.wake(nameOf(first), this.#deps.clock.now());
    this.#options.onDue();
  }

  async #save(
    first: RunRecord,
    given: PushTarget,
    { place, isOver }: { readonly place: PushPlace; readonly isOver: boolean },
  ): Promise<TaskPushNotificationConfig> {
    const { store, version, onDue } = this.#options;
    const nowMs = this.#deps.clock.now();
    // The same default as other servers have.
    const target = { ...given, id: given.id || first.runId };
    const dueMs = isOver ? nowMs + KEPT_AFTER_END_MS : nowMs;
    await store.save({ task: nameOf(first), target, version: version(), state: { place, isOver }, dueMs, nowMs });
    onDue();
    return shown(first, target);
  }
}

function assertSecret(text: string, field: string): void {
  if (text === "" || (text.length <= MAX_SECRET_LENGTH && HEADER_TEXT.test(text))) return;
  throw malformed(`\`${field}\` should have at most ${MAX_SECRET_LENGTH} printable characters of ASCII.`);
}

function shown({ runId }: RunRecord, { id, url, authentication }: PushTarget): TaskPushNotificationConfig {
  return {
    ...{ tenant: "", taskId: runId, id, url, token: "" },
    authentication: authentication && { scheme: authentication.scheme, credentials: "" },
  };
}
