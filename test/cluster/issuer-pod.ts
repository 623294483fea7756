import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { apply, kubectl } from "#tooling/cluster/commands.ts";
import { restrictedPod } from "./restricted-pod.ts";

const FILES = ["test-issuer.ts", "authorization-codes.ts", "refresh-tokens.ts"];
const FOLDER = fileURLToPath(new URL("../../tooling/identity/", import.meta.url));
const NAME = "issuer";
const PORT = 8080;
/** Below the image's own packages, of which the issuer needs one. */
const MOUNT = "/app/issuer";

export interface IssuerPodOptions {
  readonly namespace: string;
  readonly image: string;
  /** Name under which browsers and gateways reach it; a Secret of this name has its certificate. */
  readonly host: string;
  readonly ingressClass: string;
}

/** The identity provider of the tests as a pod, published by an Ingress with a certificate. */
export class IssuerPod implements AsyncDisposable {
  readonly #namespace: string;
  readonly url: string;
  /** Address of the host in the cluster. */
  readonly address: string;

  private constructor({ namespace, host }: IssuerPodOptions, address: string) {
    this.#namespace = namespace;
    this.url = `https://${host}`;
    this.address = address;
  }

  static async start(options: IssuerPodOptions): Promise<IssuerPod> {
    const { namespace } = options;
    await apply(namespace, ...objectsOf(options));
    await kubectl("--namespace", namespace, "wait", `pod/${NAME}`, "--for=condition=Ready", "--timeout=60s");
    const path = "--output=jsonpath={.status.loadBalancer.ingress[0].ip}";
    const addressOf = () => kubectl("--namespace", namespace, "get", "ingress", NAME, path);
    await expect.poll(addressOf, { timeout: 30_000, interval: 500 }).not.toBe("");
    return new IssuerPod(options, await addressOf());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const objects = ["pod", "configmap", "service", "ingress"].map((kind) => `${kind}/${NAME}`);
    await kubectl("--namespace", this.#namespace, "delete", ...objects, "--grace-period=1", "--ignore-not-found");
  }
}

function objectsOf({ image, host, ingressClass }: IssuerPodOptions): readonly object[] {
  const metadata = { name: NAME, labels: { app: NAME } };
  const data = {
    ...Object.fromEntries(FILES.map((file) => [file, readFileSync(FOLDER + file, "utf8")])),
    "main.ts": `import { TestIssuer } from "./test-issuer.ts";
await TestIssuer.start({ port: ${PORT}, host: "0.0.0.0", url: "https://${host}" });
`,
  };
  const backend = { service: { name: NAME, port: { number: PORT } } };
  return [
    { apiVersion: "v1", kind: "ConfigMap", metadata, data },
    restrictedPod(metadata, {
      image,
      command: ["node", `${MOUNT}/main.ts`],
      scripts: { configMap: NAME, mountPath: MOUNT },
      readinessProbe: { httpGet: { path: "/.well-known/openid-configuration", port: PORT }, periodSeconds: 1 },
    }),
    {
      ...{ apiVersion: "v1", kind: "Service", metadata },
      spec: { selector: metadata.labels, ports: [{ port: PORT }] },
    },
    {
      ...{ apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata },
      spec: {
        ingressClassName: ingressClass,
        tls: [{ hosts: [host], secretName: host }],
        rules: [{ host, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
      },
    },
  ];
}
