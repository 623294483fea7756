import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { findGcsEmulator } from "#tooling/emulators/gcs-emulator.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import type { CloudUser } from "./cloud-user.ts";
import { CloudWorld } from "./cloud-world.ts";
import { OPERATIONS, type OperationKind } from "./operations.ts";

/** A turn that takes a second on a busy machine reads the log of its run once more. */
const TIMES = { timeout: 60_000, retry: 2 };

/** Makes what the counted request needs, and returns that request. */
type Preparation = (user: CloudUser) => Promise<() => Promise<unknown>>;

const KINDS: Readonly<Record<OperationKind, Preparation>> = {
  "session created": async (user) => () => user.createSession("s"),
  "first turn of a session": async (user) => {
    await user.createSession("s");
    return () => user.run("s", "hi");
  },
  "short text turn": turn("hi"),
  "streamed turn of 10 chunks": turn("stream", true),
  "turn with one tool call": turn("look 1"),
  "turn with 8 parallel tool calls": turn("look 8"),
  "turn that saves and loads an artifact": turn("keep"),
  "turn that asks for a confirmation": turn("pay"),
  "confirmation that resumes the turn": async (user) => {
    await begin(user);
    const events = await user.run("s", "pay");
    const calls = events
      .flatMap(({ content }) => content?.parts ?? [])
      .flatMap(({ functionCall }) => functionCall ?? []);
    const question = calls.find(({ name }) => name === "adk_request_confirmation");
    return () => user.run("s", { functionResponse: { ...question, response: { confirmed: true } } });
  },
  "short text turn that compacts": turn("hi"),
  "session of 10 events read": async (user) => {
    await begin(user, 5);
    return () => user.readSession("s");
  },
  "list of 3 sessions": async (user) => {
    for (const id of ["a", "b", "c"]) await user.createSession(id);
    return () => user.listSessions();
  },
  "session of 10 events deleted": async (user) => {
    await begin(user, 5);
    return () => user.deleteSession("s");
  },
};

/** A turn on a session that the runner has in memory. */
function turn(text: string, streaming = false): Preparation {
  return async (user) => {
    await begin(user);
    return () => user.run("s", text, streaming);
  };
}

async function begin(user: CloudUser, turns = 1): Promise<void> {
  await user.createSession("s");
  for (let count = 0; count < turns; count += 1) await user.run("s", "hi");
}

/** The second turn of a session of the app "compacting" ends with a summary. */
function appOf(kind: OperationKind): "cloud" | "compacting" {
  return kind === "short text turn that compacts" ? "compacting" : "cloud";
}

const gcs = await findGcsEmulator();
const missing = whyNoFirestore() ?? whyNoRedis() ?? ("missing" in gcs ? gcs.missing : undefined);

describe.skipIf(missing !== undefined)("operations of the cloud stores", TIMES, () => {
  let world: CloudWorld;

  beforeAll(async () => {
    world = await CloudWorld.start("program" in gcs ? gcs.program : "");
    // The first connections, and scripts that Redis does not have yet.
    const user = world.newUser("cloud");
    await begin(user, 2);
    await user.run("s", "hi", true);
  }, 120_000);

  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  // The keys of the table are the kinds.
  it.each(Object.keys(OPERATIONS) as OperationKind[])("%s", async (kind) => {
    const { bytes, ...counted } = await world.count(await KINDS[kind](world.newUser(appOf(kind))));
    const { bytes: expectedBytes, ...expected } = OPERATIONS[kind];
    expect(counted).toEqual(expected);
    // Times and numbers differ in their length.
    expect(Math.abs(bytes - expectedBytes), `${bytes} bytes`).toBeLessThanOrEqual(0.05 * expectedBytes);
  });
});
