import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openAuditFiles } from "#adapters/files/audit-file-reader.ts";
import { type ChainReport, verifyChain } from "#ports/audit/verify-chain.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const KILLS = 20;
const SCRIPT = "test/integration/audit/audit-writer.ts";

async function read(path: string): Promise<ChainReport & { readonly requestIds: ReadonlySet<string> }> {
  const { lines, heads } = await openAuditFiles([path]);
  const requestIds = new Set<string>();
  async function* kept() {
    for await (const line of lines) {
      const id = /"requestId":"([^"]+)"/.exec(line.text)?.[1];
      if (id !== undefined) requestIds.add(id);
      yield line;
    }
  }
  return { ...(await verifyChain(kept(), { heads })), requestIds };
}

it("has a whole chain with every durable record after its writer was killed many times", {
  timeout: 120_000,
}, async () => {
  verifies("authentication:audit:kill", "authentication:audit:chain");
  const folder = await mkdtemp(join(tmpdir(), "audit-"));
  try {
    const path = join(folder, "audit.jsonl");
    const durable: string[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await using writer = new CliProcess([path, String(kill)], { script: SCRIPT });
      await writer.until(new RegExp(`^${kill}-${kill}$`, "m"));
      await writer.end("SIGKILL");
      durable.push(...writer.output.split("\n").slice(0, -1));
      const { problem, requestIds } = await read(path);
      expect(problem).toBeUndefined();
      expect(durable.filter((id) => !requestIds.has(id))).toEqual([]);
    }
    const { chains } = await read(path);
    expect(chains).toMatchObject([{ first: 1 }]);
    expect(durable.length).toBeGreaterThanOrEqual((KILLS * (KILLS + 1)) / 2);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("has one writer: a second process does not start", async () => {
  verifies("authentication:audit:chain");
  const folder = await mkdtemp(join(tmpdir(), "audit-"));
  try {
    const path = join(folder, "audit.jsonl");
    await using first = new CliProcess([path, "a"], { script: SCRIPT });
    await first.until(/^a-1$/m);
    await using second = new CliProcess([path, "b"], { script: SCRIPT });
    await second.ended;
    expect(second.output).toContain("DATA_DIR_IN_USE");
    expect(second.output).toContain("with AUDIT_FILE, which needs a folder of its own");
    await first.until(/^a-20$/m);
    await first.end("SIGKILL");
    const { problem, requestIds } = await read(path);
    expect(problem).toBeUndefined();
    expect(requestIds.has("b-1")).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});
