import { type TSchema, Type } from "typebox";
import { RETAINED, RETAINED_KINDS } from "#services/gateway/retention/retention-rules.ts";
import { closed } from "./value-types.ts";

const days = Type.Union([Type.Number({ minimum: 0.01, maximum: 36_500 }), Type.Literal("keep")]);
const name = Type.String({ minLength: 1 });
const times = Object.fromEntries(RETAINED_KINDS.map((kind) => [RETAINED[kind], days]));

/** The content of RETENTION_FILE, which the gateways check once more. */
export const RETENTION: TSchema = closed({
  rules: closed({
    defaults: closed(times),
    overrides: Type.Array(closed({ tenant: name, app: name, ...times })),
  }),
});
