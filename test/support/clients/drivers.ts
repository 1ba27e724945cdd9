import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { runCommand, type Variables } from '../processes.ts';

interface Limit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: number;
}
interface OfEachCall {
  readonly idempotencyKey: string;
  readonly rateLimit: Limit | null;
  readonly quota: Limit | null;
}

/** A call of a library, as its driver takes it. */
export interface Call {
  readonly options: {
    readonly apiKey: string;
    readonly baseURL: string;
    readonly timeoutMs?: number;
    readonly maxRetries?: number;
  };
  readonly request?: { readonly clientRequestId?: string; readonly simulate?: string };
  readonly call?: { readonly idempotencyKey?: string };
}

/** What a call came to. */
export interface Told {
  readonly waitsMs: readonly number[];
  readonly result:
    ({ readonly message: string; readonly requestId: string; readonly replayed: boolean } & OfEachCall) | null;
  readonly error:
    | ({
        readonly class: string;
        readonly status: number | null;
        readonly code: string;
        readonly detail: string;
        readonly message: string;
        readonly requestId: string | null;
        readonly retryable: boolean;
      } & OfEachCall)
    | null;
  readonly shown: string;
}

/** Starts a program that makes calls with a library. */
export function startDriver(command: string, args: readonly string[], variables: Variables = {}) {
  const running = runCommand(command, args, variables);
  const lines = createInterface(running.child.stdout);
  return {
    make: async (call: Call): Promise<Told> => {
      const line = once(lines, 'line') as Promise<[string]>;
      const crashed = running.exited.then((status) => {
        throw new Error(`The driver ended with ${status}: ${running.stderr}`);
      });
      running.child.stdin.write(`${JSON.stringify(call)}\n`);
      const [text] = await Promise.race([line, crashed]);
      return JSON.parse(text) as Told;
    },
    end: async (): Promise<string> => {
      running.child.stdin.end();
      await running.exited;
      return running.stderr;
    },
  };
}
