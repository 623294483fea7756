import { describe } from "vitest";
import { InMemoryKeyStore } from "#kit/identity/in-memory-key-store.ts";
import { keyStoreContract } from "./key-store.ts";

describe("InMemoryKeyStore", () => {
  keyStoreContract({ create: async () => ({ store: new InMemoryKeyStore(), dispose: async () => {} }) });
});
