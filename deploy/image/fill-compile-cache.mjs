// Compiles what processes load at their start, so that containers find it compiled: it halves the work of a start. Node keeps the results
// by its version, the processor's features and the user, and does without them where they do not fit.
import { enableCompileCache } from "node:module";

enableCompileCache();
const services = ["gateway", "runner", "session", "artifact", "memory", "eval"];
await Promise.all([
  import("#shared/run-service.ts"),
  import("#services/standalone/run-standalone.ts"),
  ...services.map((service) => import(`#services/${service}/${service}-process.ts`)),
  import("#adapters/firestore/firestore-session-store.ts"),
  import("#adapters/firestore/firestore-memory-service.ts"),
  import("#adapters/firestore/firestore-eval-store.ts"),
  import("#adapters/gcs/create-gcs-artifact-service.ts"),
  import("#adapters/sqlite/sqlite-session-store.ts"),
  import("#adapters/sqlite/sqlite-memory-service.ts"),
  import("#adapters/files/file-artifact-service.ts"),
  import("#adapters/files/file-eval-store.ts"),
  ...["@google-cloud/firestore", "@google-cloud/storage", "ioredis", "prom-client", "yaml", "pino"].map(
    (name) => import(name),
  ),
]);
process.exit(0);
