import { randomInt } from 'node:crypto';
import { startEngine, unusedPort, type RunningDatabase } from './database.ts';
import type { Engine } from './engines.ts';
import type { Call } from './stream.ts';
import { startGuard, type Place } from './guard.ts';
import { localAddress, LOOPBACK, type DatabaseAddress } from './settings.ts';

/** A database that web pages cannot reach. */
export interface GuardedDatabase extends RunningDatabase {
  /** The guarded address for other processes. The process that started the engine uses `address`. */
  readonly guardedAddress: DatabaseAddress;
}

/**
 * Starts an engine at an address that web pages cannot guess, and its guard on a port of the loopback interface (0: any
 * free one). Throws `SettingsError` when the port is taken or the engine does not start. `tell` is called with each
 * write of other processes.
 */
export async function startGuardedDatabase(
  engine: Engine,
  wantedPort: number,
  dataDirectory?: string,
  tell?: (call: Call) => void,
): Promise<GuardedDatabase> {
  const guard = await startGuard(wantedPort, tell);
  try {
    const place = await hiddenPlace(engine);
    const database = await startEngine(engine, place, dataDirectory);
    guard.open(place);
    return {
      ...database,
      guardedAddress: localAddress(guard.port),
      stop: async () => {
        guard.close();
        await database.stop();
      },
    };
  } catch (error) {
    guard.close();
    throw error;
  }
}

/**
 * An address that a page cannot guess. On Linux all of 127.0.0.0/8 is this machine, and a page would need years to try
 * its 2²⁴ addresses with thousands of ports each. An engine that listens on all addresses is protected only by its port
 * and by its own refusal of preflights. A page that finds the port by DNS rebinding, and the network of the machine,
 * can still reach it.
 */
async function hiddenPlace({ isBound }: Engine): Promise<Place> {
  const host = isBound ? ['127', ...[1, 2, 3].map(() => randomInt(1, 255))].join('.') : LOOPBACK;
  return { host, port: await unusedPort(host) };
}
