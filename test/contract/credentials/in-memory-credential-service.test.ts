import { describe } from "vitest";
import { InMemoryCredentialService } from "#kit/credentials/in-memory-credential-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import {
  CONTRACT_TIME_MS,
  credentialLimitContract,
  credentialServiceContract,
  MAX_PER_USER,
} from "./credential-service.ts";

describe("InMemoryCredentialService", () => {
  const create = async () => {
    const clock = new FixedClock(CONTRACT_TIME_MS);
    return {
      service: new InMemoryCredentialService({ clock, maxPerUser: MAX_PER_USER }),
      clock,
      dispose: async () => {},
    };
  };
  credentialServiceContract({ create });
  credentialLimitContract({ create });
});
