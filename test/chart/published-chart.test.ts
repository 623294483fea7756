import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { freePort } from "#tooling/free-ports.ts";
import { skipFor } from "#tooling/missing-tool.ts";
import { parseObjects, scenarioPath, tools } from "./render.ts";

const REGISTRY_PROGRAM = "docker-registry";
const IMAGE = "registry.example.com:5000/acme/fairlead";
const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;
const run = promisify(execFile);

function hasRegistry(): boolean {
  if (spawnSync(REGISTRY_PROGRAM, ["--version"]).status === 0) return true;
  skipFor("The published chart", `there is no ${REGISTRY_PROGRAM} on the PATH (apt-get install docker-registry)`);
  return false;
}

/** A registry of this machine, which speaks plain HTTP. */
async function startRegistry(folder: string): Promise<AsyncDisposable & { readonly address: string }> {
  const address = `127.0.0.1:${await freePort()}`;
  const config = {
    version: 0.1,
    storage: { filesystem: { rootdirectory: join(folder, "data") } },
    http: { addr: address },
  };
  const file = join(folder, "config.yml");
  // JSON is YAML.
  await writeFile(file, JSON.stringify(config));
  const child: ChildProcess = spawn(REGISTRY_PROGRAM, ["serve", file], { stdio: "ignore" });
  const ended = once(child, "exit");
  await expect
    .poll(() =>
      fetch(`http://${address}/v2/`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

describe.skipIf(tools.helm === undefined || !hasRegistry())("the published chart", () => {
  it("is pushed to a registry, and installs the image of its release from there", { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "published-chart-"));
    try {
      const script = join(REPOSITORY_ROOT, "deploy/release/release.ts");
      const flags = [`--image=${IMAGE}`, `--digest=${DIGEST}`, `--out=${folder}`];
      execFileSync(process.execPath, [script, "chart", ...flags], { env: { ...process.env, HELM: tools.helm! } });
      const [file = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
      await using registry = await startRegistry(folder);
      const charts = `oci://${registry.address}/charts`;
      const helm = async (...args: readonly string[]) => run(tools.helm!, [...args, "--plain-http"]);
      await helm("push", join(folder, file), charts);
      const { stdout } = await helm(
        "template",
        "agents",
        `${charts}/fairlead`,
        "--values",
        scenarioPath("trial"),
        "--kube-version",
        "1.31.0",
      );
      const objects = parseObjects(stdout);
      const images = [...JSON.stringify(objects).matchAll(/"image":"([^"]*fairlead[^"]*)"/g)].map(([, image]) => image);
      expect(images.length).toBeGreaterThan(6);
      expect(new Set(images)).toEqual(new Set([`${IMAGE}@${DIGEST}`]));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
