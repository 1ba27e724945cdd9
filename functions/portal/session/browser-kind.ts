/** In this order: later ones name themselves after earlier ones. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg/, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * The kind of browser that a `User-Agent` tells, such as `Firefox on Linux`: enough for people to know their own
 * sessions apart. None of the header's own words, which a caller can choose.
 */
export function browserKind(userAgent: string | undefined): string {
  const find = (kinds: typeof BROWSERS) => kinds.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  return [browser ?? 'Another browser', ...(system === undefined ? [] : [system])].join(' on ');
}
