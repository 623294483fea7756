import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { COLOR_NAMES, drawShape, SHAPES } from "./draw-shape.ts";
import { encodePng } from "./encode-png.ts";

const pixel = ({ size, pixels }: ReturnType<typeof drawShape>, x: number, y: number): readonly number[] => [
  ...pixels.subarray((y * size + x) * 4, (y * size + x) * 4 + 4),
];

describe("drawShape", () => {
  it.each(SHAPES)("draws a %s in the middle and leaves the corners free", (shape) => {
    const picture = drawShape(shape, "red", 64);
    expect(pixel(picture, 32, 34)).toEqual([220, 38, 38, 255]);
    for (const [x, y] of [
      [0, 0],
      [63, 0],
      [0, 63],
      [63, 63],
    ] as const)
      expect(pixel(picture, x, y)[3]).toBe(0);
  });

  it("smooths edges", () => {
    const { pixels } = drawShape("circle", "blue", 32);
    const opacities = new Set(pixels.filter((_, index) => index % 4 === 3));
    expect(opacities.size).toBeGreaterThan(4);
  });

  it("knows its colors", () => {
    expect(COLOR_NAMES).toContain("purple");
  });
});

describe("encodePng", () => {
  it("makes a file with the picture's size and pixels", () => {
    const picture = drawShape("square", "green", 16);
    const png = encodePng(picture);
    expect(png.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([16, 16]);
    const length = png.readUInt32BE(33);
    expect(png.subarray(37, 41).toString("latin1")).toBe("IDAT");
    const rows = inflateSync(png.subarray(41, 41 + length));
    const row = rows.subarray(8 * 65, 9 * 65);
    expect([row[0], [...row.subarray(1)]]).toEqual([0, [...picture.pixels.subarray(8 * 64, 9 * 64)]]);
    expect(png.subarray(-12).toString("hex")).toBe("0000000049454e44ae426082");
  });
});
