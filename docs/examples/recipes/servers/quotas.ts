import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LlmAgent } from "fairlead/kit";
import { createServer } from "fairlead/server";

const QUOTAS_FILE = join(mkdtempSync(join(tmpdir(), "recipe-")), "quotas.yaml");
writeFileSync(
  QUOTAS_FILE,
  `defaults: { tenant: { requestsPerMinute: 1000 } }
overrides: [{ tenant: trial, limits: { requestsPerMinute: 2 } }]
`,
);
const desk = new LlmAgent({ name: "desk", model: "demo/chat", instruction: "Help." });
// A proxy in front of the server signs people in, and names each one's tenant.
await using server = await createServer({
  agents: [desk],
  config: { AUTH: ["proxy"], TRUSTED_PROXIES: ["127.0.0.1"], PROXY_TENANT_HEADER: "X-Tenant", QUOTAS_FILE },
});
const url = await server.listen({ port: 0 });

for (const tenant of ["trial", "trial", "trial", "acme"]) {
  const headers = { "x-forwarded-user": "ada", "x-tenant": tenant };
  const response = await fetch(`${url}/list-apps`, { headers });
  const { reason = "" } = Object(await response.json());
  console.log(`${tenant}: ${response.status} ${reason}`.trimEnd());
}
