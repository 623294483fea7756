import { type Shape, Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "../config/config-schema.ts";
import type { ServiceName } from "./call-graph.ts";

/** Settings of every process that calls, or is called by, another service. */
export const securityConfigSchema = Type.Object({
  GRPC_HOST: Type.String({
    default: "127.0.0.1",
    description: "Address to listen on for calls of other services. One that is not loopback needs tokens or TLS.",
  }),
  SERVICE_TOKEN_FILE: Type.String({
    default: "",
    description: "File with the token by which this service identifies itself to others; read again when it changes.",
  }),
  SERVICE_TOKENS_DIR: Type.String({
    default: "",
    description:
      "Folder with one file for each calling service, named `gateway`, `runner` or `eval`. Each line is an accepted token, or `sha256:` and the digest of one.",
  }),
  TLS_CERT_FILE: Type.String({
    default: "",
    description:
      "Certificate (PEM) of this service for other services, with the service's name as a DNS name; read again when it changes.",
  }),
  TLS_KEY_FILE: Type.String({ default: "", description: "Private key (PEM) of TLS_CERT_FILE." }),
  TLS_CA_FILE: Type.String({
    default: "",
    description: "Certificates (PEM) of the authority that must have signed the certificates of all services.",
  }),
  ALLOW_INSECURE_SERVICES: Type.Boolean({
    default: false,
    description: "Answer other machines without tokens or TLS, for example where a service mesh authenticates callers.",
  }),
  GRPC_REFLECTION: Type.Boolean({
    default: false,
    description: "Serve gRPC reflection, which describes this service's calls and messages to tools. For development.",
  }),
});

const KEY_SETTINGS = {
  PRINCIPAL_PRIVATE_KEY_FILE: Type.String({
    default: "",
    description:
      "File with the private keys (PEM, Ed25519) with which a gateway signs for whom it makes calls; the first key signs. Gateways only. Without it nothing is signed.",
  }),
  PRINCIPAL_PUBLIC_KEYS_FILE: Type.String({
    default: "",
    description:
      "File with the public keys (PEM, Ed25519, or certificates) of the gateways; all are accepted. Without it principals are not checked.",
  }),
  GRANT_PRIVATE_KEY_FILE: Type.String({
    default: "",
    description:
      "File with the private keys (PEM, Ed25519) that sign the grants of runs; the first key signs, all are accepted. Session service only.",
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

/** Which addresses this process may call that a model, a user, a client or another server has named. */
export const outboundConfigSchema = Type.Object({
  OUTBOUND_ALLOWED_HOSTS: Type.Array(Type.String(), {
    default: [],
    description:
      "Hosts in the server's own network, or on other ports than 80 and 443, that tools and push notifications may call at addresses named by a model, a user or another server: host, host:port or *.suffix, comma separated.",
  }),
});
