import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAKERS, type Thing } from './things.ts';

/**
 * The shared things of a run, available to all of its processes on a free port. Creates each once, at its first use.
 */
export async function offerShared() {
  const made = new Map<string, Promise<Thing>>();
  const get = (name: string): Promise<Thing> => {
    const thing = made.get(name) ?? MAKERS[name]?.() ?? Promise.reject(new Error(`Nothing shared is named ${name}.`));
    made.set(name, thing);
    return thing;
  };
  /** Ends a thing, if it was created; then its output is noted. */
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
    /** For `TEST_SHARED_URL`: `GET /<name>` returns the thing's value when it exists. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The value of a thing, if it was created. */
    made: async (name: string): Promise<unknown> => (await made.get(name)?.catch(() => undefined))?.value,
    end,
    stop: async (): Promise<void> => {
      server.close();
      await Promise.all([...made.keys()].map(end));
    },
  };
}
