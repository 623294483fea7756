import { describe } from "vitest";
import { InMemoryEvalJobStore } from "#kit/evaluation/jobs/in-memory-eval-job-store.ts";
import { evalJobStoreContract } from "./eval-job-store.ts";

describe("InMemoryEvalJobStore", () => {
  evalJobStoreContract({
    create: async (clock) => ({ store: new InMemoryEvalJobStore({ clock }), dispose: async () => undefined }),
  });
});
