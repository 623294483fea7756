import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isCommand, type KindCommand, type KindOptions, readOptions, USAGE, UsageError } from "./options.ts";

// npm run kind:<command>: the platform on a cluster of one machine.
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CHART = "charts/fairlead";

const COMMANDS: Readonly<Record<KindCommand, (options: KindOptions) => void>> = { up, load, install, test, logs, down };

process.exitCode = main(process.argv.slice(2));

function main([command = "", ...args]: readonly string[]): number {
  try {
    if (!isCommand(command)) throw new UsageError(USAGE);
    const options = readOptions(args, process.env);
    if (command !== "up" && command !== "down") refuseOtherClusters(options);
    COMMANDS[command](options);
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    console.error(error.message);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** The script installs, upgrades and deletes, so it must not touch a cluster in use. */
function refuseOtherClusters({ anyContext }: KindOptions): void {
  const context = read("kubectl", "config", "current-context");
  if (anyContext || context.startsWith("kind-")) return;
  throw new Error(
    `The current context is "${context}", which is not one of kind: choose one (kubectl config use-context kind-fairlead), or say --any-context.`,
  );
}

function up({ cluster }: KindOptions): void {
  const clusters = read("kind", "get", "clusters").split("\n");
  if (clusters.includes(cluster)) run("kind", "export", "kubeconfig", "--name", cluster);
  else run("kind", "create", "cluster", "--name", cluster, "--config", "deploy/kind/cluster.yaml", "--wait", "120s");
}

function load({ cluster, image, loadImage }: KindOptions): void {
  run("deploy/build-image", image);
  if (loadImage !== undefined) {
    run("sh", "-c", `${loadImage} "$1"`, "sh", image);
    return;
  }
  if (spawnSync("docker", ["info"], { stdio: "ignore" }).status === 0) {
    run("kind", "load", "docker-image", image, "--name", cluster);
    return;
  }
  // kind reads images from Docker only; others are passed by an archive.
  const folder = mkdtempSync(join(tmpdir(), "image-"));
  try {
    run("podman", "save", "--output", join(folder, "image.tar"), image);
    run("kind", "load", "image-archive", join(folder, "image.tar"), "--name", cluster);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function install({ namespace, release, image, valuesFile }: KindOptions): void {
  const at = image.lastIndexOf(":");
  const values = [`${CHART}/scenarios/kind.yaml`, ...(valuesFile === undefined ? [] : [valuesFile])];
  run(
    "helm",
    ...["upgrade", "--install", release, CHART, "--namespace", namespace, "--create-namespace"],
    ...[
      ...values.flatMap((file) => ["--values", file]),
      ...["--set", `image.repository=${image.slice(0, at)}`, "--set-string", `image.tag=${image.slice(at + 1)}`],
      ...["--wait", "--timeout", "300s"],
    ],
  );
}

function test({ namespace, release }: KindOptions): void {
  run("helm", "test", release, "--namespace", namespace, "--timeout", "180s");
  const E2E_SERVICE = `${release.includes("fairlead") ? release : `${release}-fairlead`}-gateway`;
  const environment = {
    E2E_NAMESPACE: namespace,
    E2E_SERVICE,
    KUBECONFIG: process.env["KUBECONFIG"] || defaultConfig(),
  };
  runWith(environment, process.execPath, "test/e2e/run.ts", "--target=cluster");
}

function logs({ namespace, release }: KindOptions): void {
  const selector = ["--selector", `app.kubernetes.io/instance=${release}`];
  run("kubectl", "get", "pods", "--namespace", namespace, ...selector);
  run("kubectl", "logs", "--namespace", namespace, ...selector, "--all-containers", "--prefix", "--tail=50");
}

function down({ cluster, namespace, release, anyContext }: KindOptions): void {
  if (!anyContext) return run("kind", "delete", "cluster", "--name", cluster);
  // On a foreign cluster only the installed release is removed.
  run("helm", "uninstall", release, "--namespace", namespace, "--wait", "--ignore-not-found");
}

function defaultConfig(): string {
  const file = join(process.env["HOME"] ?? "", ".kube", "config");
  return existsSync(file) ? file : "";
}

function run(program: string, ...args: readonly string[]): void {
  runWith({}, program, ...args);
}

function runWith(environment: Readonly<Record<string, string>>, program: string, ...args: readonly string[]): void {
  const env = { ...process.env, ...environment };
  const { status, error } = spawnSync(program, [...args], { cwd: ROOT, stdio: "inherit", env });
  if (error !== undefined) throw new Error(`${program} cannot be started: is it installed?`);
  if (status !== 0) throw new Error(`${program} ${args[0] ?? ""} failed.`);
}

function read(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, [...args], { cwd: ROOT, encoding: "utf8" });
  if (error !== undefined) throw new Error(`${program} cannot be started: is it installed?`);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${stderr.trim()}`);
  return stdout.trim();
}
