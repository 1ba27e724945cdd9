import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAKERS, type Thing } from './things.ts';

/** The shared things of a run, available to all of its processes. */
export interface Offer {
  /** For `TEST_SHARED_URL`: `GET /<name>` returns the thing's value when it exists. */
  readonly url: string;
  /** The value of a thing, if it was created. */
  made(name: string): Promise<unknown>;
  /** Ends a thing, if it was created; then its output is noted. */
  end(name: string): Promise<void>;
  /** Ends everything that was created. */
  stop(): Promise<void>;
}

/** Creates each thing once, at its first use. It has a free port, since tests run in other processes. */
export async function offerShared(): Promise<Offer> {
  const made = new Map<string, Promise<Thing>>();
  const get = (name: string): Promise<Thing> => {
    const thing = made.get(name) ?? MAKERS[name]?.() ?? Promise.reject(new Error(`Nothing shared is named ${name}.`));
    made.set(name, thing);
    return thing;
  };
  const end = async (name: string): Promise<void> => {
    // A failed creation has already failed the tests that need it.
    const thing = await made.get(name)?.catch(() => undefined);
    made.delete(name);
    await thing?.stop?.();
  };
  const server = createServer(({ url = '' }, response) => {
    // An open connection ends after some time, perhaps just as the next file of a worker uses it.
    response.setHeader('Connection', 'close');
    get(url.slice(1)).then(
      ({ value }) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    made: async (name) => (await made.get(name)?.catch(() => undefined))?.value,
    end,
    stop: async () => {
      server.close();
      await Promise.all([...made.keys()].map(end));
    },
  };
}
