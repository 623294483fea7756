import { GoogleAuth } from "google-auth-library";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { contentKeyUnavailable, contentUnreadable } from "#ports/encryption/content-errors.ts";
import type { KeyProvider } from "#ports/encryption/key-provider.ts";

/** Options of `openCloudKmsKeys`. */
export interface CloudKmsKeyProviderOptions {
  /**
   * The name of a tenant's symmetric key, with `{tenant}` in it:
   * `projects/{project}/locations/{location}/keyRings/{ring}/cryptoKeys/{tenant}`.
   */
  readonly keyName: string;
  /** The URL of an emulator or a private endpoint; requests to it contain no credentials. */
  readonly apiEndpoint?: string | undefined;
  /** The time limit of one call, in milliseconds; 10,000 by default. */
  readonly deadlineMs?: number | undefined;
}

const ENDPOINT = "https://cloudkms.googleapis.com";
const SCOPE = "https://www.googleapis.com/auth/cloudkms";
const KEY_NAME = /^projects\/[^/\s]+\/locations\/[^/\s]+\/keyRings\/[^/\s]+\/cryptoKeys\/[^/\s{]*\{tenant\}[^/\s]*$/;
/** Status codes with which Cloud KMS reports that the key does not exist, is disabled, or is denied to this server. */
const KEY_IS_MISSING: ReadonlySet<string> = new Set(["NOT_FOUND", "FAILED_PRECONDITION", "PERMISSION_DENIED"]);

/**
 * Key-encryption keys in Cloud KMS, one for each tenant, which never leave Cloud KMS (REST API, version 1, `encrypt`
 * and `decrypt`). A key's primary version encrypts, and all its enabled versions decrypt. Connects on the first call,
 * with the credentials of the environment.
 */
export class CloudKmsKeyProvider implements KeyProvider {
  readonly #keyName: string;
  readonly #endpoint: string;
  readonly #auth: GoogleAuth | undefined;
  readonly #deadlineMs: number;

  /** Throws `CONFIGURATION` for a name that is not the name of a key, or does not contain `{tenant}`. */
  constructor({ keyName, apiEndpoint, deadlineMs = 10_000 }: CloudKmsKeyProviderOptions) {
    if (!KEY_NAME.test(keyName)) {
      throw new PlatformError(
        "CONFIGURATION",
        "The name of Cloud KMS keys (CONTENT_KMS_KEY) must be projects/…/locations/…/keyRings/…/cryptoKeys/…, with {tenant} in its last part.",
      );
    }
    this.#keyName = keyName;
    this.#endpoint = apiEndpoint ?? ENDPOINT;
    this.#auth = apiEndpoint === undefined ? new GoogleAuth({ scopes: SCOPE }) : undefined;
    this.#deadlineMs = deadlineMs;
  }

  wrap(tenantId: string, dataKey: Uint8Array): Promise<Uint8Array> {
    return this.#call(tenantId, { method: "encrypt", input: "plaintext", output: "ciphertext" }, dataKey);
  }

  unwrap(tenantId: string, wrapped: Uint8Array): Promise<Uint8Array> {
    return this.#call(tenantId, { method: "decrypt", input: "ciphertext", output: "plaintext" }, wrapped);
  }

  async #call(tenantId: string, { method, input, output }: KmsMethod, bytes: Uint8Array): Promise<Uint8Array> {
    const url = `${this.#endpoint}/v1/${this.#keyName.replace("{tenant}", tenantId)}:${method}`;
    const body = { [input]: toBase64(bytes), additionalAuthenticatedData: toBase64(Buffer.from(tenantId, "utf8")) };
    const answer = await this.#post(url, body);
    const value = isJsonObject(answer.json) ? answer.json[output] : undefined;
    if (answer.ok && typeof value === "string") return Buffer.from(value, "base64");
    throw toError(tenantId, method, answer);
  }

  async #post(url: string, body: object): Promise<KmsAnswer> {
    try {
      const headers = new Headers(await this.#auth?.getRequestHeaders(url));
      headers.set("content-type", "application/json");
      const signal = AbortSignal.timeout(this.#deadlineMs);
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal });
      const json: unknown = await response.json().catch(() => undefined);
      return { ok: response.ok, status: response.status, json };
    } catch (error) {
      throw new PlatformError("STORE_UNAVAILABLE", "Cloud KMS cannot be reached, or did not answer in time.", {
        cause: error,
      });
    }
  }
}

interface KmsMethod {
  readonly method: "encrypt" | "decrypt";
  readonly input: string;
  readonly output: string;
}

interface KmsAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly json: unknown;
}

function toError(tenantId: string, method: KmsMethod["method"], { status, json }: KmsAnswer): PlatformError {
  const error = isJsonObject(json) ? json["error"] : undefined;
  const reason = isJsonObject(error) ? String(error["status"]) : "";
  const cause = new Error(`Cloud KMS answered ${status} ${reason}.`);
  if (KEY_IS_MISSING.has(reason)) return contentKeyUnavailable(tenantId, cause);
  // The data key was encrypted with another key, or for another tenant.
  if (method === "decrypt" && reason === "INVALID_ARGUMENT") return contentUnreadable(tenantId, cause);
  return new PlatformError("STORE_UNAVAILABLE", "Cloud KMS refused a call.", { cause });
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
