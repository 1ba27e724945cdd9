import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import look from '../../portal/sign-in/look.json' with { type: 'json' };

const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];
type Triple = readonly [number, number, number];

const tokens = readFileSync(fileURLToPath(new URL('../../portal/styles/tokens.css', import.meta.url)), 'utf8');
const COLOURS = new Map(
  [...tokens.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
);
const colour = (name: string, scheme: Scheme): string => {
  const found = COLOURS.get(name)?.[scheme];
  if (found === undefined) throw new Error(`no colour ${name}`);
  return found;
};

const linear = (hex: string): Triple => {
  const part = (at: number): number => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
};
const times = (matrix: readonly Triple[], [x, y, z]: Triple): Triple => {
  const [a = 0, b = 0, c = 0] = matrix.map(([p, q, r]) => p * x + q * y + r * z);
  return [a, b, c];
};
/** WCAG 2.2, "relative luminance" and "contrast ratio". */
const luminance = (hex: string): number => {
  const [red, green, blue] = linear(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const contrast = (one: string, other: string): number => {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
};

/** Linear RGB as readers without one kind of cone see it (Machado, Oliveira and Fernandes 2009, severity 1). */
const READERS: Readonly<Record<string, readonly Triple[]>> = {
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
/** CIELAB under D65. */
const lab = (rgb: Triple): Triple => {
  const [x, y, z] = times(
    [
      [0.4124564 / 0.95047, 0.3575761 / 0.95047, 0.1804375 / 0.95047],
      [0.2126729, 0.7151522, 0.072175],
      [0.0193339 / 1.08883, 0.119192 / 1.08883, 0.9503041 / 1.08883],
    ],
    rgb,
  );
  const f = (t: number): number => (t > 216 / 24_389 ? Math.cbrt(t) : ((24_389 / 27) * t + 16) / 116);
  return [116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))];
};
const seenBy = (matrix: readonly Triple[], hex: string): Triple => {
  const [red, green, blue] = times(matrix, linear(hex)).map((value) => Math.min(1, Math.max(0, value)));
  return lab([red ?? 0, green ?? 0, blue ?? 0]);
};

describe.each(SCHEMES)('in the %s scheme', (scheme) => {
  const of = (name: string): string => colour(name, scheme);
  const grounds = ['bg', 'surface', 'sunken', 'raised', 'sunken-raised'];

  test.each(['text', 'muted', 'accent', 'good', 'warn', 'bad', 'code-word', 'code-number'])(
    '%s can be read on every surface',
    (name) => {
      for (const ground of grounds) expect([ground, contrast(of(name), of(ground)) >= 4.5]).toEqual([ground, true]);
    },
  );

  test.each([
    ['on-ink', 'ink'],
    ['on-ink', 'ink-hover'],
    ['accent', 'accent-weak'],
    ['text', 'accent-weak'],
    ['text', 'chosen'],
    ['text', 'warn-weak'],
    ['text', 'bad-weak'],
    ['warn', 'warn-weak'],
    ['bad', 'bad-weak'],
  ])('%s can be read on %s', (name, ground) => {
    expect(contrast(of(name), of(ground))).toBeGreaterThanOrEqual(4.5);
  });

  test('the sign-in pages have the same colours', () => {
    const { form, pageBackground, pageText, primaryButton } = look.components;
    const { focusState, input } = look.componentClasses;
    const mode = `${scheme}Mode` as const;
    const theirs = {
      bg: pageBackground[mode].color,
      raised: [form[mode].backgroundColor, input[mode].defaults.backgroundColor],
      line: form[mode].borderColor,
      'line-strong': input[mode].defaults.borderColor,
      text: [pageText[mode].headingColor, pageText[mode].bodyColor],
      muted: [pageText[mode].descriptionColor, input[mode].placeholderColor],
      ink: primaryButton[mode].defaults.backgroundColor,
      'ink-hover': [primaryButton[mode].hover.backgroundColor, primaryButton[mode].active.backgroundColor],
      'on-ink': [primaryButton[mode].defaults, primaryButton[mode].hover, primaryButton[mode].active].map(
        (state) => state.textColor,
      ),
      accent: focusState[mode].borderColor,
    };
    for (const [name, values] of Object.entries(theirs)) {
      expect([name, new Set([values].flat())]).toEqual([name, new Set([`${of(name).slice(1)}ff`])]);
    }
  });

  test('the line of a field is seen', () => {
    expect(contrast(of('line-strong'), of('surface'))).toBeGreaterThanOrEqual(3);
  });

  // The hollow one has the line colour of a success; being hollow distinguishes it.
  const outcomes = ['succeeded', 'rejected', 'conflict', 'rate', 'quota'];

  test.each(outcomes)('the outcome "%s" is seen on a card', (name) => {
    expect(contrast(of(`o-${name}`), of('surface'))).toBeGreaterThanOrEqual(3);
  });

  test.each(Object.entries(READERS))('a %s reader tells every outcome from the others', (_reader, matrix) => {
    for (const [index, one] of outcomes.entries()) {
      for (const other of [...outcomes.slice(index + 1), 'replay']) {
        const [[l1, a1, b1], [l2, a2, b2]] = [seenBy(matrix, of(`o-${one}`)), seenBy(matrix, of(`o-${other}`))];
        const distance = Math.hypot(l1 - l2, a1 - a2, b1 - b2);
        expect([one, other, distance >= 20 ? 'told apart' : distance]).toEqual([one, other, 'told apart']);
      }
    }
  });
});
