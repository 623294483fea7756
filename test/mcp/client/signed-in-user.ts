import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";

const CALLBACK = "http://localhost:3000/callback";
/** The document that the suite expects as the client's id. */
const METADATA_URL = "https://conformance-test.local/client-metadata.json";

/** The credentials of a program's only user, in memory; the user consents to everything. */
export class SignedInUser implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadataUrl = METADATA_URL;
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: "fairlead",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: "native",
  };
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #verifier = "";
  /** The parameters with which the sign-in page has sent the user back. */
  #callback: URLSearchParams | undefined;

  /** `context` is the scenario's own data, perhaps with a client that is registered already. */
  constructor(context: JsonObject) {
    const { client_id, client_secret } = context;
    if (typeof client_id === "string")
      this.#client = { client_id, ...(typeof client_secret === "string" && { client_secret }) };
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
    // The next sign-in finds out again where the server's users sign in: that may change.
    this.#discovery = undefined;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (scope === "all" || scope === "client") this.#client = undefined;
    if (scope === "all" || scope === "tokens") this.#tokens = undefined;
    if (scope === "all" || scope === "discovery") this.#discovery = undefined;
  }

  /** The user opens the address, consents, and is sent back. */
  async redirectToAuthorization(address: URL): Promise<void> {
    const { headers } = await fetch(address, { redirect: "manual" });
    const location = headers.get("location");
    if (location !== null) this.#callback = new URL(location, CALLBACK).searchParams;
  }

  /** The parameters of a sign-in that is not completed yet; once. */
  takeCallback(): URLSearchParams | undefined {
    const callback = this.#callback;
    this.#callback = undefined;
    return callback;
  }
}

export function contextOf(text: string | undefined): JsonObject {
  const context: unknown = JSON.parse(text ?? "{}");
  return isJsonObject(context as JsonObject) ? (context as JsonObject) : {};
}
