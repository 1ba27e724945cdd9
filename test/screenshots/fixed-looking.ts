/**
 * Runs in the page: replaces texts that differ between runs by fixed ones. Figures and drawings stay.
 */
export function makeFixedLooking(): void {
  const PATTERNS: readonly (readonly [pattern: RegExp, fixed: (nth: number, match: string) => string])[] = [
    // No picture shows a key, not even a local one.
    [/svc_test_[0-9A-Za-z]{42}/g, () => `svc_test_${'EXAMPLE'.repeat(6)}`],
    [/\b[0-9a-f]{8}(?=…|-[0-9a-f]{4}-)(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{12})?/g, (nth, match) => hex(nth, match)],
    [/\b(acc|key|mem|usr)_[0-9A-Za-z]{16}\b/g, (nth, match) => `${match.slice(0, 4)}${base62(nth, 16)}`],
    [/…[0-9A-Za-z]{4}\b/g, (nth) => `…${base62(nth, 4)}`],
    [/(?<=http:\/\/localhost:)\d+/g, () => '5173'],
    [/(?<=http:\/\/127\.0\.0\.1:)\d+/g, () => '3000'],
    [/(?<=\d\d:\d\d:)\d\d/g, (nth) => String((59 - nth * 7 + 600) % 60).padStart(2, '0')],
    // Larger ids stay larger.
    [/\b\d+ · \d+(?= ms\b)/g, () => '4 · 11'],
    [/(?<!· )\b\d+(?= ms\b)/g, (nth) => String(3 + ((nth * 5) % 9))],
  ];
  const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  /** A text that looks random, for the n-th different original. */
  const nthDigit = (nth: number, place: number, base: number): number => ((nth + 3) * 7919 + place * 104_729) % base;
  const base62 = (nth: number, length: number): string =>
    Array.from({ length }, (_, place) => DIGITS[nthDigit(nth, place * place, 62)]).join('');
  const hex = (nth: number, match: string): string =>
    Array.from(match, (letter, place) => (letter === '-' ? '-' : nthDigit(nth, place * place, 16).toString(16))).join(
      '',
    );

  const known = new Map<string, number>();
  /** The number of different texts of a pattern before this one. */
  const nthOf = (index: number, match: string): number => {
    const name = `${index} ${match}`;
    const before = known.get(name) ?? [...known.keys()].filter((other) => other.startsWith(`${index} `)).length;
    known.set(name, before);
    return before;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    // The ticks of an axis count up only as they are.
    if (node.parentElement?.closest('svg')) continue;
    let text = node.nodeValue ?? '';
    for (const [index, [pattern, fixed]] of PATTERNS.entries()) {
      text = text.replace(pattern, (match) => fixed(nthOf(index, match), match));
    }
    if (text !== node.nodeValue) node.nodeValue = text;
  }
}
