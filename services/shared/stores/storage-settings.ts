import { Type } from "#kit/schema/shape.ts";

/** Where stores inside the process keep their files. */
export const dataDirConfigSchema = Type.Object({
  DATA_DIR: Type.String({
    default: ".data",
    description:
      "Folder for sessions, artifacts, memory, evaluation sets, credentials and API keys; one process at a time.",
  }),
});

const USERS_OF_FIRESTORE = {
  SESSION_STORE: ["firestore"],
  MEMORY_STORE: ["firestore"],
  EVAL_STORE: ["firestore"],
  CREDENTIAL_STORE: ["firestore"],
  AUDIT: ["firestore"],
  KEY_STORE: ["firestore"],
  A2A_PUSH: ["firestore"],
  INBOX: ["firestore"],
  SCHEDULES: ["firestore"],
  WEBHOOKS: ["firestore"],
} as const;

/** Where Firestore is. */
export const firestoreConfigSchema = Type.Object({
  FIRESTORE_PROJECT_ID: Type.String({
    default: "",
    neededBy: USERS_OF_FIRESTORE,
    description: "Google Cloud project of the Firestore database.",
  }),
  FIRESTORE_DATABASE_ID: Type.String({ default: "(default)", description: "Firestore database of the project." }),
  FIRESTORE_ROOT: Type.String({ default: "fairlead", description: "Firestore collection that holds everything." }),
  FIRESTORE_EMULATOR_HOST: Type.String({
    default: "",
    description: "Host and port of a Firestore emulator, which is called without encryption and credentials.",
  }),
});

const USERS_OF_POSTGRES = {
  SESSION_STORE: ["postgres"],
  MEMORY_STORE: ["postgres"],
  EVAL_STORE: ["postgres"],
  CREDENTIAL_STORE: ["postgres"],
  AUDIT: ["postgres"],
  KEY_STORE: ["postgres"],
  A2A_PUSH: ["postgres"],
  INBOX: ["postgres"],
  SCHEDULES: ["postgres"],
  WEBHOOKS: ["postgres"],
  TRANSPORT: ["postgres"],
} as const;

/** Where Postgres is. */
export const postgresConfigSchema = Type.Object({
  DATABASE_URL: Type.String({
    default: "",
    secret: true,
    neededBy: USERS_OF_POSTGRES,
    pattern: "^postgres(ql)?://",
    description:
      "postgresql://[user[:password]@]host[:port]/database of Postgres 14 or newer, with ?sslmode=disable, require, verify-ca or verify-full.",
  }),
  DATABASE_DIRECT_URL: Type.String({
    default: "",
    secret: true,
    pattern: "^postgres(ql)?://",
    description:
      "Address of the same database for the two connections of a process that need a session of their own (TRANSPORT=postgres), where DATABASE_URL is a pooler in transaction mode.",
  }),
  DATABASE_PASSWORD_FILE: Type.String({
    default: "",
    description: "File with the password, in place of the one in the URL. Each new connection reads it.",
  }),
  DATABASE_CA_FILE: Type.String({
    default: "",
    description:
      "File with the certificates (PEM) that the database is checked against; without sslmode it means verify-full.",
  }),
  DATABASE_SCHEMA: Type.String({
    default: "fairlead",
    pattern: "^[a-z_][a-z0-9_]{0,62}$",
    description: "Schema with all tables: one for each installation that shares the database.",
  }),
  DATABASE_POOL_SIZE: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 1000,
    description: "Connections to Postgres that a process opens at most.",
  }),
  DATABASE_MIGRATIONS: Type.Enum(["start", "check"], {
    default: "start",
    description:
      "What a process does about migrations of the schema that are missing: it makes them, or it does not start. `fairlead db migrate` makes them too.",
  }),
});

/** Where Cloud Storage is. */
export const gcsConfigSchema = Type.Object({
  GCS_BUCKET: Type.String({
    default: "",
    neededBy: { ARTIFACT_STORE: ["gcs"] },
    description: "Cloud Storage bucket for artifacts; it must exist.",
  }),
  ARTIFACT_LAYOUT: Type.Union([Type.Literal("fairlead"), Type.Literal("adk")], {
    default: "fairlead",
    description: "How objects in the bucket are named; `adk` continues the bucket of another ADK server.",
  }),
  STORAGE_EMULATOR_HOST: Type.String({
    default: "",
    description: "URL of a Cloud Storage emulator, which gets no credentials.",
  }),
});

/** Where the container of Azure Blob Storage is. */
export const azureConfigSchema = Type.Object({
  AZURE_CONTAINER_URL: Type.String({
    default: "",
    neededBy: { ARTIFACT_STORE: ["azure"] },
    pattern: "^https?://[^\\s/]+/[^\\s?]+$",
    description:
      "URL of the container of Azure Blob Storage for artifacts, such as https://account.blob.core.windows.net/files; it must exist.",
  }),
  AZURE_ACCOUNT_KEY_FILE: Type.String({
    default: "",
    description:
      "File with the key of the storage account. It is read again every few minutes; if empty, the SDK finds an identity by its own rules.",
  }),
});

/** Where the bucket of an S3 server is. */
export const s3ConfigSchema = Type.Object({
  S3_BUCKET: Type.String({
    default: "",
    neededBy: { ARTIFACT_STORE: ["s3"] },
    description: "S3 bucket for artifacts; it must exist.",
  }),
  S3_ENDPOINT: Type.String({
    default: "",
    pattern: "^https?://[^\\s/]+",
    description: "URL of a server of the S3 protocol with conditional writes; AWS if empty.",
  }),
  S3_REGION: Type.String({ default: "us-east-1", description: "Region of the S3 bucket." }),
  S3_PATH_STYLE: Type.Boolean({
    default: false,
    description: "Put the bucket into the path of URLs, as most S3 servers other than AWS need it.",
  }),
  S3_ACCESS_KEY_ID_FILE: Type.String({
    default: "",
    description:
      "File with the id of the access key. It is read again every few minutes; if empty, the SDK finds keys by its own rules.",
  }),
  S3_SECRET_ACCESS_KEY_FILE: Type.String({ default: "", description: "File with the secret of the access key." }),
  S3_KMS_KEY_ID: Type.String({
    default: "",
    description: "Id or ARN of the KMS key that encrypts objects at rest; if empty, the bucket's own setting applies.",
  }),
});
