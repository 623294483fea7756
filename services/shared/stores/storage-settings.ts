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
