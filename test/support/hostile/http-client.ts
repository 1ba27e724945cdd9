import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer } from './answer.ts';
import type { HttpCase } from './http-cases.ts';
import { withKeys, type Keys } from './texts.ts';

/** An answer that takes longer never comes: the deadline of the gateway is 4 s, and this machine may be busy. */
const HANG_MS = 20_000;

/** Does what a case says, and gives all that comes back until the gateway closes the connection. */
export async function play({ writes, ending }: HttpCase, port: number, keys: Keys): Promise<Answer[]> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const received: Buffer[] = [];
  const closed = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end after ${HANG_MS} ms; received: ${Buffer.concat(received).toString('latin1')}`));
    }, HANG_MS);
    socket.on('data', (chunk) => received.push(chunk));
    // The gateway may hang up while a client still talks.
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  for (const [index, bytes] of writes.entries()) {
    if (index > 0) await nextTurn();
    socket.write(Buffer.from(withKeys(bytes, keys), 'latin1'));
  }
  if (ending === 'abort') socket.destroy();
  else socket.end();
  await closed;
  return ending === 'abort' ? [] : readAnswers(Buffer.concat(received).toString('latin1'));
}

const HEAD = /^HTTP\/1\.1 (\d{3}) [A-Za-z -]+\r\n((?:[!-9;-~]+: [^\r\n]*\r\n)*)\r\n/;

/** Takes a stream of answers apart. Throws for bytes that are none. */
function readAnswers(stream: string): Answer[] {
  const answers: Answer[] = [];
  let rest = stream;
  while (rest !== '') {
    const [head, status, lines = ''] = HEAD.exec(rest) ?? assert.fail(`not an answer: ${rest}`);
    rest = rest.slice(head.length);
    const headers = lines
      .split('\r\n')
      .slice(0, -1)
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const);
    // Bodies are JSON: another answer, or nothing, means that this one has none, as to HEAD.
    const length = Number(headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1] ?? rest.length);
    const size = rest.startsWith('HTTP/1.1 ') ? 0 : Math.min(length, rest.length);
    // An interim answer (100 Continue) is none.
    if (status !== '100') answers.push({ status: Number(status), headers, text: rest.slice(0, size) });
    rest = rest.slice(size);
  }
  return answers;
}
