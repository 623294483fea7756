import { Type } from "#kit/schema/shape.ts";
import type { ConfigOf } from "../config/config-schema.ts";

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
  PRINCIPAL_KEY_FILE: Type.String({
    default: "",
    description:
      "File with the key that signs the principals of calls, the same for all services; a second line is the former key.",
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

export type SecurityConfig = ConfigOf<typeof securityConfigSchema>;
