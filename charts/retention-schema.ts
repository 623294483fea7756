import { type TSchema, Type } from "typebox";
import { MAX_DAYS, MIN_DAYS, RETAINED, RETAINED_KINDS } from "#services/gateway/retention/retention-rules.ts";
import { closed } from "./value-types.ts";

const name = Type.String({ minLength: 1 });
const times = Object.fromEntries(
  RETAINED_KINDS.map((kind) => [
    RETAINED[kind],
    Type.Union([Type.Number({ minimum: MIN_DAYS[kind], maximum: MAX_DAYS }), Type.Literal("keep")]),
  ]),
);

/** The content of RETENTION_FILE, which the gateways check once more. */
export const RETENTION: TSchema = closed({
  rules: closed({
    defaults: closed(times),
    overrides: Type.Array(closed({ tenant: name, app: name, ...times })),
  }),
});
