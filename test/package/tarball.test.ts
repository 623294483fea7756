import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { publint } from "publint";
import { expect, it, onTestFinished } from "vitest";
import { deadLinks } from "#test/helpers/dead-links.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { environmentOf, run } from "./commands.ts";
import { outside, PUBLISHER } from "./outside.ts";

const { app, clone, folder, tarball } = outside();
const PACKAGE = join(app, "node_modules/fairlead");
const MOST_MEGABYTES = 150;

const manifestIn = (directory: string): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));

/** The clone's before npm packs it. */
const unpacked = { ...manifestIn(REPOSITORY_ROOT), ...PUBLISHER };

function filesBelow(directory: string): readonly string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

it("has compiled modules with types, and neither sources nor tests", () => {
  const files = filesBelow(PACKAGE).map((path) => path.slice(PACKAGE.length + 1));
  expect(files.filter((path) => /(?<!\.d)\.ts$|\.test\.|^(?:test|agents|tooling|bench)\//.test(path))).toEqual([]);
  const some = ["dist/kit/index.js", "dist/kit/index.d.ts", "dist/cli/fairlead.js", "README.md", "LICENSE"];
  expect(files).toEqual(expect.arrayContaining(some));
});

it("has no dead link, and says where its sources, pages and problems are", () => {
  expect(deadLinks(PACKAGE)).toEqual([]);
  expect(readFileSync(join(PACKAGE, "docs/embedding.md"), "utf8")).toContain(
    "(https://github.com/acme/fairlead/blob/v",
  );
  expect(manifestIn(PACKAGE)).toMatchObject(PUBLISHER);
});

it("passes publint and are-the-types-wrong", async () => {
  const { messages } = await publint({ pkgDir: PACKAGE, strict: true });
  expect(messages).toEqual([]);
  const attw = join(REPOSITORY_ROOT, "node_modules/.bin/attw");
  await run(attw, [tarball, "--profile", "esm-only"], { directory: folder });
});

it(`takes at most ${MOST_MEGABYTES} MB with all its dependencies`, () => {
  // As `du` counts: whole blocks of 4 KiB.
  const blocks = filesBelow(join(app, "node_modules")).map((path) => Math.ceil(statSync(path).size / 4096));
  const megabytes = blocks.reduce((sum, count) => sum + count, 0) / 256;
  expect(megabytes).toBeLessThanOrEqual(MOST_MEGABYTES);
});

it("leaves the clone's files as they were", () => {
  const page = (root: string) => readFileSync(join(root, "docs/embedding.md"), "utf8");
  expect(page(clone)).toBe(page(REPOSITORY_ROOT));
  expect(manifestIn(clone)).toEqual(unpacked);
  expect(existsSync(join(clone, ".pack"))).toBe(false);
});

it("puts the clone's package.json back if npm is killed while it packs", async () => {
  const npm = spawn("npm", ["pack", "--dry-run"], {
    cwd: clone,
    env: environmentOf({ directory: clone }),
    stdio: "ignore",
  });
  const ended = once(npm, "exit");
  onTestFinished(() => void npm.kill("SIGKILL"));
  await expect.poll(() => existsSync(join(clone, ".pack/package.json")), { timeout: 60_000 }).toBe(true);
  npm.kill("SIGKILL");
  await ended;
  await expect.poll(() => manifestIn(clone)).toEqual(unpacked);
});

it("sends the published package.json to the registry, and then puts the clone's back", async () => {
  const sent: { readonly versions: Readonly<Record<string, Readonly<Record<string, unknown>>>> }[] = [];
  const registry = createServer((request, response) => {
    if (request.method !== "PUT") return void response.writeHead(404).end("{}");
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      sent.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(201, { "content-type": "application/json" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void registry.close());
  await once(registry, "listening");
  const address = registry.address();
  const host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
  const settings = join(folder, "npmrc");
  writeFileSync(settings, `registry=http://${host}\n//${host}:_authToken=none\n`);
  await run("npm", ["publish", "--userconfig", settings], { directory: clone });
  const [version] = Object.values(sent[0]?.versions ?? {});
  const published = manifestIn(PACKAGE);
  for (const field of ["exports", "dependencies", "peerDependencies", "devDependencies", "optionalDependencies"])
    expect(version?.[field]).toEqual(published[field]);
  await expect.poll(() => manifestIn(clone)).toEqual(unpacked);
});
