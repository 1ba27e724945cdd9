import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { clientPlugins } from '../functions/shared/store/client.ts';
import { tellingOfWrites, writtenBy, type Call, type Written } from './stream.ts';
import { portError, type DatabaseAddress, type Environment } from './settings.ts';

/** What the thread is told. */
export type ToWorker =
  | {
      readonly kind: 'begin';
      readonly environment: Environment;
      readonly address: DatabaseAddress;
      readonly gatewayTable: string;
    }
  | { readonly kind: 'written'; readonly written: readonly Written[] }
  | { readonly kind: 'clock'; readonly byMs: number }
  | { readonly kind: 'stop' };
/** What it says, once. */
export type FromWorker =
  | { readonly kind: 'started'; readonly mailboxOrigin: string; readonly functionEnvironment: Environment }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/** What runs the notices function on this machine, in a thread of its own. */
export interface LocalNotices {
  /** The mailbox's page. */
  readonly mailboxOrigin: string;
  /** The variables of the functions. */
  readonly functionEnvironment: Environment;
  /** Takes a write of another process. */
  tell(call: Call): void;
  /** Moves the clock of notices: what was due meanwhile is done. */
  moveClock(byMs: number): void;
  /** Begins with the changes that are made from now on. */
  begin(address: DatabaseAddress, gatewayTable: string): void;
  /** Handles the changes up to now, and ends. Messages that wait in a queue are dropped. */
  stop(timeoutMs: number): Promise<void>;
}

/** Starts the thread with queues and mailbox. Throws `SettingsError` when the mailbox's port is taken. */
export async function startNotices(mailboxPort: number): Promise<LocalNotices> {
  const worker = new Worker(new URL('notices-worker.ts', import.meta.url), { workerData: { mailboxPort } });
  const ended = once(worker, 'exit');
  const say = (message: ToWorker): void => worker.postMessage(message);
  const [started] = (await once(worker, 'message')) as [FromWorker];
  if (started.kind === 'failed') {
    await worker.terminate();
    throw portError('MAILBOX_PORT', mailboxPort, Object.assign(new Error(started.message), { code: started.code }));
  }
  let table: string | undefined;
  const tell = (call: Call): void => {
    const written = table === undefined ? [] : writtenBy(call, table);
    if (written.length > 0) say({ kind: 'written', written });
  };
  clientPlugins.push(tellingOfWrites(tell));
  const { mailboxOrigin, functionEnvironment } = started;
  return {
    mailboxOrigin,
    functionEnvironment,
    tell,
    moveClock: (byMs) => say({ kind: 'clock', byMs }),
    begin: (address, gatewayTable) => {
      table = gatewayTable;
      say({ kind: 'begin', environment: { ...process.env }, address, gatewayTable });
    },
    stop: async (timeoutMs) => {
      say({ kind: 'stop' });
      const timeout = new AbortController();
      void ended.then(() => timeout.abort());
      await sleep(timeoutMs, undefined, timeout).catch(() => undefined);
      await worker.terminate();
    },
  };
}
