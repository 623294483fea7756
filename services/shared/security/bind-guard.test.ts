import { describe, expect, it } from "vitest";
import { defaultsOf } from "../config/config-schema.ts";
import { assertSecure, isLoopback } from "./bind-guard.ts";
import { type SecurityConfig, securityConfigSchema } from "./security-settings.ts";

function configWith(settings: Partial<SecurityConfig>): SecurityConfig {
  // The schema's own defaults, which are complete.
  return { ...defaultsOf(securityConfigSchema), ...settings };
}

describe("an address that other machines reach", () => {
  it.each(["127.0.0.1", "127.8.9.10", "::1", "[::1]", "localhost"])("is not %s", (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(["0.0.0.0", "::", "10.0.0.7", "::ffff:10.0.0.7", "session.default.svc", ""])("may be %j", (host) => {
    expect(isLoopback(host)).toBe(false);
  });

  it("is refused without tokens or TLS, with the settings that fix it", () => {
    const message =
      "GRPC_HOST is 0.0.0.0, where other machines could call without authentication. Set SERVICE_TOKENS_DIR, or TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE; or ALLOW_INSECURE_SERVICES=true where something else checks the callers.";
    expect(() => assertSecure(configWith({ GRPC_HOST: "0.0.0.0" }))).toThrow(
      expect.objectContaining({ reason: "CONFIGURATION", message }),
    );
  });

  it.each<Partial<SecurityConfig>>([
    { SERVICE_TOKENS_DIR: "tokens" },
    { TLS_CERT_FILE: "cert", TLS_KEY_FILE: "key", TLS_CA_FILE: "ca" },
    { ALLOW_INSECURE_SERVICES: true },
  ])("is allowed with %j", (settings) => {
    expect(assertSecure(configWith({ GRPC_HOST: "0.0.0.0", ...settings }))).toBeUndefined();
  });

  it("does not become safe by half of TLS", () => {
    const check = () => assertSecure(configWith({ GRPC_HOST: "::", TLS_CERT_FILE: "cert" }));
    expect(check).toThrow(/go together.*\n.*GRPC_HOST is ::/s);
  });
});

describe("the keys of principals and grants", () => {
  const TOKENS = { SERVICE_TOKENS_DIR: "tokens" };
  const BOTH = { PRINCIPAL_PUBLIC_KEYS_FILE: "p" };

  it.each<Partial<SecurityConfig>>([
    { PRINCIPAL_PRIVATE_KEY_FILE: "p" },
    { ...TOKENS, ...BOTH },
    { ...TOKENS, ...BOTH, GRANT_PRIVATE_KEY_FILE: "g" },
    { ...TOKENS, ...BOTH, GRANT_PUBLIC_KEYS_FILE: "g" },
    { TLS_CERT_FILE: "cert", TLS_KEY_FILE: "key", TLS_CA_FILE: "ca", ...BOTH },
    { PRINCIPAL_PUBLIC_KEYS_FILE: "", GRANT_PUBLIC_KEYS_FILE: "" },
  ])("are complete with %j", (settings) => {
    expect(assertSecure(configWith(settings))).toBeUndefined();
  });

  it.each<readonly [Partial<SecurityConfig>, RegExp]>([
    [BOTH, /PRINCIPAL_PUBLIC_KEYS_FILE needs callers that are known.*Set SERVICE_TOKENS_DIR/],
    [
      { ...TOKENS, ...BOTH, GRANT_PRIVATE_KEY_FILE: "" },
      /PRINCIPAL_PUBLIC_KEYS_FILE and GRANT_PRIVATE_KEY_FILE go together/,
    ],
    [
      { ...TOKENS, ...BOTH, GRANT_PUBLIC_KEYS_FILE: "" },
      /PRINCIPAL_PUBLIC_KEYS_FILE and GRANT_PUBLIC_KEYS_FILE go together/,
    ],
    [{ PRINCIPAL_PUBLIC_KEYS_FILE: "", GRANT_PRIVATE_KEY_FILE: "g" }, /go together/],
  ])("are refused with %j", (settings, message) => {
    expect(() => assertSecure(configWith(settings))).toThrow(message);
  });
});
