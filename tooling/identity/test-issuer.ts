import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import { AuthorizationCodes } from "./authorization-codes.ts";
import { RefreshTokens } from "./refresh-tokens.ts";

/** The claims and the header of a token, beside those that every token has. */
export interface TokenParts {
  /** A claim that is undefined is left out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Unix time in ms; the issuer's clock unless given. */
  readonly now?: number;
}

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export interface TestIssuerOptions {
  readonly audience?: string;
  /** Its URL, if a proxy publishes it; that on loopback by default. */
  readonly url?: string;
  readonly now?: () => number;
  /** Claims of a user who signs in on the issuer's page, beside `sub`. */
  readonly claimsOf?: (user: string) => Readonly<Record<string, unknown>>;
}

/** An identity provider on loopback: discovery, keys that can be rotated, and tokens of any content. */
export class TestIssuer implements AsyncDisposable {
  readonly #server: Server;
  readonly #audience: string;
  readonly #url: string | undefined;
  readonly #now: () => number;
  readonly #claimsOf: NonNullable<TestIssuerOptions["claimsOf"]>;
  /** Replaces the id tokens that sign-ins end with. */
  changeIdToken: (token: string) => string | Promise<string> = (token) => token;
  readonly #codes = new AuthorizationCodes();
  /** Whether sign-ins can be renewed. */
  givesRefreshTokens = false;
  readonly #sessions = new RefreshTokens();
  #keys: readonly SigningKey[] = [];
  #rotations = 0;
  #requests: string[] = [];
  /** How it answers: `down` closes the connection. */
  mode: "up" | "down" | "broken" = "up";
  /** How the token endpoint refuses: codes and refresh tokens that it does not know, and everything while `broken`. */
  refusal: { readonly status: number; readonly error: string } = { status: 400, error: "invalid_grant" };

  constructor({ audience = "agents", url, now = Date.now, claimsOf = () => ({}) }: TestIssuerOptions) {
    this.#audience = audience;
    this.#url = url;
    this.#now = now;
    this.#claimsOf = claimsOf;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start({
    port = 0,
    host = "127.0.0.1",
    ...options
  }: TestIssuerOptions & { readonly port?: number; readonly host?: string } = {}): Promise<TestIssuer> {
    const issuer = new TestIssuer(options);
    await issuer.rotate();
    await new Promise<void>((resolve) => issuer.#server.listen(port, host, resolve));
    return issuer;
  }

  get url(): string {
    // A server that listens on TCP has such an address.
    return this.#url ?? `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get audience(): string {
    return this.#audience;
  }

  /** The paths that were requested, oldest first. */
  get requests(): readonly string[] {
    return this.#requests;
  }

  /** The published keys, the newest first. */
  get keys(): readonly JWK[] {
    return this.#keys.map(({ publicJwk }) => publicJwk);
  }

  /** Signs with a new key from now on, and publishes it; the former one stays published unless `keepOld` is false. */
  async rotate({ alg = "RS256", keepOld = true }: { alg?: string; keepOld?: boolean } = {}): Promise<void> {
    this.#rotations += 1;
    const kid = `key-${this.#rotations}`;
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const publicJwk = { ...(await exportJWK(publicKey)), kid, alg, use: "sig" };
    const old = keepOld ? this.#keys.slice(0, 1) : [];
    this.#keys = [{ kid, alg, privateKey, publicJwk }, ...old];
  }

  /** A signed token of the user `ada` for this server, valid for five minutes. */
  async token({ claims = {}, header = {}, now = this.#now() }: TokenParts = {}): Promise<string> {
    const [key] = this.#keys;
    if (key === undefined) throw new Error("The issuer has no key.");
    const iat = Math.floor(now / 1000);
    const all = { iss: this.url, aud: this.#audience, sub: "ada", iat, exp: iat + 300, ...claims };
    // Tests sign what no issuer would.
    const payload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as JWTPayload;
    return new SignJWT(payload).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", this.url);
    this.#requests.push(request.url ?? "");
    if (this.mode === "down") return void request.socket.destroy();
    if (pathname === "/authorize")
      return void response.writeHead(200, { "content-type": "text/html" }).end(this.#codes.page(searchParams));
    if (pathname === "/approve")
      return void response.writeHead(302, { location: this.#codes.approve(searchParams, this.url) }).end();
    if (pathname === "/revoke") {
      this.#sessions.revoke(new URLSearchParams(await text(request)));
      return void response.writeHead(200).end();
    }
    const body = pathname === "/token" ? await this.#redeem(await text(request)) : this.#documents()[pathname];
    const { status, ...refusal } = this.refusal;
    const failure = pathname === "/token" ? { status, body: refusal } : { status: 500, body: {} };
    const answer = body === undefined || this.mode === "broken" ? failure : { status: 200, body };
    response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
  }

  async #redeem(text: string): Promise<object | undefined> {
    const form = new URLSearchParams(text);
    const grant = this.#codes.redeem(form) ?? this.#sessions.redeem(form);
    if (grant === undefined) return undefined;
    const { user, nonce, scope, clientId } = grant;
    const claims = { sub: user, ...this.#claimsOf(user) };
    return {
      token_type: "Bearer",
      expires_in: 300,
      scope,
      id_token: await this.changeIdToken(await this.token({ claims: { ...claims, nonce, aud: clientId } })),
      access_token: await this.token({ claims }),
      ...(this.givesRefreshTokens && { refresh_token: this.#sessions.issue(grant) }),
    };
  }

  #documents(): Readonly<Record<string, unknown>> {
    const { url } = this;
    return {
      "/.well-known/openid-configuration": {
        issuer: url,
        jwks_uri: `${url}/keys`,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        revocation_endpoint: `${url}/revoke`,
        response_types_supported: ["code"],
        authorization_response_iss_parameter_supported: true,
      },
      "/keys": { keys: this.keys },
    };
  }
}
