import type { Browser, Page } from "playwright-core";
import { afterAll, describe, expect, it, vi } from "vitest";
import { cannotRun, launchBrowser } from "#test/e2e/browser.ts";
import { DevUiPage } from "#test/e2e/dev-ui-page.ts";
import { signInAtProvider } from "#test/e2e/provider-page.ts";
import { GatewayClient } from "#test/e2e/suite/gateway-client.ts";
import { fetchByHost } from "#test/e2e/targets/fetch-by-host.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { apply } from "#tooling/cluster/commands.ts";
import type { Release, Values } from "#tooling/cluster/release.ts";
import { clusterSettings, noCluster } from "#tooling/cluster/settings.ts";
import { ClusterWorld } from "./cluster-world.ts";
import { EdgeCertificates } from "./edge-certificates.ts";
import { IssuerPod } from "./issuer-pod.ts";

const HOST = "signed.agents.test";
const LOGIN = "login.agents.test";
const SCOPES = ["runs:write", "sessions:read", "sessions:write", "artifacts"];
const { ingressUrl, ingressClass } = clusterSettings(process.env);
const edge = new URL(ingressUrl ?? "http://127.0.0.1").hostname;

/** A release whose callers sign in at an identity provider in the cluster, both published by an Ingress with TLS. */
async function start() {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await ClusterWorld.create());
  const certificates = await EdgeCertificates.create(world.namespace, [HOST, LOGIN]);
  const { namespace, settings } = world;
  const issuer = stack.use(await IssuerPod.start({ namespace, image: settings.image, host: LOGIN, ingressClass }));
  const release = world.release();
  const values = signedIn(issuer);
  await release.apply(values);
  const browser = await launchBrowser({ [HOST]: edge, [LOGIN]: edge });
  stack.defer(() => browser.close());
  const fetchFunction = fetchByHost(HOST, { ca: certificates.authority });
  const anonymous = new GatewayClient(`https://${edge}`, fetchFunction);
  await vi.waitFor(() => anonymous.json("GET", "/ready"), { timeout: 60_000, interval: 500 });
  const close = stack.move();
  return { release, values, browser, anonymous, fetchFunction, close };
}

function signedIn({ url, address }: IssuerPod): Values {
  return {
    gateway: {
      // In an Ingress of a domain of its own the name would be found by DNS.
      hostAliases: [{ ip: address, hostnames: [LOGIN] }],
      auth: {
        kinds: ["oidc", "api-key"],
        oidc: {
          ...{ issuer: url, audience: ["agents"], clientId: "pages", scopeMap: { "*": SCOPES } },
          caSecret: { name: "authority" },
        },
      },
    },
    networkPolicy: { identity: { to: [{ namespaceSelector: {} }], ports: [443, 8443] } },
    ingress: { enabled: true, className: ingressClass, hosts: [HOST], tls: { enabled: true, secretName: HOST } },
  };
}

let started: ReturnType<typeof start> | undefined;
const theWorld = (): ReturnType<typeof start> => (started ??= start());

const reason = noCluster(process.env) ?? (ingressUrl === undefined ? "E2E_INGRESS_URL is not set" : undefined);

describe.skipIf(reason !== undefined || cannotRun("signing in on a cluster"))(
  "a release whose callers sign in",
  {
    timeout: 300_000,
  },
  () => {
    afterAll(async () => void (await started?.then(({ close }) => close.disposeAsync())), 300_000);

    it("refuses requests without credentials, and shows metrics to nobody", async () => {
      const { anonymous } = await theWorld();
      const statusOf = async (path: string) => (await anonymous.send("GET", path)).status;
      expect(await statusOf("/list-apps")).toBe(401);
      expect(await statusOf("/apps/weather/users/ada/sessions")).toBe(401);
      expect(await statusOf("/metrics")).toBe(401);
      expect(await statusOf("/health")).toBe(200);
    });

    it("signs a user in through the Ingress, chats, and signs out; an upgrade keeps users signed in", async () => {
      verifies("platform:helm:sign-in");
      const { browser, release, values } = await theWorld();
      const page = await openPage(browser);
      await page.goto(`https://${HOST}/dev-ui/?app=weather`);
      await signInAtProvider(page, "ada");
      await page.waitForURL(/dev-ui/);
      const ui = new DevUiPage(page);
      await ui.sendAndFollow("What is the weather in Paris?");
      await page.getByText("It is foggy in Paris").first().waitFor();
      expect(new URL(page.url()).searchParams.get("userId")).toBe("ada");
      const [cookie] = await page.context().cookies();
      expect(cookie).toMatchObject({ name: "__Host-fairlead", httpOnly: true, secure: true, sameSite: "Strict" });

      await release.apply({ ...values, defaults: { podAnnotations: { "example.com/change": "1" } } });
      await page.goto(`https://${HOST}/docs`);
      await page.locator("[data-signed-in]").getByText("ada").waitFor();

      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("API key").waitFor();
      expect(await page.evaluate(`fetch("/list-apps").then(({ status }) => status)`)).toBe(401);
    });

    it("accepts an API key that was created in its pod, for its user alone", async () => {
      const { release, anonymous, fetchFunction } = await theWorld();
      const key = await createKey(release, "--user", "grace", "--scopes", SCOPES.join(","));
      const withKey: typeof fetch = (input, init = {}) =>
        fetchFunction(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${key}` } });
      const client = new GatewayClient(anonymous.url, withKey);
      expect(await client.json("GET", "/list-apps")).toContain("weather");
      expect((await client.send("GET", "/apps/weather/users/ada/sessions")).status).toBe(403);
      expect((await client.send("GET", "/metrics")).status).toBe(403);
      const withWrongKey = await anonymous.send("GET", "/list-apps", undefined);
      expect(withWrongKey.status).toBe(401);
    });

    it("passes its own test with a key, and checks less without one", async () => {
      const { release, values } = await theWorld();
      expect(await release.test()).toMatch(/Phase:\s+Succeeded/);
      const key = await createKey(release, "--user", "tester", "--scopes", SCOPES.join(","));
      const metadata = { name: "test-token" };
      await apply(release.namespace, { apiVersion: "v1", kind: "Secret", metadata, stringData: { token: key } });
      await release.apply({ ...values, test: { tokenSecret: { name: metadata.name } } });
      expect(await release.test()).toMatch(/Phase:\s+Succeeded/);
    });
  },
);

async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ignoreHTTPSErrors: true });
  page.setDefaultTimeout(30_000);
  return page;
}

/** Created in a pod of the gateway, which has the store of keys. */
async function createKey(release: Release, ...options: readonly string[]): Promise<string> {
  const command = ["fairlead", "keys", "create", "--name", "test", "--json", ...options];
  const output = await release.kubectl("exec", release.deployment("gateway"), "--", ...command);
  // The command's documented form.
  return (JSON.parse(output) as { readonly key: string }).key;
}
