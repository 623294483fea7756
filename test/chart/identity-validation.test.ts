import { describe, expect, it } from "vitest";
import { render, tools, type Values } from "./render.ts";

const development = { environment: "development" };
/** Without `allowUnauthenticated`, which the base values set. */
const OPEN = { allowUnauthenticated: false };
const signIn = (auth: object, more: object = {}): Values => ({ gateway: { ...OPEN, auth, ...more } });
const OIDC = { kinds: ["oidc"], oidc: { issuer: "https://login.test", audience: ["fairlead"] } };
const KEYS = { kinds: ["api-key"] };
const PROXY = { kinds: ["proxy"], proxy: { trustedProxies: ["10.0.0.0/8"] } };

/** Values of callers that contradict each other, and the sentence with the fix. */
const CONTRADICTIONS: readonly (readonly [what: string, values: Values, sentence: string])[] = [
  [
    "nobody who authenticates, in production",
    { gateway: OPEN },
    "gateway.auth.kinds is empty, so everybody who can connect to the gateway could read and change everything: set it (scenarios/oidc.yaml, scenarios/api-keys.yaml), or gateway.allowUnauthenticated: true where something in front authenticates callers.",
  ],
  [
    "a public host without authentication",
    { ...development, gateway: OPEN, ingress: { enabled: true, hosts: ["agents.example.com"] } },
    'ingress.hosts has "agents.example.com", where everybody could read and change everything: set gateway.auth.kinds, or gateway.allowUnauthenticated: true where something in front authenticates callers, or use a host that ends with .localhost, .local, .internal or .test.',
  ],
  [
    "every host without authentication",
    { ...development, gateway: OPEN, gatewayApi: { enabled: true, parentRefs: [{ name: "g" }] } },
    'gatewayApi.hostnames has "", where everybody could read and change everything',
  ],
  [
    "a load balancer without authentication",
    { ...development, gateway: { ...OPEN, service: { type: "LoadBalancer" } } },
    "gateway.service.type is LoadBalancer, where everybody could read and change everything",
  ],
  [
    "the word for no authentication, and authentication",
    { gateway: { auth: OIDC } },
    "gateway.allowUnauthenticated has no effect with gateway.auth.kinds: remove it.",
  ],
  [
    "a provider that is not used",
    signIn({ ...OIDC, ...KEYS }),
    "gateway.auth.oidc.issuer is set, and gateway.auth.kinds has no oidc: add it.",
  ],
  [
    "no provider",
    signIn({ kinds: ["oidc"] }),
    "gateway.auth.kinds has oidc, and there is no identity provider: set gateway.auth.oidc.issuer.",
  ],
  [
    "a provider and several",
    signIn({ ...OIDC, oidc: { ...OIDC.oidc, issuers: [{ issuer: "https://a.test", audience: "a" }] } }),
    "gateway.auth.oidc.issuer and gateway.auth.oidc.issuers are both set: keep one.",
  ],
  [
    "no audience",
    signIn({ kinds: ["oidc"], oidc: { issuer: "https://login.test" } }),
    "gateway.auth.oidc.audience is empty, and tokens for other servers would be accepted: set the name of this server in aud.",
  ],
  [
    "a tenant and a claim of tenants",
    signIn({ kinds: ["oidc"], oidc: { ...OIDC.oidc, tenant: "a", tenantClaim: "org" } }),
    "gateway.auth.oidc.tenant and gateway.auth.oidc.tenantClaim both name the tenant: keep one.",
  ],
  [
    "tenants that no claim names",
    signIn({ kinds: ["oidc"], oidc: { ...OIDC.oidc, tenants: ["a"] } }),
    "gateway.auth.oidc.tenants is set, and no claim names a tenant: set gateway.auth.oidc.tenantClaim.",
  ],
  [
    "the secret of no client",
    signIn({ kinds: ["oidc"], oidc: { ...OIDC.oidc, clientSecret: { name: "s" } } }),
    "gateway.auth.oidc.clientSecret is set without a client: set gateway.auth.oidc.clientId.",
  ],
  [
    "keys in memory",
    signIn({ ...KEYS, apiKeys: { store: "memory" } }),
    "gateway.auth.apiKeys.store is memory, so keys are lost with their pod: use postgres, firestore or sqlite, or set environment: development.",
  ],
  [
    "keys in a file of two pods",
    signIn({ ...KEYS, apiKeys: { store: "sqlite" } }, { replicas: 2, persistence: { enabled: true } }),
    "gateway.auth.apiKeys.store is sqlite, which belongs to one process, and there are several gateways: set gateway.replicas to 1 without autoscaling, or use postgres or firestore.",
  ],
  [
    "an audit log without a volume",
    { gateway: { audit: "file" } },
    "gateway.audit is file without a volume, and would be lost with its pod: set gateway.persistence.enabled, or use postgres or firestore.",
  ],
  [
    "keys in a database without a name",
    {
      ...signIn(KEYS),
      ...development,
      firestore: { projectId: "" },
      stores: { session: "memory", memory: "memory", eval: "memory" },
    },
    "firestore.projectId is empty, and the gateway keeps API keys, push notifications or its audit log in Firestore: name the Google Cloud project, or choose another gateway.auth.apiKeys.store, gateway.a2a.push or gateway.audit.",
  ],
  [
    "a proxy without an address",
    signIn({ kinds: ["proxy"] }),
    "gateway.auth.kinds has proxy, and gateway.auth.proxy.trustedProxies is empty: set it to the addresses of the proxy's pods.",
  ],
  [
    "a proxy beside which all pods may call",
    signIn(PROXY),
    "gateway.auth.kinds has proxy, and every pod may call the gateway: name the proxy in networkPolicy.gateway.from, because addresses of pods change.",
  ],
  [
    "metrics without a token",
    { ...signIn(OIDC), monitoring: { serviceMonitor: { enabled: true } } },
    "monitoring.serviceMonitor.tokenSecret.name is empty, and the gateway shows metrics to callers with the scope ops only: name a Secret with such an API key or token; it may be created after the release.",
  ],
];

/** Values that the schema refuses, and the place that it names. */
const MISSPELT: readonly (readonly [values: Values, place: string])[] = [
  [signIn({ kinds: ["none"] }), "'/gateway/auth/kinds/0': value must be one of"],
  [signIn({ oidc: { scopeMap: { "*": ["everything"] } } }), "'/gateway/auth/oidc/scopeMap/*/0': value must be one of"],
  [
    signIn({ oidc: { issuer: "http://login.test" } }),
    "'/gateway/auth/oidc/issuer': 'http://login.test' does not match",
  ],
];

/** What the sentences advise. */
const FIXED: readonly Values[] = [
  { ...development, gateway: OPEN, ingress: { enabled: true, hosts: ["agents.test"] } },
  { ...signIn(OIDC), ingress: { enabled: true, hosts: ["agents.example.com"] } },
  signIn({ ...KEYS, apiKeys: { store: "sqlite" } }, { persistence: { enabled: true } }),
  { ...signIn(PROXY), networkPolicy: { gateway: { from: [{ podSelector: {} }] } } },
];

describe.skipIf(tools.helm === undefined)("wrong values of callers", () => {
  it.each(CONTRADICTIONS)("%s is refused with what fixes it", async (_, values, sentence) => {
    await expect(render(values)).rejects.toThrow(`- ${sentence}`);
  });

  it.each(MISSPELT)("%j is refused by the schema", async (values, place) => {
    await expect(render(values)).rejects.toThrow(place);
  });

  it.each(FIXED)("%j is accepted", async (values) => {
    expect(await render(values)).not.toEqual([]);
  });
});
