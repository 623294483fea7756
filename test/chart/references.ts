import { environmentOf, podsOf } from "./pods.ts";
import { at, isMap, type KubernetesObject, listAt, type Values } from "./render.ts";

/** References to objects that do not exist, and ports and labels that do not match. */
export function referenceFaults(objects: readonly KubernetesObject[], outside: ReadonlySet<string>): readonly string[] {
  const names = new Set(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  const demand = (owner: string, reference: string): readonly string[] =>
    names.has(reference) || outside.has(reference) ? [] : [`${owner} names ${reference}, which is not there`];
  return [
    ...podsOf(objects).flatMap((pod) =>
      [...mountsOf(pod.spec), ...accountOf(pod.spec)].flatMap((reference) => demand(pod.owner, reference)),
    ),
    ...objects.flatMap((object) => targetsOf(object).flatMap((target) => demand(object.kind, target))),
    ...objects.flatMap((object) => serviceFaults(object, objects)),
    ...objects.flatMap((object) => selectorFaults(object)),
    ...addressFaults(objects),
    ...keyFaults(objects),
  ];
}

/** Files of pods from keys that their Secret or ConfigMap lacks: such pods do not start. */
function keyFaults(objects: readonly KubernetesObject[]): readonly string[] {
  const keysOf = new Map(
    objects.map((object) => [
      `${object.kind} ${object.metadata.name}`,
      new Set(["data", "stringData", "binaryData"].flatMap((member) => Object.keys(object[member] ?? {}))),
    ]),
  );
  const faultsOf = (owner: string, reference: string, source: unknown): readonly string[] =>
    listAt(source, "items")
      .map((item) => String(at(item, "key")))
      .filter((key) => keysOf.get(reference)?.has(key) === false)
      .map((key) => `${owner} needs the key ${key} of ${reference}, which lacks it`);
  return podsOf(objects).flatMap(({ owner, spec }) =>
    listAt(spec, "volumes").flatMap((volume) =>
      [volume, ...listAt(volume, "projected.sources")].flatMap((source) => [
        ...faultsOf(
          owner,
          `Secret ${at(source, "secret.name") ?? at(source, "secret.secretName")}`,
          at(source, "secret"),
        ),
        ...faultsOf(owner, `ConfigMap ${at(source, "configMap.name")}`, at(source, "configMap")),
      ]),
    ),
  );
}

function mountsOf(spec: Values): readonly string[] {
  return listAt(spec, "volumes").flatMap((volume) => [
    ...named("ConfigMap", at(volume, "configMap.name")),
    ...named("Secret", at(volume, "secret.secretName")),
    ...named("PersistentVolumeClaim", at(volume, "persistentVolumeClaim.claimName")),
    ...listAt(volume, "projected.sources").flatMap((source) => [
      ...named("Secret", at(source, "secret.name")),
      ...named("ConfigMap", at(source, "configMap.name")),
    ]),
  ]);
}

function accountOf(spec: Values): readonly string[] {
  return named("ServiceAccount", spec["serviceAccountName"]);
}

function targetsOf(object: KubernetesObject): readonly string[] {
  switch (object.kind) {
    case "HorizontalPodAutoscaler":
    case "ScaledObject":
      return named("Deployment", at(object, "spec.scaleTargetRef.name"));
    case "Ingress":
      return listAt(object, "spec.rules").flatMap((rule) =>
        listAt(rule, "http.paths").flatMap((path) => named("Service", at(path, "backend.service.name"))),
      );
    case "HTTPRoute":
      return listAt(object, "spec.rules").flatMap((rule) =>
        listAt(rule, "backendRefs").flatMap((backend) => named("Service", at(backend, "name"))),
      );
    default:
      return [];
  }
}

function named(kind: string, name: unknown): readonly string[] {
  return typeof name === "string" ? [`${kind} ${name}`] : [];
}

/** A Service, a budget or a policy must select pods, and a Service's port must be one of theirs. */
function serviceFaults(object: KubernetesObject, objects: readonly KubernetesObject[]): readonly string[] {
  const label = `${object.kind} ${object.metadata.name}`;
  const selector = selectorOf(object);
  if (selector === undefined) return [];
  const pods = podsOf(objects).filter(({ labels }) =>
    Object.entries(selector).every(([key, value]) => labels[key] === value),
  );
  if (pods.length === 0) return [`${label} selects no pod`];
  const ports = object.kind === "Service" ? listAt(object, "spec.ports").map((port) => at(port, "targetPort")) : [];
  return ports
    .filter(
      (port) =>
        !pods.every(({ containers }) =>
          containers.some((one) => listAt(one, "ports").some((own) => at(own, "name") === port)),
        ),
    )
    .map((port) => `${label} leads to the port ${port}, which its pods do not have`);
}

function selectorOf(object: KubernetesObject): Values | undefined {
  const paths: Readonly<Record<string, string>> = {
    Service: "spec.selector",
    PodDisruptionBudget: "spec.selector.matchLabels",
    NetworkPolicy: "spec.podSelector.matchLabels",
  };
  const path = paths[object.kind];
  const selector = path === undefined ? undefined : at(object, path);
  return isMap(selector) ? selector : undefined;
}

function selectorFaults(object: KubernetesObject): readonly string[] {
  if (object.kind !== "Deployment") return [];
  const labels = at(object, "spec.template.metadata.labels");
  const wrong = Object.entries(at(object, "spec.selector.matchLabels") ?? {}).filter(
    ([key, value]) => !isMap(labels) || labels[key] !== value,
  );
  return wrong.map(([key]) => `Deployment ${object.metadata.name} selects by ${key}, which its pods do not have`);
}

/** Addresses of the release in a service's settings must be those of a Service, with one of its ports. */
function addressFaults(objects: readonly KubernetesObject[]): readonly string[] {
  const services = objects.filter(({ kind }) => kind === "Service");
  return podsOf(objects).flatMap((pod) =>
    Object.entries(environmentOf(pod)).flatMap(([variable, value]) => {
      const [, name, namespace, port] = /([a-z0-9-]+)\.([a-z0-9-]+)\.svc\.[a-z.]+?\.?:(\d+)$/.exec(value) ?? [];
      if (name === undefined || namespace !== objects[0]?.metadata.namespace) return [];
      const ports = services
        .filter(({ metadata }) => metadata.name === name)
        .flatMap((service) => listAt(service, "spec.ports").map((entry) => String(at(entry, "port"))));
      return ports.includes(port ?? "") ? [] : [`${pod.owner}: ${variable} leads to ${value}, which nothing answers`];
    }),
  );
}
