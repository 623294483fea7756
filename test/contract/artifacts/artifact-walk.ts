import { expect, it } from "vitest";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Part } from "#kit/events/content.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { TEST_SEED } from "#test/helpers/random/test-seed.ts";
import { type ArtifactServiceContract, CONTRACT_TIME_MS } from "./artifact-service.ts";

const STEPS = 150;

/** Random calls with few names, in two tenants: each is answered as by the service in memory. */
export function artifactWalkContract({ create }: ArtifactServiceContract): void {
  it("random calls are answered as by the service in memory", async () => {
    const { service, dispose } = await create();
    try {
      const [random, other] = [new SeededRandom(TEST_SEED), new SeededRandom(TEST_SEED)];
      const expected = new InMemoryArtifactService({ clock: new FixedClock(CONTRACT_TIME_MS) });
      for (let step = 0; step < STEPS; step += 1)
        expect(await takeStep(service, random), `step ${step}`).toEqual(await takeStep(expected, other));
    } finally {
      await dispose();
    }
  });
}

/** The answers of the service in memory itself, as they were when a person last looked at them. */
export async function answersInMemory(seed: number): Promise<string> {
  const random = new SeededRandom(seed);
  const service = new InMemoryArtifactService({ clock: new FixedClock(CONTRACT_TIME_MS) });
  const lines: string[] = [];
  for (let step = 0; step < STEPS; step += 1)
    lines.push((await takeStep(service, random)).map((each) => JSON.stringify(each)).join(" "));
  return `${lines.join("\n")}\n`;
}

async function takeStep(service: ArtifactService, random: SeededRandom): Promise<readonly unknown[]> {
  const [name, call] = random.pick(callsOf(service, random));
  try {
    return [name, shown(await call())];
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return [name, error.reason];
  }
}

function callsOf(
  service: ArtifactService,
  random: SeededRandom,
): readonly (readonly [string, () => Promise<unknown>])[] {
  const maybe = <Value>(value: Value): Value | undefined => (random.between(0, 1) === 0 ? value : undefined);
  const session = {
    ...(random.between(0, 2) === 0 && { tenantId: "acme" }),
    ...{ appName: random.pick(["shop", "desk"]), userId: random.pick(["ada", "bob"]), id: random.pick(["s1", "s2"]) },
  };
  const filename = random.pick(["a.txt", "b/c.png", "user:a.txt", "user:d"]);
  const key = { session, filename };
  const version = random.between(0, 3);
  const bytes = Buffer.alloc(random.pick([0, 1, 300]), random.between(0, 255));
  const artifact = random.pick<Part>([
    { text: `text ${version}` },
    { inlineData: { mimeType: "image/png", data: bytes.toString("base64") } },
    { fileData: { fileUri: "gs://bucket/file", mimeType: "text/plain" } },
  ]);
  const customMetadata = maybe({ of: version });
  const save = () =>
    service.saveArtifact({ ...key, artifact, ...(customMetadata !== undefined && { customMetadata }) });
  const isRemoved = random.between(0, 3) === 0;
  const asked = maybe(version);
  const range = { ...key, version, from: random.between(0, 2), bytes: random.pick([1, 2, 400]) };
  return [
    ["saveArtifact", save],
    ["saveArtifact", save],
    ["loadArtifact", () => service.loadArtifact(key, asked)],
    ["describeArtifact", () => service.describeArtifact(key, asked)],
    ["readArtifact", () => service.readArtifact(range)],
    ["listArtifactKeys", () => service.listArtifactKeys(session, maybe(filename))],
    ["listVersions", () => service.listVersions(key, asked)],
    ["listArtifactVersions", () => service.listArtifactVersions(key)],
    ["getArtifactVersion", () => service.getArtifactVersion(key, asked)],
    ["deleteArtifact", async () => (isRemoved ? service.deleteArtifact(key) : undefined)],
    ["deleteSessionArtifacts", async () => (isRemoved ? service.deleteSessionArtifacts(session) : undefined)],
  ];
}

/** Without the address, which each service names in its own way. */
function shown(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => name !== "canonicalUri" && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, shown(member)]));
}
