import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

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
  readonly now?: () => number;
}

/** An identity provider on loopback: discovery, keys that can be rotated, and tokens of any content. */
export class TestIssuer implements AsyncDisposable {
  readonly #server: Server;
  readonly #audience: string;
  readonly #now: () => number;
  #keys: readonly SigningKey[] = [];
  #rotations = 0;
  #requests: string[] = [];
  /** How it answers: `down` closes the connection. */
  mode: "up" | "down" | "broken" = "up";

  constructor({ audience = "agents", now = Date.now }: TestIssuerOptions) {
    this.#audience = audience;
    this.#now = now;
    this.#server = createServer((request, response) => {
      const { url = "" } = request;
      this.#requests.push(url);
      if (this.mode === "down") return request.socket.destroy();
      const body = this.mode === "broken" ? undefined : this.#documents()[url];
      response.writeHead(body === undefined ? 500 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(body ?? {}));
    });
  }

  static async start(options: TestIssuerOptions = {}): Promise<TestIssuer> {
    const issuer = new TestIssuer(options);
    await issuer.rotate();
    await new Promise<void>((resolve) => issuer.#server.listen(0, "127.0.0.1", resolve));
    return issuer;
  }

  get url(): string {
    // A server that listens on TCP has such an address.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
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

  #documents(): Readonly<Record<string, unknown>> {
    return {
      "/.well-known/openid-configuration": { issuer: this.url, jwks_uri: `${this.url}/keys` },
      "/keys": { keys: this.keys },
    };
  }
}
