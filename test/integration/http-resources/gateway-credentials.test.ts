import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const STRANGE = "a/b?ä %2F";

async function startWorld() {
  const userCredentials = new InMemoryCredentialService({ clock: new FixedClock(5000) });
  const world = await startGateway({ deps: { userCredentials } });
  const get = (url: string) => world.gateway.inject(url);
  const remove = (url: string) => world.gateway.inject({ method: "DELETE", url });
  return { userCredentials, get, remove, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

it("lists names, kinds and times of a user's credentials, and deletes one", async () => {
  verifies("platform:credentials:listed", "platform:credentials:revoked");
  await using world = await startWorld();
  const { userCredentials, get, remove } = world;
  const names = [
    { appName: "echo", credentialKey: STRANGE },
    { appName: "echo", credentialKey: "tool" },
    { appName: STRANGE, credentialKey: "tool" },
  ];
  const value = {
    authType: "http",
    http: { scheme: "basic", credentials: { username: "u", password: "secret" } },
  } as const;
  for (const { appName, credentialKey } of names)
    for (const userId of ["u", "other"])
      await userCredentials.saveCredential({ appName, userId }, credentialKey, value);
  const listed = names.map((each) => ({ ...each, authType: "http", createdTime: 5, updatedTime: 5 }));
  const sorted = [listed[2], listed[0], listed[1]];
  expect((await get("/v1/credentials?userId=u")).json()).toEqual({ credentials: sorted });
  expect((await get("/v1/credentials?userId=u&appName=echo")).json()).toEqual({ credentials: sorted.slice(1) });
  expect((await get("/v1/credentials?user_id=u&app_name=echo")).json()).toEqual({ credentials: sorted.slice(1) });
  const strange = encodeURIComponent(STRANGE);
  for (const path of [`echo/${strange}`, `${strange}/tool`, `${strange}/tool`, "echo/none"]) {
    const { statusCode, body } = await remove(`/v1/credentials/${path}?userId=u`);
    expect([path, statusCode, body]).toEqual([path, 200, "null"]);
  }
  expect((await get("/v1/credentials?userId=u")).json()).toEqual({ credentials: [listed[1]] });
  expect((await get("/v1/credentials?userId=other")).json()).toMatchObject({ credentials: { length: 3 } });
});

it("names the field of bad input", async () => {
  await using world = await startWorld();
  const field = (name: string) => ({ status: 400, reason: "INVALID_IDENTIFIER", details: { field: name } });
  const noUser = { status: 422, reason: "INVALID_FIELD", details: { field: "userId" } };
  const { get, remove } = world;
  expect((await get("/v1/credentials")).json()).toMatchObject(noUser);
  expect((await remove("/v1/credentials/echo/tool")).json()).toMatchObject(noUser);
  expect((await get("/v1/credentials?userId=a%0Ab")).json()).toMatchObject(field("userId"));
  expect((await get(`/v1/credentials?userId=u&appName=${"a".repeat(257)}`)).json()).toMatchObject(field("appName"));
  expect((await remove("/v1/credentials/echo/a%00?userId=u")).json()).toMatchObject(field("credentialKey"));
  expect((await get("/v1/credentials?userId=u&userId=v")).statusCode).toBe(422);
});
