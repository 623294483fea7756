import { BlockList, isIP } from "node:net";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { SecurityConfig } from "./security-settings.ts";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Whether only this machine reaches a server at the address. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (bare === "localhost") return true;
  const family = isIP(bare);
  return family !== 0 && LOOPBACK.check(bare, family === 4 ? "ipv4" : "ipv6");
}

/**
 * Throws `CONFIGURATION` with every problem of the settings: files that belong together, and an address open to others.
 */
export function assertSecure(config: SecurityConfig): void {
  const problems: string[] = [];
  const tls = [config.TLS_CERT_FILE, config.TLS_KEY_FILE, config.TLS_CA_FILE];
  const hasTls = tls.every((path) => path !== "");
  if (!hasTls && tls.some((path) => path !== ""))
    problems.push("TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE go together: set all three, or none.");
  const { GRPC_HOST, SERVICE_TOKENS_DIR, ALLOW_INSECURE_SERVICES } = config;
  if (!isLoopback(GRPC_HOST) && !hasTls && SERVICE_TOKENS_DIR === "" && !ALLOW_INSECURE_SERVICES) {
    problems.push(
      `GRPC_HOST is ${GRPC_HOST}, where other machines could call without authentication. Set SERVICE_TOKENS_DIR, or TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE; or ALLOW_INSECURE_SERVICES=true where something else checks the callers.`,
    );
  }
  problems.push(...problemsOfKeys(config, { knowsCallers: hasTls || SERVICE_TOKENS_DIR !== "" }));
  if (problems.length > 0) throw new PlatformError("CONFIGURATION", problems.join("\n"));
}

function problemsOfKeys(
  config: SecurityConfig,
  { knowsCallers }: { readonly knowsCallers: boolean },
): readonly string[] {
  const { PRINCIPAL_PUBLIC_KEYS_FILE: principals = "", GRANT_PRIVATE_KEY_FILE, GRANT_PUBLIC_KEYS_FILE } = config;
  const problems: string[] = [];
  if (principals !== "" && !knowsCallers)
    problems.push(
      "PRINCIPAL_PUBLIC_KEYS_FILE needs callers that are known, because what a call must carry depends on its caller. Set SERVICE_TOKENS_DIR, or TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE.",
    );
  for (const [setting, path] of Object.entries({ GRANT_PRIVATE_KEY_FILE, GRANT_PUBLIC_KEYS_FILE })) {
    // Absent in services without grants.
    if (path !== undefined && (path === "") !== (principals === ""))
      problems.push(`PRINCIPAL_PUBLIC_KEYS_FILE and ${setting} go together: set both, or none.`);
  }
  return problems;
}
