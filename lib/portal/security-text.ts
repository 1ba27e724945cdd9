/** The address of whom to tell of a weakness (RFC 9116). */
export const SECURITY_PATH = '/.well-known/security.txt';
const DAYS = 365;
const DAY_MS = 86_400_000;

/** Whom to tell of a weakness, and what keys look like, valid for a year: who does not deploy for so long may have moved. The day is UTC's. */
export function securityText(supportUrl: string, keyPrefixes: string, nowMs: number): string {
  const expires = new Date((Math.floor(nowMs / DAY_MS) + DAYS) * DAY_MS).toISOString();
  return [
    '# Found an API key? Report it without an account: /docs/keys#report-a-key-that-you-found',
    `# Keys are (${keyPrefixes.replaceAll(',', '|')})_(test|live)_[0-9A-Za-z]{42}`,
    `Contact: ${supportUrl}`,
    `Expires: ${expires}`,
    'Preferred-Languages: en\n',
  ].join('\n');
}
