import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { isHandedOver, isLost } from "#kit/core/context/run-outcome.ts";
import type { CredentialOwner } from "#kit/credentials/credential-service.ts";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { LiveResumption } from "#kit/models/base-llm-connection.ts";
import { inTenant } from "#kit/names/tenant.ts";
import { isJsonObject, type JsonValue } from "#kit/platform/json.ts";

/** A stored handle, and the newest event that the provider's session has. */
export interface StoredHandle extends LiveResumption {
  readonly afterEventId: string | undefined;
}

/** The name that a run's handle is stored under. */
export function liveHandleName(invocationId: string): string {
  return `adk_live_${invocationId}`;
}

/**
 * The handle of the session at the provider, for the next runner. It is a secret, so it is kept where the
 * user's credentials are: sealed, under a name of the run, until the run ends.
 */
export class ResumptionHandle {
  readonly #context: InvocationContext;
  readonly #name: string;
  #isStored: boolean;
  #next: { readonly handle: StoredHandle; readonly stored: () => void } | undefined;
  #writing: Promise<void> | undefined;

  constructor(context: InvocationContext) {
    this.#context = context;
    this.#name = liveHandleName(context.invocationId);
    this.#isStored = context.isRecovered;
  }

  /** Whether a handle is not stored yet. */
  get isWriting(): boolean {
    return this.#writing !== undefined;
  }

  /** The handle that an earlier runner has stored. */
  async load(): Promise<StoredHandle | undefined> {
    const { credentialService, isRecovered } = this.#context;
    if (!isRecovered || credentialService === undefined) return undefined;
    const found = await this.#attempt(() => credentialService.loadCredential(this.#owner, this.#name));
    return found?.credential.authType === "apiKey" ? readHandle(found.credential.apiKey) : undefined;
  }

  /**
   * Stores the handle; of several that arrive during one write, only the newest is written. `stored` is called when it
   * is stored.
   */
  save(handle: StoredHandle, stored: () => void): void {
    if (this.#context.credentialService === undefined) return stored();
    this.#next = { handle, stored };
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** The run has transferred to another agent, whose session at the provider is another one; or the session is unusable. */
  async forget(): Promise<void> {
    const { credentialService } = this.#context;
    this.#next = undefined;
    await this.#writing;
    if (!this.#isStored || credentialService === undefined) return;
    this.#isStored = false;
    await this.#attempt(() => credentialService.deleteCredential(this.#owner, this.#name));
  }

  /** The run has ended here. A runner that continues it needs the handle. */
  async end(): Promise<void> {
    const { signal } = this.#context;
    const reason = signal.aborted ? toPlatformError(signal.reason) : undefined;
    if (reason !== undefined && (isHandedOver(reason) || isLost(reason))) await this.#writing;
    else await this.forget();
  }

  get #owner(): CredentialOwner {
    const { tenantId, appName, userId } = this.#context.session;
    return { ...inTenant(tenantId), appName, userId };
  }

  async #write(): Promise<void> {
    const { credentialService } = this.#context;
    while (this.#next !== undefined) {
      const { handle, stored } = this.#next;
      this.#next = undefined;
      const apiKey = JSON.stringify(handle);
      const version = await this.#attempt(() =>
        credentialService?.saveCredential(this.#owner, this.#name, { authType: "apiKey", apiKey }),
      );
      if (version === undefined) continue;
      this.#isStored = true;
      stored();
    }
  }

  /** Without the handle, a runner that recovers the run replays the conversation as text. */
  async #attempt<Result>(work: () => Promise<Result> | undefined): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      const { invocationId, services } = this.#context;
      services.logger.warn({ error, invocationId }, "the handle of a live session is not available in the store");
      return undefined;
    }
  }
}

function readHandle(text: string | undefined): StoredHandle | undefined {
  if (text === undefined) return undefined;
  const stored: JsonValue = JSON.parse(text);
  if (!isJsonObject(stored)) return undefined;
  const { handle, model, afterEventId } = stored;
  if (typeof handle !== "string" || typeof model !== "string") return undefined;
  return { handle, model, afterEventId: typeof afterEventId === "string" ? afterEventId : undefined };
}
