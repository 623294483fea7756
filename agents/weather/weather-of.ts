export interface Weather {
  readonly city: string;
  readonly condition: string;
  readonly temperatureCelsius: number;
  readonly report: string;
}

const CONDITIONS = ["sunny", "partly cloudy", "cloudy", "rainy", "windy", "foggy", "snowy"] as const;

/** Made-up weather, the same for a city whenever it is asked for. */
export function weatherOf(city: string): Weather {
  const seed = [...city.toLowerCase()].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7);
  const condition = CONDITIONS[seed % CONDITIONS.length] ?? "sunny";
  const temperatureCelsius = condition === "snowy" ? -(seed % 8) : 5 + (seed % 24);
  const report = `It is ${condition} in ${city}, at ${temperatureCelsius} °C.`;
  return { city, condition, temperatureCelsius, report };
}
