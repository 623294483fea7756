import { expect, it } from "vitest";
import { GrpcPeer } from "#adapters/grpc/channel/grpc-peer.ts";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { GrpcServer } from "#shared/grpc/grpc-server.ts";
import { freePort } from "#tooling/free-ports.ts";

const { service: HEALTH } = loadProto("health").grpc.health.v1.Health;

/** A peer whose calls are never repeated. */
function connect(port: number, patienceMs: number): GrpcPeer {
  const address = `127.0.0.1:${port}`;
  return new GrpcPeer({ name: "memory", methods: {}, address, clock: systemClock, timeoutMs: 20_000, patienceMs });
}

const check = (peer: GrpcPeer) => peer.unary(HEALTH.Check, { service: "" });

it("calls wait for a service that is being started again, where they may", async () => {
  const first = new GrpcServer({ services: [] });
  const port = await first.listen(`127.0.0.1:${await freePort()}`);
  await using patient = connect(port, 15_000);
  await using impatient = connect(port, 0);
  await Promise.all([check(patient), check(impatient)]);
  await first[Symbol.asyncDispose]();
  await expect(check(impatient)).rejects.toMatchObject({ reason: "SERVICE_UNAVAILABLE" });

  const waiting = check(patient);
  await using second = new GrpcServer({ services: [] });
  await second.listen(`127.0.0.1:${port}`);
  expect(await waiting).toEqual({ status: "SERVING" });
});

it("calls of a service that stays away fail once they have waited", async () => {
  const server = new GrpcServer({ services: [] });
  const port = await server.listen("127.0.0.1:0");
  await using peer = connect(port, 50);
  await check(peer);
  await server[Symbol.asyncDispose]();
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await expect(check(peer)).rejects.toMatchObject({
      reason: "SERVICE_UNAVAILABLE",
      message: "The memory service cannot be reached. Try again.",
    });
  }
});
