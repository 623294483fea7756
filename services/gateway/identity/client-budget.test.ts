import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ClientBudget } from "./client-budget.ts";

function start() {
  const clock = new FixedClock();
  const budget = new ClientBudget({ clock, perSecond: 10, mostSaved: 20 });
  const take = (address: string | undefined, times: number): number =>
    Array.from({ length: times }, () => budget.take(address)).filter(Boolean).length;
  return { clock, take };
}

it("leaves room for others when one client uses up what it may", () => {
  verifies("authentication:sign-in:floods", "authentication:api-key:unknown");
  const { clock, take } = start();
  expect(take("192.0.2.1", 100)).toBe(20);
  expect(take("192.0.2.2", 1)).toBe(1);
  clock.advance(1000);
  expect(take("192.0.2.1", 100)).toBe(10);
});

it("limits all clients together to three times as much", () => {
  const { clock, take } = start();
  const ofMany = () => Array.from({ length: 100 }, (_, index) => take(`192.0.2.${index}`, 1)).filter(Boolean).length;
  expect([ofMany(), ofMany()]).toEqual([60, 0]);
  clock.advance(1000);
  expect(ofMany()).toBe(30);
  expect(new ClientBudget({ clock, perSecond: 10, mostSaved: 20 }).mostWithin(1)).toBe(90);
});

it.each([
  ["an address of IPv4 in the form of IPv6", "::ffff:192.0.2.1", "192.0.2.1"],
  ["addresses of one network", "2001:db8:1:2::1", "2001:db8:1:2:ffff:1:2:3"],
  ["addresses of one network with zeros", "2001:db8::1", "2001:db8:0:0:9:9:9:9"],
  ["addresses of a link", "fe80::1%eth0", "fe80::2%eth0"],
  ["the loopback and itself", "::1", "::1"],
  ["connections that are lost", undefined, undefined],
])("takes %s for one client", (_, first, second) => {
  const { take } = start();
  expect([take(first, 20), take(second, 1)]).toEqual([20, 0]);
});

it.each([
  ["2001:db8:1:2::1", "2001:db8:1:3::1"],
  ["2001:db8:0:2::1", "2001:db8::2:0:0:1"],
  ["192.0.2.1", "192.0.2.11"],
])("takes %s and %s for two", (first, second) => {
  const { take } = start();
  expect([take(first, 20), take(second, 1)]).toEqual([20, 1]);
});
