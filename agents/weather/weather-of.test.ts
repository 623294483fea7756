import { describe, expect, it } from "vitest";
import { weatherOf } from "./weather-of.ts";

describe("weatherOf", () => {
  it("makes up weather that stays the same, however the city is spelled", () => {
    expect(weatherOf("Paris")).toEqual({ ...weatherOf("PARIS"), city: "Paris", report: weatherOf("Paris").report });
    expect(weatherOf("Paris").report).toBe(
      `It is ${weatherOf("Paris").condition} in Paris, at ${weatherOf("Paris").temperatureCelsius} °C.`,
    );
  });

  it("snows only in the cold", () => {
    const cities = Array.from({ length: 200 }, (_, index) => weatherOf(`city ${index}`));
    const snowy = cities.filter(({ condition }) => condition === "snowy");
    expect(snowy.length).toBeGreaterThan(0);
    expect(snowy.filter(({ temperatureCelsius }) => temperatureCelsius > 0)).toEqual([]);
  });
});
