import { tenantOf } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { type CallScope, inCallScope, type RunCredentials } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";
import { KEY } from "#test/contract/sessions/session-world.ts";
import { startBackEnds } from "#test/helpers/worlds/back-ends-world.ts";

const START = "/fairlead.runner.v1.RunnerService/StartRun";

/** A runner, and what a gateway gives it. */
export async function startRunner() {
  const world = await startBackEnds();
  const { files, clock, stores } = world;
  await stores.sessions.createSession(KEY);
  const gateway = files.withPrincipals("gateway", { clock });
  const sign = (principal: Principal): string =>
    inCallScope({ principal }, () => gateway.peer("runner").facts?.(START)?.principal ?? "");
  const runner = world.connect(files.withPrincipals("runner", { clock }));
  /** A scope as of a start of the session that a gateway has requested. */
  const startOf = (session: SessionKey): CallScope & { readonly credentials: RunCredentials } => {
    const { appName, userId, id } = session;
    const principal = sign({ tenantId: tenantOf(session), appName, userId, sessionId: id, scopes: [] });
    return { credentials: { principal } };
  };
  return { ...world, runner, sign, startOf };
}
