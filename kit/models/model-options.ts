import { PlatformError } from "../errors/platform-error.ts";
import { readEnvironment } from "../platform/environment.ts";
import { lazy } from "../platform/lazy.ts";
import type { Sleep } from "../platform/sleep.ts";

/** Finds a credential or setting by the name of its variable. */
export type CredentialReader = (name: string) => string | undefined;

export interface RetryOptions {
  /** Attempts in total; 1 never repeats. Only requests that have yielded nothing yet are repeated. */
  readonly maxAttempts?: number;
  /** If the provider asks for a longer pause than this, the call fails immediately. */
  readonly maxDelayMs?: number;
}

/** How a provider's model is reached. Absent options are looked up with `credentials` at each call. */
export interface ModelOptions {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly retry?: RetryOptions;
  /** By default the process's environment. */
  readonly credentials?: CredentialReader;
  readonly sleep?: Sleep;
}

/** The option, or else the first variable that is set. */
export function findSetting(
  option: string | undefined,
  options: ModelOptions,
  ...variables: readonly string[]
): string | undefined {
  if (option !== undefined && option !== "") return option;
  const read = options.credentials ?? readEnvironment;
  for (const variable of variables) {
    const value = read(variable);
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

export function keyMissing(model: string, provider: string, howToSet: string): PlatformError {
  return new PlatformError("MODEL_KEY_MISSING", `Model "${model}" needs a key of ${provider}: ${howToSet}`, {
    details: { model },
  });
}

/** Keeps one client of an SDK as long as the settings that it was created from stay the same: keys may rotate. */
export class ClientCache<Settings extends object, Client> {
  readonly #create: (settings: Settings) => Promise<Client>;
  #key = "";
  #client: (() => Promise<Client>) | undefined;

  constructor(create: (settings: Settings) => Promise<Client>) {
    this.#create = create;
  }

  get(settings: Settings): Promise<Client> {
    const key = JSON.stringify(settings);
    if (this.#client === undefined || this.#key !== key) {
      this.#key = key;
      this.#client = lazy(() => this.#create(settings));
    }
    return this.#client();
  }
}
