/**
 * Where a piece of code stands in a source, however a formatter lays it out: with other spaces and line breaks, and with
 * or without a comma before a bracket that closes.
 */
export function placesOf(code: string): RegExp {
  const tokens = code.replace(/,\s*(?=[)\]}])/g, '').match(/\w+|[^\w\s]/g) ?? [];
  const pattern = tokens.map((token, index) => {
    const escaped = token.replace(/\W/, '\\$&');
    if (index === 0) return escaped;
    return /[)\]}]/.test(token) ? `\\s*,?\\s*${escaped}` : `\\s*${escaped}`;
  });
  return new RegExp(pattern.join(''), 'g');
}
