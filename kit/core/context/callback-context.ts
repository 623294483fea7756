import type { ArtifactVersion } from "#kit/artifacts/artifact-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Part } from "#kit/events/content.ts";
import { createEventActions, type MutableEventActions } from "#kit/events/event-actions.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import { State } from "#kit/sessions/state.ts";
import type { InvocationContext } from "./invocation-context.ts";
import { ReadonlyContext } from "./readonly-context.ts";

/** The context of callbacks: state and artifacts, whose changes become part of the event that follows. */
export class CallbackContext extends ReadonlyContext {
  /** Actions of the event under construction. */
  readonly eventActions: MutableEventActions;
  /** Id of the event under construction, if there is one. */
  readonly eventId: string | undefined;
  #state: State | undefined;

  constructor(invocationContext: InvocationContext, eventActions = createEventActions(), eventId?: string) {
    super(invocationContext);
    this.eventActions = eventActions;
    this.eventId = eventId;
  }

  /** Reads return earlier writes of this run; writes go into the event's state delta. */
  get state(): State {
    this.#state ??= new State(this.invocationContext.session.state, this.eventActions.stateDelta);
    return this.#state;
  }

  get hasStateDelta(): boolean {
    for (const _ in this.eventActions.stateDelta) return true;
    return false;
  }

  /** Names of the session's and the user's artifacts, sorted. */
  async listArtifacts(): Promise<readonly string[]> {
    return (await this.#artifacts().listArtifactKeys(this.#key())).filenames;
  }

  async loadArtifact(filename: string, version?: number): Promise<Part | undefined> {
    return this.#artifacts().loadArtifact({ session: this.#key(), filename }, version);
  }

  /** Saves a new version and returns its number. */
  async saveArtifact(filename: string, artifact: Part, customMetadata?: JsonObject): Promise<number> {
    const saved: ArtifactVersion = await this.#artifacts().saveArtifact({
      session: this.#key(),
      filename,
      artifact,
      ...(customMetadata !== undefined && { customMetadata }),
    });
    this.eventActions.artifactDelta[filename] = saved.version;
    const { deletedArtifactIds } = this.eventActions;
    if (deletedArtifactIds !== undefined)
      this.eventActions.deletedArtifactIds = deletedArtifactIds.filter((name) => name !== filename);
    return saved.version;
  }

  /** Deletes all versions of the artifact. */
  async deleteArtifact(filename: string): Promise<void> {
    await this.#artifacts().deleteArtifact({ session: this.#key(), filename });
    delete this.eventActions.artifactDelta[filename];
    this.eventActions.deletedArtifactIds = [...new Set([...(this.eventActions.deletedArtifactIds ?? []), filename])];
  }

  #key() {
    return sessionKey(this.invocationContext.session);
  }

  #artifacts() {
    const service = this.invocationContext.artifactService;
    if (service === undefined) {
      throw new PlatformError("SERVICE_MISSING", "This runner has no artifact service: pass artifactService to it.");
    }
    return service;
  }
}
