import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { EVENTS_PER_PIECE, EXPORT_FORMATS, textOf, type EventFormat } from '../../bin/admin/usage-export.ts';
import { eventMeter } from '../../bin/admin/usage-meter.ts';
import { first } from '../../bin/admin/listing.ts';
import { USAGE_EVENT_FIELDS } from '../../functions/shared/request/usage-event.ts';
import type { ExportedEvent } from '../../functions/usage/events/csv.ts';
import { CODE_POINT } from '../support/code-points.ts';
import { oneByOne, someEvent } from '../support/usage-events.ts';

const written = async (events: readonly ExportedEvent[], format: EventFormat) =>
  (await Array.fromAsync(textOf(oneByOne(events), format))).join('');
const readCsv = (text: string) => parse<Record<string, string>>(text, { columns: true, record_delimiter: '\r\n' });
const CSV = EXPORT_FORMATS.csv({ tokens: false });
const many = (count: number) => Array.from({ length: count }, (_, i) => someEvent({ clientRequestId: `n${i}` }));

test('the fields are those of an event, in the order in which they came', () => {
  // A new column is the last one: a program that reads by position keeps the others.
  const { idempotencyTag: _tag, ...older } = someEvent({ simulated: true });
  expect(USAGE_EVENT_FIELDS).toEqual([...Object.keys(older), 'idempotencyTag']);
});

/** A spreadsheet that splits at semicolons and tabs meets no formula behind them either. */
const behindTabs = (text: string): string => {
  const parts = text.split(/([;\t][\s"]*)/);
  return parts.map((part, n) => (n > 0 && n % 2 === 0 && /^[=+\-@＝＋－＠]/.test(part) ? `'${part}` : part)).join('');
};

describe('CSV', () => {
  const HEADER =
    'requestId,projectId,keyId,keyName,event,operation,status,code,units,period,latencyMs,clientRequestId,occurredAt,originalRequestId,detail,userAgent,sourceAddress,simulated,idempotencyTag\r\n';

  test('has a header, CRLF, quotes where they are needed, and nothing for null', async () => {
    const events = [someEvent(), someEvent({ clientRequestId: 'a "b", c\nd', simulated: true })];
    const row = (clientRequestId: string, simulated: string) =>
      `01b92504-8230-7a78-958c-786de2921d1b,Project00000,key_0000000000000000,,request_succeeded,sandbox.ping,200,,1,2030-01,12,${clientRequestId},2030-01-15T10:00:30.000Z,,,,,${simulated},\r\n`;
    expect(await written(events, CSV)).toBe(HEADER + row('', '') + row('"a ""b"", c\nd"', 'true'));
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])(
    'takes the formula out of %j',
    async (clientRequestId) => {
      const [row] = readCsv(await written([someEvent({ clientRequestId })], CSV));
      expect(row?.clientRequestId).toBe(behindTabs(`'${clientRequestId}`));
    },
  );

  test.each(['a\n=1', 'a\r=1', '\n=1\r\nb', 'a\n'])(
    'is one row with as many cells as any, whatever a reader takes for the end of a line: %j',
    async (clientRequestId) => {
      const text = await written([someEvent({ clientRequestId })], CSV);
      const rows = parse(text, { record_delimiter: ['\r\n', '\n', '\r'] });
      expect(rows.map(({ length }) => length)).toEqual([19, 19]);
      expect(rows.flat()).not.toContainEqual(expect.stringMatching(/^[=\r\n]/));
    },
  );

  test.each(['=HYPERLINK("http://example.com")', '\n=1', 'a "b", c'])(
    'has the name that people gave the key, without the formula: %j',
    async (keyName) => {
      const [row] = readCsv(await written([{ ...someEvent(), keyName }], CSV));
      expect(row?.keyName).toBe(/^[=\n]/.test(keyName) ? `'${keyName}` : keyName);
    },
  );

  test('has the counts of tokens where they are asked for', async () => {
    const event = someEvent({ inputTokens: 3, outputTokens: 4, totalTokens: 7 });
    expect(await written([event], CSV)).not.toMatch(/[tT]okens/);
    const [row] = readCsv(await written([event], EXPORT_FORMATS.csv({ tokens: true })));
    expect(row).toMatchObject({ inputTokens: '3', outputTokens: '4', totalTokens: '7', latencyMs: '12' });
  });

  test('read back holds the same values, but for the apostrophe', async () => {
    const text = fc.oneof(
      fc.string({ unit: CODE_POINT, maxLength: 128 }),
      fc.string({ unit: fc.constantFrom('=', '+', '-', '@', ';', '\t', '\r', '\n', '"', ',', "'", ' ', 'a') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 5 }), async (texts) => {
        const csv = await written(
          texts.map((clientRequestId) => someEvent({ clientRequestId })),
          CSV,
        );
        const rows = readCsv(csv);
        expect(rows.map((row) => row.clientRequestId)).toEqual(
          texts.map((value) => behindTabs(/^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value)),
        );
        for (const row of rows) expect(Object.keys(row)).toEqual(HEADER.trim().split(','));
      }),
    );
  });
});

test('JSON lines are the events, one a line', async () => {
  const events = many(2 * EVENTS_PER_PIECE + 1);
  const lines = (await written(events, EXPORT_FORMATS.jsonl())).split('\n');
  expect(lines.pop()).toBe('');
  expect(lines).toEqual(events.map((event) => JSON.stringify(event)));
  expect(await written([], EXPORT_FORMATS.jsonl())).toBe('');
});

test('no more is asked for than the limit, and than the next piece of text needs', async () => {
  let given = 0;
  const counting = async function* () {
    for (const event of many(10 * EVENTS_PER_PIECE)) {
      given++;
      yield await Promise.resolve(event);
    }
  };
  await Array.fromAsync(first(counting(), 3));
  expect(given).toBe(3);
  given = 0;
  const text = textOf(counting(), EXPORT_FORMATS.jsonl());
  for (let pieces = 1; pieces <= 3; pieces++) {
    await text.next();
    expect(given).toBe(pieces * EVENTS_PER_PIECE);
  }
});

test('progress is for terminals only', async () => {
  for (const isTTY of [true, false]) {
    let shown = '';
    const meter = eventMeter({ isTTY, write: (text) => (shown += text) });
    const events = Array.from({ length: 2_000 }, (_, i) => i);
    expect(await Array.fromAsync(meter.counted(oneByOne(events)))).toEqual(events);
    meter.clear();
    expect(shown).toBe(isTTY ? '\r\u001b[K1000 events\r\u001b[K2000 events\r\u001b[K' : '');
    expect(meter.count()).toBe(2_000);
  }
});
