import { Type } from "#kit/schema/shape.ts";

const USERS_OF_VERTEX = { MANAGED_SESSIONS: ["vertex"], MEMORY_STORE: ["vertex"] } as const;

/** Where Google's Agent Platform is (Vertex AI Agent Engine), with its managed sessions and Memory Bank. */
export const vertexConfigSchema = Type.Object({
  VERTEX_PROJECT_ID: Type.String({
    default: "",
    neededBy: USERS_OF_VERTEX,
    description: "Google Cloud project of the engine with managed sessions and memory.",
  }),
  VERTEX_LOCATION: Type.String({
    default: "",
    neededBy: USERS_OF_VERTEX,
    description: "Location of the engine, such as us-central1.",
  }),
  VERTEX_AGENT_ENGINE_ID: Type.String({
    default: "",
    neededBy: USERS_OF_VERTEX,
    description:
      "Number or full resource name of the engine of all apps; or one for each app, as `app=number` separated by commas.",
  }),
  VERTEX_API_ENDPOINT: Type.String({
    default: "",
    description: "URL of an emulator or a private endpoint, which is called without credentials; Google's if empty.",
  }),
});
