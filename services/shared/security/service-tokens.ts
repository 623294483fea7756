import { hash, timingSafeEqual } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { SERVICE_NAMES, type ServiceName } from "./call-graph.ts";
import { linesOf, WatchedFile, type WatchedFileOptions } from "./watched-file.ts";

/** 256 bits as base64 are 43 characters; a much shorter token can be guessed. */
const MIN_TOKEN_LENGTH = 32;
// The characters that a header can carry.
const TOKEN = /^[\x21-\x7e]+$/;
const DIGEST = /^sha256:([0-9a-f]{64})$/i;

type FileOptions = Pick<WatchedFileOptions<unknown>, "clock" | "logger">;

/** The token by which this process identifies itself. Its file may have several lines; the first one is used. */
export class OwnToken {
  readonly #file: WatchedFile<string>;

  constructor(path: string, options: FileOptions) {
    this.#file = new WatchedFile({ ...options, path, setting: "SERVICE_TOKEN_FILE", parse: firstToken });
  }

  get text(): string {
    return this.#file.content;
  }
}

/** The tokens of the allowed callers, one file for each. */
export class AcceptedTokens {
  readonly #folder: string;
  readonly #options: FileOptions;
  readonly #files = new Map<ServiceName, WatchedFile<readonly Buffer[]>>();

  constructor(folder: string, options: FileOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#openNew();
    if (this.#files.size === 0)
      throw new PlatformError(
        "CONFIGURATION",
        "SERVICE_TOKENS_DIR has no file named like a service, such as gateway or runner, so no service could call.",
      );
  }

  /** The service that the token identifies. All accepted tokens are compared, each in constant time. */
  callerOf(token: string): ServiceName | undefined {
    const caller = this.#find(digestOf(token));
    if (caller !== undefined || !this.#openNew()) return caller;
    return this.#find(digestOf(token));
  }

  #find(digest: Buffer): ServiceName | undefined {
    let caller: ServiceName | undefined;
    for (const [name, file] of this.#files) {
      for (const accepted of file.content) if (timingSafeEqual(accepted, digest)) caller = name;
    }
    return caller;
  }

  /** A caller may get its first file while the process runs. */
  #openNew(): boolean {
    let opened = false;
    for (const name of SERVICE_NAMES) {
      const path = join(this.#folder, name);
      if (this.#files.has(name) || !existsSync(path)) continue;
      const parse = (text: string): readonly Buffer[] => parseAccepted(text, name);
      const setting = `SERVICE_TOKENS_DIR (${name})`;
      // A caller whose file is removed is refused from then on.
      this.#files.set(name, new WatchedFile({ ...this.#options, path, setting, parse, whenMissing: [] }));
      opened = true;
    }
    return opened;
  }
}

function firstToken(text: string): string {
  const [token] = linesOf(text);
  if (token === undefined)
    throw new PlatformError(
      "CONFIGURATION",
      "The file of SERVICE_TOKEN_FILE is empty. Make a token with: openssl rand -base64 32",
    );
  return checked(token, "SERVICE_TOKEN_FILE");
}

function parseAccepted(text: string, name: ServiceName): readonly Buffer[] {
  return linesOf(text).map((line) => {
    const digest = DIGEST.exec(line)?.[1];
    return digest === undefined ? digestOf(checked(line, `SERVICE_TOKENS_DIR (${name})`)) : Buffer.from(digest, "hex");
  });
}

function checked(token: string, setting: string): string {
  if (token.length >= MIN_TOKEN_LENGTH && TOKEN.test(token)) return token;
  throw new PlatformError(
    "CONFIGURATION",
    `${setting}: a token needs at least ${MIN_TOKEN_LENGTH} printable ASCII characters and no space. Make one with: openssl rand -base64 32`,
  );
}

function digestOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
