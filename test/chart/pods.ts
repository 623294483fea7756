import { at, isMap, type KubernetesObject, listAt, type Values } from "./render.ts";

/** A pod that an object makes. */
export interface PodOf {
  /** `Deployment agents-fairlead-gateway` */
  readonly owner: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Values;
  readonly containers: readonly Values[];
}

export function podsOf(objects: readonly KubernetesObject[]): readonly PodOf[] {
  return objects.flatMap((object): PodOf[] => {
    const template = object.kind === "Pod" ? object : at(object, "spec.template");
    const spec = at(template, "spec");
    if (!isMap(spec) || !Array.isArray(spec["containers"])) return [];
    // Labels are strings, which the API check verifies.
    const labels = (at(template, "metadata.labels") ?? {}) as Readonly<Record<string, string>>;
    const containers = [...listAt(spec, "containers"), ...listAt(spec, "initContainers")].filter(isMap);
    return [{ owner: `${object.kind} ${object.metadata.name}`, labels, spec, containers }];
  });
}

/** The variables of a pod's first container. */
export function environmentOf(pod: PodOf): Readonly<Record<string, string>> {
  const entries = listAt(pod.containers[0], "env").map((entry) => [at(entry, "name"), at(entry, "value")]);
  return Object.fromEntries(entries);
}

export function podOf(objects: readonly KubernetesObject[], component: string): PodOf {
  const found = podsOf(objects).find(({ labels }) => labels["app.kubernetes.io/component"] === component);
  if (found === undefined) throw new Error(`There is no pod of ${component}.`);
  return found;
}

/** Violations of the Pod Security Standard `restricted`, and of the chart's own rule of read-only roots. */
export function securityFaults({ owner, spec, containers }: PodOf): readonly string[] {
  const faults: string[] = [];
  const demand = (ok: boolean, what: string): void => {
    if (!ok) faults.push(`${owner}: ${what}`);
  };
  demand(at(spec, "securityContext.runAsNonRoot") === true, "may run as root");
  demand(at(spec, "securityContext.seccompProfile.type") === "RuntimeDefault", "has no seccomp profile");
  demand(Number(at(spec, "securityContext.runAsUser") ?? 0) > 0, "has no numeric user");
  demand(spec["automountServiceAccountToken"] === false, "gets a token of the API server");
  for (const member of ["hostNetwork", "hostPID", "hostIPC"]) demand(spec[member] !== true, `has ${member}`);
  const kinds = new Set([
    "name",
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "persistentVolumeClaim",
    "projected",
    "secret",
  ]);
  for (const volume of listAt(spec, "volumes").filter(isMap)) {
    for (const kind of Object.keys(volume)) demand(kinds.has(kind), `has a volume of kind ${kind}`);
  }
  for (const container of containers) {
    const security = at(container, "securityContext");
    demand(at(security, "allowPrivilegeEscalation") === false, "allows privilege escalation");
    demand(at(security, "privileged") !== true, "is privileged");
    demand(JSON.stringify(at(security, "capabilities")) === '{"drop":["ALL"]}', "keeps capabilities");
    demand(at(security, "readOnlyRootFilesystem") === true, "has a root that can be written to");
    demand(at(security, "runAsUser") === undefined, "changes its user");
    for (const port of listAt(container, "ports")) demand(at(port, "hostPort") === undefined, "has a host port");
  }
  return faults;
}
