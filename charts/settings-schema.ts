import { type TSchema, Type } from "typebox";
import { choicesOf } from "#kit/schema/read-json.ts";
import type { ObjectShape } from "#kit/schema/shape.ts";
import { artifactConfigSchema } from "#services/artifact/config.ts";
import { evalConfigSchema } from "#services/eval/config.ts";
import { gatewayProcessConfigSchema } from "#services/gateway/config.ts";
import { memoryConfigSchema } from "#services/memory/config.ts";
import { runnerProcessConfigSchema } from "#services/runner/config.ts";
import { sessionConfigSchema } from "#services/session/config.ts";
import { type Setting, settingsOf } from "#shared/config/config-schema.ts";
import type { ServiceName } from "#shared/security/call-graph.ts";
import { closed } from "./value-types.ts";

/** All settings of each service, from its own schema. */
export const SERVICE_SETTINGS: Readonly<Record<ServiceName, ObjectShape>> = {
  gateway: gatewayProcessConfigSchema,
  runner: runnerProcessConfigSchema,
  session: sessionConfigSchema,
  artifact: artifactConfigSchema,
  memory: memoryConfigSchema,
  eval: evalConfigSchema,
};

/**
 * Settings that the chart derives from other values, so they must not be set. AGENT_EDITOR works on loopback alone, so
 * in no pod.
 */
const OWNED =
  /^(AUTH|OIDC_(ISSUER|ISSUERS_FILE|AUDIENCE|CLIENT_ID|CLIENT_SECRET_FILE|USER_CLAIM|GROUPS_CLAIM|SCOPE_MAP|TENANT|TENANT_CLAIM|TENANTS)|TRUSTED_PROXIES|PROXY_(SCOPE_MAP|TENANT_HEADER|SIGN_OUT_URL)|SESSION_COOKIE_KEY_FILE|A2A_(APPS|CARDS_FILE|SIGNING_KEYS_FILE|GRPC_PORT|GRPC_ADDRESS)|APP_RULES_FILE|AUDIT|AUDIT_FILE|QUOTAS_FILE|RETENTION_FILE|CONTENT_(ENCRYPTION|KEYS_FILE|KMS_KEY)|HOST|PORT|DEV_UI|AGENT_EDITOR|EDITOR_MODEL|AGENTS_DIR|DATA_DIR|TRANSPORT|LOG_(LEVEL|FORMAT)|SHUTDOWN_.*|GRPC_(HOST|PORT)|ADMIN_.*|[A-Z]+_SERVICE_ADDRESS|[A-Z]+_STORE|(SERVICE_TOKEN|TLS|PRINCIPAL|GRANT)[A-Z_]*|ALLOW_(INSECURE_SERVICES|UNAUTHENTICATED)|OTEL_(EXPORTER|SERVICE|RESOURCE).*|(REDIS|FIRESTORE|DATABASE|GCS|S3|STORAGE|VERTEX)_.*|MANAGED_SESSIONS|ARTIFACT_LAYOUT)$/;

/** The keys of `settings`: for several services, those that all of them have. Secrets come from Secrets only. */
export function settingsSchema(first: ServiceName, ...others: readonly ServiceName[]): TSchema {
  const allowed = settingsOf(SERVICE_SETTINGS[first])
    .filter(({ name, schema }) => !OWNED.test(name) && schema.secret !== true)
    .filter(({ name }) => others.every((other) => name in SERVICE_SETTINGS[other].properties));
  return closed(Object.fromEntries(allowed.map((setting) => [setting.name, toValue(setting)])));
}

function toValue({ schema }: Setting): TSchema {
  const description = schema.description ?? "";
  const choices = choicesOf(schema);
  if (choices !== undefined) return Type.Enum([...choices], { description });
  const { minimum, maximum, pattern } = schema;
  switch (schema.type) {
    case "integer":
      return Type.Integer({
        description,
        minimum,
        maximum,
      });
    case "number":
      return Type.Number({ description });
    case "boolean":
      return Type.Boolean({ description });
    case "array":
      return Type.Array(Type.String(), { description });
    default:
      return Type.String({ description, pattern });
  }
}
