import { CallSecrets } from "#kit/errors/call-secrets.ts";
import { PlatformError } from "../errors/platform-error.ts";
import { readEnvironment } from "../platform/environment.ts";
import { isJsonObject } from "../platform/json.ts";
import { lazy } from "../platform/lazy.ts";
import type { Sleep } from "../platform/sleep.ts";
import { integer, method, type OptionRule, type OptionRules, record, required, text } from "../schema/check-options.ts";
import type { ProviderNames } from "./error-mapper.ts";
import { MODEL_PROPERTY_RULES, type ModelProperties } from "./model-properties.ts";

/** Finds a credential or setting by the name of its variable, such as `GOOGLE_API_KEY`. Called for each request. */
export type CredentialReader = (name: string) => string | undefined;

/** How often a failed request to a provider is repeated. */
export interface RetryOptions {
  /** Attempts in total, from 1, which never repeats; 3 by default. Only requests that have yielded nothing yet are repeated. */
  readonly maxAttempts?: number | undefined;
  /** Milliseconds; 30,000 by default. If the provider asks for a longer pause than this, the call fails immediately. */
  readonly maxDelayMs?: number | undefined;
}

/**
 * How a provider's model is reached, and its properties. A key or an address that is absent is looked up with
 * `credentials` for each request.
 */
export interface ModelOptions extends ModelProperties {
  /** The model's name at the provider. */
  readonly model: string;
  readonly apiKey?: string | undefined;
  /**
   * An `http:` or `https:` URL. A model with its own `baseUrl` reads nothing from the environment, so that a key of the
   * environment is never sent to another server: give `apiKey`, or `credentials`.
   */
  readonly baseUrl?: string | undefined;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly retry?: RetryOptions | undefined;
  /** By default the process's environment, in which `<name>_FILE` may name a file that contains the value. */
  readonly credentials?: CredentialReader | undefined;
  /** Waits between attempts. */
  readonly sleep?: Sleep | undefined;
}

/** Part of an HTTP header's name, by RFC 9110. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const baseUrlRule: OptionRule = {
  must: "an http:// or https:// URL without user name, password, query and fragment",
  accepts: (value) => typeof value === "string" && isBaseUrl(value),
};

const headersRule: OptionRule = {
  must: "an object of header names and strings without line breaks",
  accepts: (value) =>
    isJsonObject(value) &&
    Object.entries(value).every(
      ([name, content]) => TOKEN.test(name) && typeof content === "string" && !/[\r\n\0]/.test(content),
    ),
};

const retryRule = record<RetryOptions>({ maxAttempts: integer(1), maxDelayMs: integer(0, " milliseconds") });

/** The rules of the options that all models have. */
export const MODEL_OPTION_RULES: OptionRules<ModelOptions> = {
  model: required(text),
  apiKey: text,
  baseUrl: baseUrlRule,
  headers: headersRule,
  retry: retryRule,
  credentials: method,
  sleep: method,
  ...MODEL_PROPERTY_RULES,
};

function isBaseUrl(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === "" && url.password === "" && url.search === "" && url.hash === "";
}

/** The option, or else the first variable that is set. Throws `CONFIGURATION` if the reader returns no string. */
export function findSetting(
  option: string | undefined,
  options: Pick<ModelOptions, "baseUrl" | "credentials">,
  ...variables: readonly string[]
): string | undefined {
  if (option !== undefined) return option;
  const read = readerOf(options);
  for (const variable of variables) {
    const value: unknown = read(variable);
    if (value === undefined || value === "") continue;
    if (typeof value === "string") return value;
    throw new PlatformError("CONFIGURATION", `credentials("${variable}") must return a string or undefined.`);
  }
  return undefined;
}

function readerOf({ credentials, baseUrl }: Pick<ModelOptions, "baseUrl" | "credentials">): CredentialReader {
  return credentials ?? (baseUrl === undefined ? readEnvironment : readNothing);
}

const readNothing: CredentialReader = () => undefined;

/** The error for a missing key: it names the key, and how to provide it. `variables` completes "set …". */
export function keyMissing(
  { model, baseUrl, credentials }: Pick<ModelOptions, "model" | "baseUrl" | "credentials">,
  provider: string,
  variables: string,
): PlatformError {
  const fix =
    baseUrl !== undefined && credentials === undefined
      ? "give apiKey. A model with its own baseUrl takes no key from the environment."
      : `set ${variables} Put it into the environment, or into the file .env of the project.`;
  return new PlatformError("MODEL_KEY_MISSING", `Model "${model}" needs a key of ${provider}: ${fix}`, {
    details: { model },
  });
}

/** The names for the errors of one call, with the secrets that it begins with. */
export function namesForCall(
  { provider, keySource }: ProviderNames,
  { apiKey, headers }: Pick<ModelOptions, "apiKey" | "headers">,
): ProviderNames & { readonly secrets: CallSecrets } {
  const secrets = new CallSecrets();
  secrets.add(...Object.values(headers ?? {}));
  return { provider, keySource: apiKey === undefined ? keySource : "the option apiKey", secrets };
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
