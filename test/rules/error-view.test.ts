import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import { errorView } from '../../functions/shared/telemetry.ts';
import { StoreUnavailableError } from '../../functions/shared/http/errors.ts';

test('a log sees an error’s name, message, place and causes, and none of the data that it carries', () => {
  const Item = { body: { S: 'canary' } };
  const CancellationReasons = [{ Code: 'ConditionalCheckFailed', Item }];
  const cause = new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons });
  Object.assign(cause, { $response: { body: 'canary' } });
  const view = errorView(new StoreUnavailableError('in conflict', cause));
  expect(view).toEqual({
    name: 'StoreUnavailableError',
    message: 'in conflict',
    stack: expect.stringMatching(/^ +at /),
    cause: { name: 'TransactionCanceledException', message: 'cancelled', stack: expect.any(String) },
  });
  expect(JSON.stringify(view)).not.toContain('canary');
});

test('a parser’s message is withheld: it quotes its input', () => {
  const quote = (): unknown => JSON.parse('canary');
  let caught: unknown;
  try {
    quote();
  } catch (error) {
    caught = error;
  }
  expect(String(caught)).toContain('canary');
  expect(JSON.stringify(errorView(caught))).not.toContain('canary');
});

test('what a message quotes, and whatever is shaped like a key, is taken out of it', () => {
  const key = `svc_test_${'0'.repeat(42)}`;
  const message = `Value '{a="canary's"}' at 'canary' is not valid for ${key}`;
  expect(errorView(new Error(message)).message).toBe('Value … is not valid for svc_…');
});

test.each([
  ['one line', 'no key at canary'],
  ['a line like that of a place', 'no key\n    at canary\n    at canary'],
  ['a parser’s quote of one', 'Unexpected token, "{\n    at canary:1:1\n    at canary" is not valid JSON'],
])('of a stack only the places are told, and nothing of a message of %s', (_what, message) => {
  const places = ['    at read (file:///store.ts:1:23)', '    at async Promise.all (index 0)', '    at <anonymous>'];
  const stack = [`SyntaxError: ${message}`, ...places].join('\n');
  expect(errorView(Object.assign(new Error('changed since'), { stack })).stack).toBe(places.join('\n'));
});

test('an error without a stack is described without one', () => {
  const error = new Error('bare');
  delete error.stack;
  expect(errorView(error)).toStrictEqual({ name: 'Error', message: 'bare' });
});

test('what is thrown without being an error, and an error that is its own cause, are described too', () => {
  expect(errorView('canary')).toEqual({ name: 'string', message: 'not an error' });
  const own = new Error('loop');
  own.cause = own;
  expect(JSON.stringify(errorView(own)).match(/loop/g)).toHaveLength(6);
});
