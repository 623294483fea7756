import { type Shape, Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { ServiceName } from "./call-graph.ts";

/** Settings of every process that calls, or is called by, another service. */
export const securityConfigSchema = Type.Object({
  GRPC_HOST: Type.String({
    default: "127.0.0.1",
    description: "Address that other services are answered on. One that is not loopback needs tokens or TLS.",
  }),
  SERVICE_TOKEN_FILE: Type.String({
    default: "",
    description: "File with the token by which this service identifies itself to others; read again when it changes.",
  }),
  SERVICE_TOKENS_DIR: Type.String({
    default: "",
    description:
      "Folder with one file for each caller, named like it: a token or `sha256:` and its digest a line, several while tokens change.",
  }),
  TLS_CERT_FILE: Type.String({
    default: "",
    description:
      "Certificate (PEM) of this service for other services, with its name as a DNS name; loaded anew when it changes.",
  }),
  TLS_KEY_FILE: Type.String({ default: "", description: "Private key (PEM) of TLS_CERT_FILE." }),
  TLS_CA_FILE: Type.String({
    default: "",
    description: "Certificates (PEM) of the authority that names services; theirs must come from it.",
  }),
  ALLOW_INSECURE_SERVICES: Type.Boolean({
    default: false,
    description: "Answer other machines without tokens or TLS, as where a mesh checks who calls.",
  }),
  GRPC_REFLECTION: Type.Boolean({
    default: false,
    description: "Report this service's calls and messages to tools. For development.",
  }),
});

const KEY_SETTINGS = {
  PRINCIPAL_PRIVATE_KEY_FILE: Type.String({
    default: "",
    description:
      "File with the private key (PEM, Ed25519) that signs for whom calls are made, of gateways only; the first of several signs. Without it nothing is signed.",
  }),
  PRINCIPAL_PUBLIC_KEYS_FILE: Type.String({
    default: "",
    description:
      "File with the public keys (PEM, Ed25519, or certificates) of the gateways; all are accepted. Without it principals are not checked.",
  }),
  GRANT_PRIVATE_KEY_FILE: Type.String({
    default: "",
    description:
      "File with the private key (PEM, Ed25519) that signs the grants of runs, of the session service only; the first of several signs, all are accepted.",
  }),
  GRANT_PUBLIC_KEYS_FILE: Type.String({
    default: "",
    description: "File with the public keys (PEM, Ed25519, or certificates) of the session service; all are accepted.",
  }),
};

export type KeySetting = keyof typeof KEY_SETTINGS;

/** The files with keys of principals and grants, of each service. */
const KEYS_OF: Readonly<Record<ServiceName, readonly KeySetting[]>> = {
  gateway: ["PRINCIPAL_PRIVATE_KEY_FILE"],
  runner: ["PRINCIPAL_PUBLIC_KEYS_FILE", "GRANT_PUBLIC_KEYS_FILE"],
  session: ["PRINCIPAL_PUBLIC_KEYS_FILE", "GRANT_PRIVATE_KEY_FILE"],
  artifact: ["PRINCIPAL_PUBLIC_KEYS_FILE", "GRANT_PUBLIC_KEYS_FILE"],
  memory: ["PRINCIPAL_PUBLIC_KEYS_FILE", "GRANT_PUBLIC_KEYS_FILE"],
  eval: ["PRINCIPAL_PUBLIC_KEYS_FILE"],
};

/** The names of the settings of the service's keys. */
export function keySettingsOf(name: ServiceName): readonly KeySetting[] {
  return KEYS_OF[name];
}

/** The settings of the service's keys. */
export function keySettings(name: ServiceName): Readonly<Record<string, Shape<string>>> {
  return Object.fromEntries(KEYS_OF[name].map((setting) => [setting, KEY_SETTINGS[setting]]));
}

/** The files of keys; a service has the settings of its own. */
export type KeyFiles = { readonly [Name in KeySetting]?: string };

export type SecurityConfig = ConfigOf<typeof securityConfigSchema> & KeyFiles;
