import { PassThrough, Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { confirm } from '../../bin/admin/confirm.ts';
import { listing, printListing, type Look } from '../../bin/admin/listing.ts';
import { adminProgram } from '../../bin/admin/program.ts';
import { isColourful } from '../../bin/cli/table.ts';
import { admin } from '../support/admin.ts';

/** A terminal (or a pipe) with this input; `shown` is its output. */
function terminal(isTTY: boolean, typed: string | undefined) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = new PassThrough();
  let shown = '';
  output.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  if (typed !== undefined) input.write(typed);
  else input.end();
  return { input, output, shown: () => shown };
}

describe('what cannot be undone', () => {
  test.each(['y\n', 'Y\n', 'yes\n', ' yes \n'])('is done when %j is typed at a terminal', async (typed) => {
    const person = terminal(true, typed);
    await confirm('Revoke key_1?', person);
    expect(person.shown()).toContain('Revoke key_1? [y/N] ');
  });

  test.each(['\n', 'n\n', 'no\n', 'yesterday\n', 'key_1\n', undefined])('is not done on %j', async (typed) => {
    await expect(confirm('Revoke key_1?', terminal(true, typed))).rejects.toThrow(
      'Not confirmed; nothing was changed.',
    );
  });
});

describe('a list', () => {
  /** A listing of numbers that counts how many were read. */
  function numbers(count: number) {
    const state = { read: 0 };
    const entries = async function* () {
      for (; state.read < count; state.read++) yield await Promise.resolve(state.read);
    };
    const list = listing({
      name: 'keys',
      entries: entries(),
      columns: { N: (n) => n, NAME: (n) => `key ${n}` },
      none: 'None.',
    });
    return { state, list };
  }
  const plain: Look = { colourful: false };
  const print = async (count: number, look: Look) => {
    const output = new PassThrough();
    const text = Array.fromAsync(output, String);
    await printListing(numbers(count).list, look, output);
    output.end();
    return (await text).join('');
  };

  test.each([0, 1, 2, 250])('of %d is one JSON object with one array', async (count) => {
    const text = await print(count, 'json');
    expect(text).toBe(`${JSON.stringify({ keys: Array.from({ length: count }, (_, n) => n) })}\n`);
  });

  test('is aligned tables of a hundred rows, each with its headings', async () => {
    const lines = (await print(250, plain)).split('\n').map((line) => line.trimEnd());
    expect(lines.filter((line) => line === 'N    NAME' || line === 'N   NAME')).toHaveLength(3);
    expect(lines).toContain('9   key 9');
    expect(lines).toContain('249  key 249');
    expect(lines).toHaveLength(250 + 3 + 2 + 1);
    expect(await print(0, plain)).toBe('None.\n');
  });

  test.each([
    ['JSON', 'json'],
    ['tables', plain],
  ] as const)(
    'of 10,000 (%s) is never held: it is read at the pace of its reader, at most a table ahead',
    async (_what, look) => {
      const { state, list } = numbers(10_000);
      let written = 0;
      let furthest = 0;
      // Accepts one part at a time, with a delay.
      const slow = new Writable({
        highWaterMark: 1,
        decodeStrings: false,
        write: (part: string, _encoding, done) => {
          const rows = part.match(/\d+/g)?.length ?? 0;
          written += look === 'json' ? rows : rows / 2;
          furthest = Math.max(furthest, state.read - written);
          setImmediate(done);
        },
      });
      await printListing(list, look, slow);
      expect(state.read).toBe(10_000);
      expect(written).toBe(10_000);
      expect(furthest).toBeLessThanOrEqual(101);
    },
  );

  test('that fails at once prints nothing', async () => {
    // oxlint-disable-next-line typescript/require-await -- fails before its first entry
    const entries = async function* (): AsyncGenerator<number> {
      throw new Error('There is no project P.');
    };
    const output = new PassThrough();
    for (const look of ['json', plain] as const) {
      const list = listing({ name: 'keys', entries: entries(), columns: {}, none: 'None.' });
      await expect(printListing(list, look, output)).rejects.toThrow('no project');
    }
    expect(output.readableLength).toBe(0);
  });
});

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
  [false, { FORCE_COLOR: '1' }, false],
])('headings stand out on terminals only, and not with NO_COLOR: %s %j', (isTTY, environment, colourful) => {
  expect(isColourful({ isTTY }, environment)).toBe(colourful);
});

test('help takes the width of the terminal; only commands to copy are on one line, however long', async () => {
  for (const args of [['--help'], ['ledger', 'verify', '--help'], ['usage', 'summary', '--help']]) {
    const { stdout } = await admin(args, {}, true, { columns: 80 });
    const long = stdout.split('\n').filter((line) => line.length > 80);
    expect(long.filter((line) => !/^ {2}npm run (-s )?admin -- /.test(line))).toEqual([]);
    expect(stdout.split('\n').some((line) => /^\w.{60,}/.test(line))).toBe(true);
  }
});

test('the help of every command shows how it is used', () => {
  const groups = adminProgram(process).commands.filter((group) => group.name() !== 'usage');
  const commands = groups.flatMap((group) => group.commands.map((command) => ({ group, command })));
  expect(commands).toHaveLength(40);
  for (const { group, command } of commands) {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    expect(help).toContain(`Examples:\n  npm run admin -- ${group.name()} ${command.name()} `);
  }
});
