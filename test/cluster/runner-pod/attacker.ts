// The attack from a runner's pod, which prints an `AttackSummary`. It has what a program there has: the environment with
// all files that it names, and the texts of a run. Its only argument is an `AttackOrder` as JSON.
import { createConnection } from "node:net";
import type { PeerOptions } from "#adapters/grpc/channel/grpc-peer.ts";
import { RemoteRunJournal } from "#adapters/grpc/remote-run-journal.ts";
import { createRedis } from "#adapters/redis/create-redis.ts";
import { runKeys } from "#adapters/redis/run-keys.ts";
import { systemClock as clock } from "#kit/platform/clock.ts";
import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { silentLogger as logger } from "#kit/platform/logger.ts";
import { runnerProcessConfigSchema } from "#services/runner/config.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { openServiceSecurity } from "#shared/grpc/service-security.ts";
import { inCallScope, type RunCredentials } from "#shared/security/call-scope.ts";
import { redisAddress } from "#shared/transport/redis-settings.ts";
import { METHODS } from "#test/helpers/security/hostile-requests.ts";
import type { AttackOrder, AttackSummary } from "./attack-order.ts";
import { type CalledService, callAll, callForOwn } from "./hostile-calls.ts";
import { commandAll, usesLog } from "./hostile-commands.ts";

const CONNECT_MS = 3000;
const LEASE_MS = 600_000;

// The test that starts this program writes it.
const order = JSON.parse(process.argv.at(-1) ?? "") as AttackOrder;
const config = loadConfig(runnerProcessConfigSchema, process.env);
using security = openServiceSecurity({ config, self: "runner", clock, ids: new UuidV7Generator(), logger });
process.stdout.write(`${JSON.stringify(await attack(order))}\n`);

async function attack({ own, victims, secret, foreignKeys }: AttackOrder): Promise<AttackSummary> {
  const credentials: RunCredentials = { principal: own.start };
  await using journal = new RemoteRunJournal(calledAt("session").options);
  const run = await inCallScope({ credentials }, () =>
    journal.begin({
      ...{ runId: own.runId, session: own.session, invocationId: "i", holder: "attacker", haveRevision: 0 },
      ...{ request: {}, policy: "enqueue", leaseMs: LEASE_MS },
    }),
  );
  const { grant } = credentials;
  if (run.kind !== "started" || grant === undefined) throw new Error(`The own run is ${run.kind}.`);

  const signed = await inCallScope({ credentials }, () => journal.signGrant());
  const reached: string[] = [];
  const unreachable: string[] = [];
  let calls = 0;
  // The names of the table.
  for (const service of Object.keys(METHODS) as CalledService[]) {
    if (!(await connects(addressOf(service)))) {
      unreachable.push(service);
      continue;
    }
    const outcome = await callAll(service, calledAt(service), { own, victims, secret, grants: { grant, signed } });
    calls += outcome.calls;
    reached.push(...outcome.reached);
  }

  const found: string[] = [];
  const events = await callForOwn("session", calledAt("session"), { own, grant, name: "ListEvents" });
  if (events.includes(own.mark)) found.push("its events");
  let commands = 0;
  if (foreignKeys !== undefined) {
    const open = () => createRedis(redisAddress(config));
    const { log } = runKeys(config.REDIS_KEY_PREFIX, { runId: own.runId, tenantId: own.session.tenantId });
    const outcome = await commandAll(open, foreignKeys);
    commands = outcome.commands;
    reached.push(...outcome.reached);
    const redis = open();
    if (await usesLog(redis, log)) found.push("its log in Redis");
    redis.disconnect();
  }
  const { lease } = run;
  const hasEnded = await inCallScope({ credentials }, () =>
    journal.finish({ lease, afterRevision: run.snapshot.revision, events: [], status: "succeeded" }),
  ).then(
    () => true,
    // The summary tells what has taken the run away.
    () => false,
  );
  if (hasEnded) found.push("its end");
  return { reached, calls, commands, unreachable, own: found };
}

function calledAt(service: CalledService): { readonly options: PeerOptions; readonly serviceToken: string } {
  const peer = security.peer(service);
  const { serviceToken = "" } = peer.facts?.("") ?? {};
  return { options: { ...peer, address: addressOf(service), clock, timeoutMs: 5000 }, serviceToken };
}

function addressOf(service: CalledService): string {
  const address = process.env[`${service.toUpperCase()}_SERVICE_ADDRESS`] ?? order.addresses[service];
  if (address === undefined) throw new Error(`Nothing names the address of the ${service} service.`);
  return address;
}

function connects(address: string): Promise<boolean> {
  const [, host = "", port] = /([^/:,]+):(\d{1,5})$/.exec(address) ?? [];
  const socket = createConnection({ host, port: Number(port), timeout: CONNECT_MS });
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("timeout", () => resolve(false));
  }).finally(() => socket.destroy());
}
