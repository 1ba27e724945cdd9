import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAKERS, type Thing } from './things.ts';

/** What the tests of a run share, offered to all of its processes. */
export interface Offer {
  /** For `TEST_SHARED_URL`: `GET /<name>` answers with the thing's value when it is made. */
  readonly url: string;
  /** The value of a thing, if it was made. */
  made(name: string): Promise<unknown>;
  /** Ends a thing, if it was made; it is noted then what it printed. */
  end(name: string): Promise<void>;
  /** Ends everything that was made. */
  stop(): Promise<void>;
}

/** Makes each thing when it is first asked for, once. On a free port, since the tests run in processes of their own. */
export async function offerShared(): Promise<Offer> {
  const made = new Map<string, Promise<Thing>>();
  const get = (name: string): Promise<Thing> => {
    const thing = made.get(name) ?? MAKERS[name]?.() ?? Promise.reject(new Error(`Nothing shared is named ${name}.`));
    made.set(name, thing);
    return thing;
  };
  const end = async (name: string): Promise<void> => {
    // What could not be made failed the tests that asked for it.
    const thing = await made.get(name)?.catch(() => undefined);
    made.delete(name);
    await thing?.stop?.();
  };
  const server = createServer(({ url = '' }, response) => {
    // A connection that is kept ends after a while, also just when the next file of a worker asks by it.
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
