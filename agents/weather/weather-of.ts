export interface Weather {
  readonly city: string;
  readonly condition: string;
  readonly temperatureCelsius: number;
  readonly report: string;
}

const CONDITIONS = ["sunny", "partly cloudy", "cloudy", "rainy", "windy", "foggy", "snowy"] as const;

/** Returns made-up weather, which is always the same for a city. */
export function weatherOf(city: string): Weather {
  const seed = [...city.toLowerCase()].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7);
  const condition = CONDITIONS[seed % CONDITIONS.length] ?? "sunny";
  const temperatureCelsius = condition === "snowy" ? -(seed % 8) : 5 + (seed % 24);
  const report = `It is ${condition} in ${city}, at ${temperatureCelsius} °C.`;
  return { city, condition, temperatureCelsius, report };
}
