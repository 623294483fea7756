/** Settings of the tests on a cluster; the cluster itself is that of KUBECONFIG. */
export interface ClusterSettings {
  /** Name of the image under test, as pods refer to it. */
  readonly image: string;
  /**
   * Command that loads an image of this machine into the cluster; the image's name is appended. Absent if nodes can
   * pull it.
   */
  readonly loadImage?: string;
  /** File with more values for each release, such as images of Redis and the emulators if nodes reach no registry. */
  readonly valuesFile?: string;
  /** Address of the controller of Ingress and Gateway objects, such as http://127.0.0.1:80. */
  readonly ingressUrl?: string;
  readonly ingressClass: string;
  readonly gatewayClass: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns why the tests cannot run here, and reports it once per file that asks. */
export function noCluster(environment: Environment): string | undefined {
  if (environment["KUBECONFIG"]) return undefined;
  const reason = "KUBECONFIG is not set; test/cluster/README.md lists the settings";
  process.stderr.write(`Tests on a cluster are skipped: ${reason}\n`);
  return reason;
}

export function clusterSettings(environment: Environment): ClusterSettings {
  const { E2E_IMAGE, E2E_LOAD_IMAGE, E2E_VALUES, E2E_INGRESS_URL, E2E_INGRESS_CLASS, E2E_GATEWAY_CLASS } = environment;
  return {
    image: E2E_IMAGE || "fairlead:dev",
    ...(E2E_LOAD_IMAGE && { loadImage: E2E_LOAD_IMAGE }),
    ...(E2E_VALUES && { valuesFile: E2E_VALUES }),
    ...(E2E_INGRESS_URL && { ingressUrl: E2E_INGRESS_URL }),
    ingressClass: E2E_INGRESS_CLASS || "traefik",
    gatewayClass: E2E_GATEWAY_CLASS || "traefik",
  };
}
