import { describe, expect, test } from '@jest/globals';
import { contentOf, type NoticeNames } from '../../functions/notices/mail/contents.ts';
import { quotedHost, quotedName } from '../../functions/notices/mail/quotes.ts';
import { mailText, renderMail } from '../../functions/notices/mail/template.ts';
import { NOTICE_TYPES, type Notice } from '../../functions/notices/notice.ts';

const LINKS = { portalOrigin: 'https://portal.example.com', stopUrl: 'https://portal.example.com/mails/stop?token=t' };
const HOSTILE: readonly (readonly [what: string, name: string])[] = [
  ['a link', 'Verify at https://evil.example/login now'],
  ['a bare host name', 'evil.example'],
  ['a host name with full-width dots', 'evil．example。com'],
  ['an address', 'help@evil.example'],
  ['markup', '<a href="//evil.example">Click</a><script>1</script>'],
  ['the end of the quotation', 'Team” invites you. Call “Bank'],
  ['a telephone number', 'Call +1 (202) 555-0142 now'],
  ['new lines', 'Team\r\nBcc: x\n\nYour account is locked'],
  ['an order from right to left', '\u202Emoc.live\u202C \u2067x'],
  ['a thousand characters', 'A'.repeat(1_000)],
  ['a thousand marks on one letter', `e${'\u0301'.repeat(1_000)}`],
  ['nothing that is seen', '\u200B\u2060'],
];

describe.each(HOSTILE)('a name that holds %s', (_what, name) => {
  test('is quoted on one line, is short, and nothing in it becomes a link', () => {
    const shown = quotedName(name);
    const inner = shown.slice(1, -1);
    expect(shown).toMatch(/^“[^“”"\p{C}]+”$/u);
    expect(inner).not.toMatch(/\w[.:/@]\w|:\/\/|\/\//u);
    expect(inner).not.toMatch(/\d{7}/);
    expect(inner.length).toBeLessThanOrEqual(100);
  });

  test.each([...NOTICE_TYPES])('stands apart in %s, in neither the subject nor a link', (type) => {
    const names: NoticeNames = {
      account: name,
      project: name,
      key: name,
      member: name,
      endpointUrl: 'https://evil.example/login',
      inviter: { kind: 'person', name },
      invitation: { role: 'member', expiresAtMs: 0 },
    };
    const notice: Notice = {
      id: 'ntc_0000000000000000',
      type,
      at: '2026-11-21T08:30:00.000Z',
      accountId: 'acc_0000000000000000',
      projectId: '000000000000',
      data: { thresholdPercent: 80 },
    };
    for (const recipient of ['invited', 'oneself', 'owner'] as const) {
      const content = contentOf(recipient, notice, names, LINKS);
      const { text, html } = renderMail(content);
      expect(content.subject).toMatch(/^[\x20-\x7E]+$/);
      expect(content.subject).not.toContain(quotedName(name));
      const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, link]) => link);
      expect(links).toHaveLength(2);
      for (const link of [...links, ...(text.match(/\w+:\/\/\S+/g) ?? [])]) {
        expect(link).toMatch(/^https:\/\/portal\.example\.com\//);
      }
      expect(text + html).not.toContain('evil.example/');
      expect(html).not.toMatch(/<(script|a href="\/\/|img|iframe)/);
    }
  });
});

test('the host of an endpoint is shown by its end, and is no link', () => {
  expect(quotedHost('https://hooks.example.com/a?token=t')).toBe('“hooks[.]example[.]com”');
  const long = `https://accounts.bank.example.${'a'.repeat(60)}.evil.example/`;
  expect(quotedHost(long)).toBe(`“…${'a'.repeat(47)}[.]evil[.]example”`);
});

test('a value is escaped in HTML, and stands as it is in the text', () => {
  expect(mailText`a ${'<b>"&\''}`).toEqual({ text: 'a <b>"&\'', html: 'a &lt;b&gt;&quot;&amp;&#39;' });
});

test('an ordinary name stays as it is', () => {
  for (const name of ['Acme Inc.', 'Zoë & Søn', 'Проект 7', 'チーム', 'مشروع', 'Team 👩‍💻 2026-11']) {
    expect(quotedName(name)).toBe(`“${name.replaceAll('\u200D', '')}”`);
  }
});

test.each([
  [
    100,
    'once',
    'From now on the requests of this key, and of keys that share its cap, are refused until its limit is raised.',
  ],
  [
    80,
    'once',
    'When it is used up, the requests of this key, and of keys that share its cap, are refused until its limit',
  ],
  [100, '2026-W47', "From now on the key's requests are refused until the next period."],
])(
  'a mail of %i %% of a cap in the period %s says until when requests are refused',
  (thresholdPercent, period, line) => {
    const notice: Notice = {
      id: 'ntc_0000000000000000',
      type: 'key.cap_reached',
      at: '2026-11-21T08:30:00.000Z',
      accountId: 'acc_0000000000000000',
      projectId: '000000000000',
      keyId: 'key_0000000000000000',
      data: { thresholdPercent, units: 5, unitsLimit: 5, period },
    };
    const { text } = renderMail(contentOf('owner', notice, {}, LINKS));
    expect(text.replaceAll(/\s+/g, ' ')).toContain(line);
    expect(text).toContain(period === 'once' ? 'once: it never begins again' : period);
  },
);
