import { at, isMap, type KubernetesObject, listAt } from "./render.ts";

/**
 * `gateway → session:50051`, for what both ends allow. Peers that are not pods of the release have a name of their own.
 */
export type Edge = string;

interface Rule {
  readonly component: string;
  readonly peers: readonly unknown[];
  readonly ports: readonly string[];
}

/** The edges between pods of the release that egress and ingress rules both allow. */
export function allowedEdges(objects: readonly KubernetesObject[]): readonly Edge[] {
  const out = new Set(edgesOf(rulesOf(objects, "egress"), (self, peer, port) => `${self} → ${peer}:${port}`));
  const into = new Set(edgesOf(rulesOf(objects, "ingress"), (self, peer, port) => `${peer} → ${self}:${port}`));
  return [...out].filter((edge) => into.has(edge)).sort();
}

/** Edges that only one end allows: a rule that is useless, or one that is missing. */
export function halfEdges(objects: readonly KubernetesObject[]): readonly Edge[] {
  const out = edgesOf(rulesOf(objects, "egress"), (self, peer, port) => `${self} → ${peer}:${port}`);
  const into = edgesOf(rulesOf(objects, "ingress"), (self, peer, port) => `${peer} → ${self}:${port}`);
  const both = new Set(allowedEdges(objects));
  return [...new Set([...out, ...into])].filter((edge) => !both.has(edge)).sort();
}

/** What a component may reach outside of the release, as `cidr:port` and `namespace name:port`. */
export function outsideOf(objects: readonly KubernetesObject[], component: string): readonly string[] {
  const rules = rulesOf(objects, "egress").filter((rule) => rule.component === component);
  const found = rules.flatMap(({ peers, ports }) =>
    (peers.length === 0 ? [undefined] : peers).flatMap((peer) => {
      const name = outsideName(peer);
      return name === undefined ? [] : ports.map((port) => `${name}:${port}`);
    }),
  );
  return [...new Set(found)].sort();
}

function outsideName(peer: unknown): string | undefined {
  if (peer === undefined) return "anywhere";
  const cidr = at(peer, "ipBlock.cidr");
  if (typeof cidr === "string") return cidr;
  const labels = at(peer, "namespaceSelector.matchLabels");
  return isMap(labels) ? `namespace ${String(Object.values(labels)[0])}` : undefined;
}

function rulesOf(objects: readonly KubernetesObject[], direction: "ingress" | "egress"): readonly Rule[] {
  return objects
    .filter(({ kind }) => kind === "NetworkPolicy")
    .flatMap((policy) => {
      const component = componentOf(at(policy, "spec.podSelector")) ?? "every pod";
      return listAt(policy, `spec.${direction}`).map((rule) => ({
        component,
        peers: listAt(rule, direction === "ingress" ? "from" : "to"),
        ports: listAt(rule, "ports").map((port) => String(at(port, "port"))),
      }));
    });
}

function edgesOf(rules: readonly Rule[], edge: (self: string, peer: string, port: string) => Edge): readonly Edge[] {
  return rules.flatMap(({ component, peers, ports }) =>
    peers.flatMap((peer) => {
      const other = componentOf(at(peer, "podSelector"));
      return other === undefined ? [] : ports.map((port) => edge(component, other, port));
    }),
  );
}

function componentOf(selector: unknown): string | undefined {
  const labels = at(selector, "matchLabels");
  const component = isMap(labels) ? labels["app.kubernetes.io/component"] : undefined;
  return component === undefined ? undefined : String(component);
}
