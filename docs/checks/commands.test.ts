import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { missingLines, type Step, stepsOf } from "./page-steps.ts";
import { walkPage } from "./walk-page.ts";

const PAGES = ["README.md", "CONTRIBUTING.md", "docs/tutorial.md"];
const TIMEOUT_MS = 180_000;

const stepsOfPage = (path: string): readonly Step[] => stepsOf(readFileSync(join(REPOSITORY_ROOT, path), "utf8"));

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
  });
  return promise;
}

async function walk(steps: readonly Step[]): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "walk-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return walkPage(steps, folder, await freePort());
}

describe("commands of the pages for beginners", () => {
  it.each(PAGES)(
    "work in the order of the page: %s",
    async (path) => {
      const steps = stepsOfPage(path);
      expect(steps.filter(({ kind }) => kind === "commands" || kind === "server").length).toBeGreaterThan(3);
      expect(await walk(steps)).toBeUndefined();
    },
    TIMEOUT_MS,
  );

  it("are left out only for a reason that is listed here", () => {
    const skipped = PAGES.flatMap((path) =>
      stepsOfPage(path).flatMap((step) =>
        step.kind === "skipped" ? [`${path}: ${step.text.split("\n")[0]} (${step.reason})`] : [],
      ),
    );
    expect(skipped).toEqual([
      "CONTRIBUTING.md: npm run platform                          # Redis, and emulators of Firestore and Cloud Storage, on this machine (needs Redis and the emulators of Firestore and Cloud Storage)",
      "docs/tutorial.md: export GOOGLE_API_KEY=... (needs a key of a model's provider)",
    ]);
  });

  it("are reported when a command fails, and when it prints something else", async () => {
    const page =
      "```bash\ntrue\n```\n\n`a/b.txt`:\n\n```ts\nwritten\n```\n\n```bash\ncat a/b.txt\n```\n\n```text\nwr…n\n```\n";
    expect(await walk(stepsOf(page))).toBeUndefined();
    expect(await walk(stepsOf(page.replace("cat a/b.txt", "cat a/c.txt")))).toContain("exit code 1 in:\ncat a/c.txt");
    expect(await walk(stepsOf(page.replace("wr…n", "read")))).toContain("not printed: read\nby:\ncat a/b.txt");
    expect(await walk(stepsOf(`<!-- server -->\n${page}`))).toContain("exit code 1 in:\ntrue");
  });

  it("are read with their marks", () => {
    const page = "<!-- not run: needs a key -->\n```bash\na\n```\n<!-- server -->\n```bash\nb\n```\n```json\n{}\n```\n";
    expect(stepsOf(page)).toEqual([
      { kind: "skipped", text: "a\n", reason: "needs a key" },
      { kind: "server", text: "b\n" },
    ]);
    expect(missingLines(["a.c", "x … z"], "abc\nx y z")).toEqual(["a.c"]);
  });
});
