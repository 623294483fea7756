import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PeerOptions } from "#adapters/grpc/channel/grpc-peer.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";
import { openServiceSecurity, type ServiceSecurity } from "#shared/grpc/service-security.ts";
import type { ServiceName } from "#shared/security/call-graph.ts";
import { type SecurityConfig, securityConfigSchema } from "#shared/security/security-settings.ts";
import { type SecretSettings, writeKeys, writeServiceSecrets } from "#tooling/service-secrets.ts";

export { writeKeys };

/** The files with which services authenticate each other, in a folder. */
export class SecurityFiles implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "fairlead-security-"));
  readonly #opened: ServiceSecurity[] = [];
  #secretsOf: SecretSettings | undefined;

  constructor() {
    mkdirSync(join(this.#folder, "accepted"));
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  write(name: string, ...lines: readonly string[]): string {
    writeFileSync(this.path(name), `${lines.join("\n")}\n`);
    return this.path(name);
  }

  /** Gives each named service a token that all accept. */
  issueTokens(...names: readonly ServiceName[]): void {
    for (const name of names) {
      this.write(`${name}.token`, tokenOf(name));
      this.write(`accepted/${name}`, tokenOf(name));
    }
  }

  /** The settings of a process of that service that calls with its token and demands tokens. */
  withTokens(self: ServiceName, clock?: Clock): ServiceSecurity {
    return this.open(
      self,
      { SERVICE_TOKEN_FILE: this.path(`${self}.token`), SERVICE_TOKENS_DIR: this.path("accepted") },
      clock,
    );
  }

  /** The settings of a process of that service with its token and its keys of principals and grants. */
  withPrincipals(
    self: ServiceName,
    { settings = {}, clock }: { settings?: Partial<SecurityConfig>; clock?: Clock } = {},
  ): ServiceSecurity {
    this.#secretsOf ??= writeServiceSecrets(this.path("secrets"));
    return this.open(self, { ...this.#secretsOf(self), ...settings }, clock);
  }

  /** The paths of a new key pair of the name. */
  writeKeys(name: string): ReturnType<typeof writeKeys> {
    return writeKeys(this.#folder, name);
  }

  open(self: ServiceName, settings: Partial<SecurityConfig>, clock: Clock = systemClock): ServiceSecurity {
    const config = { ...defaultsOf(securityConfigSchema), ...settings };
    const security = openServiceSecurity({ config, self, clock, ids: new UuidV7Generator(), logger: silentLogger });
    this.#opened.push(security);
    return security;
  }

  [Symbol.dispose](): void {
    for (const security of this.#opened) security[Symbol.dispose]();
    rmSync(this.#folder, { recursive: true });
  }
}

export function tokenOf(name: ServiceName): string {
  return `token-of-${name}-`.padEnd(40, "x");
}

/** The channel options of a process with that security to the service at the port. */
export function peerAt(port: number, security: ServiceSecurity, service: ServiceName): PeerOptions {
  return { ...security.peer(service), address: `127.0.0.1:${port}`, clock: systemClock, timeoutMs: 10_000 };
}
