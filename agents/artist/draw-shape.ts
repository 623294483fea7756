/** Four bytes a pixel (red, green, blue, opacity), row by row. */
export interface Picture {
  readonly size: number;
  readonly pixels: Uint8Array;
}

export const COLORS = {
  red: [220, 38, 38],
  orange: [234, 118, 22],
  yellow: [250, 204, 21],
  green: [22, 163, 74],
  blue: [37, 99, 235],
  purple: [147, 51, 234],
  pink: [236, 72, 153],
  black: [23, 23, 23],
} as const satisfies Record<string, readonly [number, number, number]>;

/** Depth of a point inside the shape, below 0 outside; the picture extends from -1 to 1. */
type Depth = (x: number, y: number) => number;

const DEPTHS = {
  circle: (x, y) => 0.8 - Math.hypot(x, y),
  square: (x, y) => 0.7 - Math.max(Math.abs(x), Math.abs(y)),
  triangle: (x, y) => Math.min(0.6 - y, 0.4 - Math.abs(x) * 0.9 + y * 0.5),
  diamond: (x, y) => 0.8 - Math.abs(x) - Math.abs(y),
  star: (x, y) => {
    const wedge = Math.PI / 5;
    const angle = Math.abs((((Math.atan2(x, -y) % (2 * wedge)) + 2 * wedge) % (2 * wedge)) - wedge);
    return 0.29 - Math.hypot(x, y) * Math.cos(2 * wedge - (wedge - angle));
  },
  heart: (x, y) => {
    const up = 0.15 - y * 1.15;
    const ball = (x * 1.15) ** 2 + up ** 2 - 0.45;
    return -(ball ** 3 - (x * 1.15) ** 2 * up ** 3 * 1.6);
  },
} as const satisfies Record<string, Depth>;

export type Shape = keyof typeof DEPTHS;
export type Color = keyof typeof COLORS;
// Object.keys is not typed to return the keys of a constant.
export const SHAPES = Object.keys(DEPTHS) as readonly Shape[];
export const COLOR_NAMES = Object.keys(COLORS) as readonly Color[];

const SAMPLES = [0.125, 0.375, 0.625, 0.875];
const CORNERS = [0.125, 0.875];

/** The shape in its color on a transparent ground; edges are smoothed by sampling their pixels sixteen times. */
export function drawShape(shape: Shape, color: Color, size: number): Picture {
  const depth: Depth = DEPTHS[shape];
  const [red, green, blue] = COLORS[color];
  const pixels = new Uint8Array(size * size * 4);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const opacity = Math.round(coverage(depth, column, row, size) * 255);
      pixels.set([red, green, blue, opacity], (row * size + column) * 4);
    }
  }
  return { size, pixels };
}

function coverage(depth: Depth, column: number, row: number, size: number): number {
  const countInside = (steps: readonly number[]): number =>
    steps.reduce((sum, dy) => sum + steps.filter((dx) => isInside(column + dx, row + dy)).length, 0);
  const isInside = (x: number, y: number): boolean => depth((x / size) * 2 - 1, (y / size) * 2 - 1) > 0;
  const corners = countInside(CORNERS);
  // Most pixels are away from the edge.
  return corners % 4 === 0 ? corners / 4 : countInside(SAMPLES) / SAMPLES.length ** 2;
}
