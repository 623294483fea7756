import type { ArtifactVersion } from "#kit/artifacts/artifact-service.ts";
import type { AuthConfig } from "#kit/credentials/auth-config.ts";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import { credentialKeyOf } from "#kit/credentials/credential-key.ts";
import type { CredentialAnswer, CredentialScope } from "#kit/credentials/credential-scope.ts";
import { CredentialManager } from "#kit/credentials/manager/credential-manager.ts";
import { keepStored, loadStored } from "#kit/credentials/manager/stored-credential.ts";
import { authorizationRequest } from "#kit/credentials/oauth/authorization-request.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Part } from "#kit/events/content.ts";
import {
  createEventActions,
  type MutableEventActions,
  type ToolConfirmation,
  type ToolInputRequest,
} from "#kit/events/event-actions.ts";
import type { SearchMemoryResponse } from "#kit/memory/memory-service.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import { State } from "#kit/sessions/state.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";
import { credentialScopeOf } from "./credential-scope.ts";
import type { InvocationContext } from "./invocation-context.ts";
import { ReadonlyContext } from "./readonly-context.ts";

/** The context of callbacks: state and artifacts, whose changes become part of the event that follows. */
export class CallbackContext extends ReadonlyContext {
  /** Actions of the event under construction. */
  readonly eventActions: MutableEventActions;
  /** Id of the event under construction, if there is one. */
  readonly eventId: string | undefined;
  /** The span of the model or tool call that the context belongs to; outside of calls the agent's. */
  span: ActiveSpan;
  #state: State | undefined;
  readonly #requests: Promise<void>[] = [];

  constructor(invocationContext: InvocationContext, eventActions = createEventActions(), eventId?: string) {
    super(invocationContext);
    this.eventActions = eventActions;
    this.eventId = eventId;
    this.span = invocationContext.span;
  }

  /**
   * W3C's trace context of the call, for requests to other servers: send it as the header `traceparent`, and their spans
   * become children of the call's.
   */
  get traceParent(): string {
    return this.span.traceParent;
  }

  /** This context: for callbacks that take the members of their first argument, as in `({ context, request }) => …`. */
  get context(): this {
    return this;
  }

  /** The same object as `eventActions`. */
  get actions(): MutableEventActions {
    return this.eventActions;
  }

  /** Id of the tool call that the context belongs to; undefined outside tool calls. */
  get functionCallId(): string | undefined {
    return undefined;
  }

  /** The user's answer to a confirmation of the tool call; undefined if there is none. */
  get toolConfirmation(): ToolConfirmation | undefined {
    return undefined;
  }

  /** Aborts when the run is cancelled. */
  get signal(): AbortSignal {
    return this.invocationContext.signal;
  }

  /** The same as `signal`. */
  get abortSignal(): AbortSignal {
    return this.signal;
  }

  /** Reads return earlier writes of this run; writes go into the event's state delta. */
  override get state(): State {
    this.#state ??= new State(this.invocationContext.session.state, this.eventActions.stateDelta);
    return this.#state;
  }

  get hasStateDelta(): boolean {
    for (const _ in this.eventActions.stateDelta) return true;
    return false;
  }

  /** Names of the session's and the user's artifacts, sorted. Throws `SERVICE_MISSING`. */
  async listArtifacts(): Promise<readonly string[]> {
    return (await this.#artifacts().listArtifactKeys(this.#key())).filenames;
  }

  /** The given version of an artifact or the newest; undefined if there is none. Throws `SERVICE_MISSING`. */
  async loadArtifact(filename: string, version?: number): Promise<Part | undefined> {
    return this.#artifacts().loadArtifact({ session: this.#key(), filename }, version);
  }

  /** Saves a new version and returns its number, from 0. Throws `SERVICE_MISSING`. */
  async saveArtifact(filename: string, artifact: Part, customMetadata?: JsonObject): Promise<number> {
    const saved: ArtifactVersion = await this.#artifacts().saveArtifact({
      session: this.#key(),
      filename,
      artifact,
      customMetadata,
    });
    this.eventActions.artifactDelta[filename] = saved.version;
    const { deletedArtifactIds } = this.eventActions;
    if (deletedArtifactIds !== undefined)
      this.eventActions.deletedArtifactIds = deletedArtifactIds.filter((name) => name !== filename);
    return saved.version;
  }

  /** Deletes all versions of the artifact. Throws `SERVICE_MISSING`. */
  async deleteArtifact(filename: string): Promise<void> {
    await this.#artifacts().deleteArtifact({ session: this.#key(), filename });
    delete this.eventActions.artifactDelta[filename];
    this.eventActions.deletedArtifactIds = [...new Set([...(this.eventActions.deletedArtifactIds ?? []), filename])];
  }

  /**
   * Asks the user to confirm this tool call. The run ends with the question. When the user has answered, yes or no, the
   * tool is called again with the same arguments, and reads the answer from `toolConfirmation`. Until then the model
   * gets what the tool returns now. Throws `FIELD_MISSING` outside tool calls.
   */
  requestConfirmation(question: { readonly hint?: string; readonly payload?: JsonValue } = {}): void {
    this.actions.requestedToolConfirmations[this.#callId("requestConfirmation")] = { ...question, confirmed: false };
  }

  /**
   * Asks the user for data. The run ends with the question. When the user has answered, the tool is called again with
   * the same arguments, and reads the answer and this request from `toolInput`; it may ask again. Until then the model
   * gets what the tool returns now. Throws `FIELD_MISSING` outside tool calls.
   */
  requestInput(request: ToolInputRequest): void {
    const callId = this.#callId("requestInput");
    this.actions.requestedInputs = { ...this.actions.requestedInputs, [callId]: request };
  }

  /**
   * Asks the user for a credential: to sign in, or for a key. The run ends with the question. When the user has
   * answered, the tool is called again with the same arguments, and gets the credential from `getAuthResponse`. Until
   * then the model gets what the tool returns now. The call need not be awaited. Throws `FIELD_MISSING` outside tool
   * calls, and rejects with `CREDENTIAL_UNUSABLE` if the config does not suffice for a sign-in.
   */
  requestCredential(authConfig: AuthConfig): Promise<void> {
    const callId = this.#callId("requestCredential");
    const request = authorizationRequest(authConfig, this.credentialScope).then((shown) => {
      this.actions.requestedAuthConfigs[callId] = shown;
    });
    // If the tool does not await the request, the kit does (`credentialsRequested`): a failure is not an unhandled
    // rejection.
    request.catch(() => undefined);
    this.#requests.push(request);
    return request;
  }

  /**
   * Resolves when all credentials that were asked for are part of the event; undefined if there are none. Rejects if
   * one could not be asked for.
   */
  credentialsRequested(): Promise<unknown> | undefined {
    return this.#requests.length === 0 ? undefined : Promise.all(this.#requests);
  }

  /**
   * The user's credential for the config, ready for use: the answer to `requestCredential`, or the one that is stored,
   * refreshed if it has expired. Undefined if the user has to be asked. Throws `CREDENTIAL_DENIED` if the user has just
   * refused, and `CREDENTIAL_EXCHANGE_FAILED`.
   */
  async getAuthResponse(authConfig: AuthConfig): Promise<AuthCredential | undefined> {
    return new CredentialManager(authConfig).getAuthCredential(this);
  }

  /** The user's stored credential for the config as it is, perhaps expired; undefined if there is none. */
  async loadCredential(authConfig: AuthConfig): Promise<AuthCredential | undefined> {
    return (await loadStored(this.credentialScope, credentialKeyOf(authConfig)))?.credential;
  }

  /** Stores the config's exchanged credential for the user. Throws `FIELD_MISSING` if there is none. */
  async saveCredential(authConfig: AuthConfig): Promise<void> {
    const { exchangedAuthCredential } = authConfig;
    if (exchangedAuthCredential === undefined)
      throw new PlatformError("FIELD_MISSING", "saveCredential needs exchangedAuthCredential in its config.");
    await keepStored(this.credentialScope, credentialKeyOf(authConfig), exchangedAuthCredential);
  }

  /** How this call gets its user's credentials. Throws `SERVICE_MISSING`. */
  get credentialScope(): CredentialScope {
    return credentialScopeOf(this.invocationContext, { signal: this.signal, answer: this.credentialAnswer });
  }

  /** The user's answer to `requestCredential` of this call; undefined if there is none. */
  get credentialAnswer(): CredentialAnswer | undefined {
    return undefined;
  }

  /** Searches the memory of the session's user. Throws `SERVICE_MISSING`. */
  async searchMemory(query: string): Promise<SearchMemoryResponse> {
    const { memoryService, session } = this.invocationContext;
    if (memoryService === undefined) {
      throw new PlatformError("SERVICE_MISSING", "This runner has no memory service: pass memoryService to it.");
    }
    const { tenantId, appName, userId } = session;
    return memoryService.searchMemory({ ...inTenant(tenantId), appName, userId }, query);
  }

  #callId(operation: string): string {
    if (this.functionCallId !== undefined) return this.functionCallId;
    throw new PlatformError("FIELD_MISSING", `${operation} needs a call to belong to: use it while a tool runs.`);
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
