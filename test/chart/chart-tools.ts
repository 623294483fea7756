import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { access, constants, copyFile, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { promisify } from "node:util";

const HELM_MODULE = "helm.sh/helm/v3/cmd/helm@v3.22.0";
/** Its module has replacements, so it is built in a module with the same ones. */
const PROMTOOL = {
  package: "github.com/prometheus/prometheus/cmd/promtool",
  version: "v0.305.0",
  replaced: "github.com/fsnotify/fsnotify@v1.8.0=github.com/fsnotify/fsnotify@v1.7.0",
} as const;
const SCHEMAS_PACKAGE = "kubernetes-validate==1.37.0";
/** Foreign kinds that the chart makes, by the module with their definitions. */
const DEFINITIONS: Readonly<Record<string, readonly string[]>> = {
  "sigs.k8s.io/gateway-api@v1.4.0": [
    "config/crd/standard/gateway.networking.k8s.io_gateways.yaml",
    "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml",
  ],
  "github.com/kedacore/keda/v2@v2.18.0": ["config/crd/bases/keda.sh_scaledobjects.yaml"],
  "github.com/prometheus-operator/prometheus-operator@v0.85.0": [
    "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
    "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
  ],
  "github.com/cert-manager/cert-manager@v1.19.0": [
    "deploy/crds/cert-manager.io_certificates.yaml",
    "deploy/crds/cert-manager.io_issuers.yaml",
  ],
  "github.com/external-secrets/external-secrets@v1.3.2": ["config/crds/bases/external-secrets.io_externalsecrets.yaml"],
};
export const KUBERNETES_VERSIONS = ["1.30", "1.31", "1.34", "1.37"] as const;
/** Compiling Helm, or promtool, once takes some minutes on a small machine. */
const INSTALL_TIMEOUT_MS = 10 * 60_000;

const run = promisify(execFile);

export const CACHE: string = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "fairlead-tools");
export const SCHEMAS: string = join(CACHE, "kubernetes-schemas");

export interface ChartTools {
  /** Helm's program, or undefined. */
  readonly helm: string | undefined;
  readonly hasSchemas: boolean;
  readonly promtool: string | undefined;
}

/** Returns the installed tools. Installs missing ones if INSTALL_TEST_TOOLS is set, and reports them otherwise. */
export async function findChartTools(): Promise<ChartTools> {
  if (process.env["INSTALL_TEST_TOOLS"]) await installChartTools();
  const helm = await firstExecutable("helm");
  const hasSchemas = existsSync(join(SCHEMAS, "complete"));
  const promtool = await firstExecutable("promtool");
  const hint = "run node test/chart/install-tools.ts";
  if (helm === undefined) report(`Helm is not installed, so that no chart can be rendered: ${hint}`);
  if (!hasSchemas) report(`There are no schemas of Kubernetes to check the chart's objects against: ${hint}`);
  if (promtool === undefined) report(`promtool is not installed: alerts are neither parsed nor tried out: ${hint}`);
  return { helm, hasSchemas, promtool };
}

function report(text: string): void {
  process.stderr.write(`${text}.\n`);
}

/** Helm and promtool by Go; schemas of Kubernetes by pip; definitions of other kinds from their Go modules. */
export async function installChartTools(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "install-"));
  try {
    if ((await firstExecutable("helm")) === undefined) {
      await run(await go(), ["install", HELM_MODULE], {
        env: { ...process.env, GOBIN: folder },
        timeout: INSTALL_TIMEOUT_MS,
      });
      await rename(join(folder, "helm"), join(CACHE, "helm"));
    }
    if (!existsSync(join(SCHEMAS, "complete"))) await installSchemas(folder);
    if ((await firstExecutable("promtool")) === undefined) await installPromtool(join(folder, "promtool"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function installPromtool(folder: string): Promise<void> {
  await mkdir(folder);
  const options = { cwd: folder, timeout: INSTALL_TIMEOUT_MS };
  await run(await go(), ["mod", "init", "promtool"], options);
  await run(await go(), ["mod", "edit", "-replace", PROMTOOL.replaced], options);
  await run(await go(), ["get", "-tool", `${PROMTOOL.package}@${PROMTOOL.version}`], options);
  await run(await go(), ["build", "-ldflags", "-s -w", "-o", "built", PROMTOOL.package], options);
  await rename(join(folder, "built"), join(CACHE, "promtool"));
}

async function installSchemas(folder: string): Promise<void> {
  const made = join(folder, "schemas");
  await mkdir(made);
  const timeout = INSTALL_TIMEOUT_MS;
  const wheels = join(folder, "wheels");
  await run("python3", ["-m", "pip", "download", "--quiet", "--no-deps", "-d", wheels, SCHEMAS_PACKAGE], { timeout });
  await run("python3", ["-c", UNPACK, wheels, made, ...KUBERNETES_VERSIONS], { timeout });
  await run(await go(), ["mod", "init", "definitions"], { cwd: folder });
  for (const [module, files] of Object.entries(DEFINITIONS)) {
    const { stdout } = await run(await go(), ["mod", "download", "-json", module], { cwd: folder, timeout });
    // The command's documented form.
    const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
    for (const file of files) await copyFile(join(Dir, file), join(made, basename(file)));
  }
  await mkdir(join(made, "complete"));
  await rm(SCHEMAS, { recursive: true, force: true });
  await rename(made, SCHEMAS);
}

/** A wheel is an archive; one of its files for each version is used. */
const UNPACK = `
import glob, sys, zipfile
[folder, made, *versions] = sys.argv[1:]
with zipfile.ZipFile(glob.glob(folder + "/*.whl")[0]) as archive:
    for version in versions:
        name = "kubernetes_validate/kubernetes-json-schema/v" + version + ".0-local-strict/_definitions.json"
        with open(made + "/kubernetes-" + version + ".json", "wb") as file:
            file.write(archive.read(name))
`;

async function go(): Promise<string> {
  const found = await firstExecutable("go", ["/usr/local/go/bin"]);
  if (found === undefined)
    throw new Error("Go is missing, which installs Helm and promtool and has the definitions of other kinds.");
  return found;
}

async function firstExecutable(name: string, more: readonly string[] = []): Promise<string | undefined> {
  for (const folder of [...(process.env["PATH"] ?? "").split(delimiter), CACHE, ...more]) {
    if (folder === "") continue;
    try {
      await access(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // The program is not in this folder.
    }
  }
  return undefined;
}
