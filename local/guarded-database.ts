import { randomInt } from 'node:crypto';
import { startEngine, unusedPort, type RunningDatabase } from './database.ts';
import type { Engine } from './engines.ts';
import { startGuard, type Place } from './guard.ts';
import { localAddress, LOOPBACK, type DatabaseAddress } from './settings.ts';

/** A database that web pages cannot reach. */
export interface GuardedDatabase extends RunningDatabase {
  /** For every process except the one that started it, which uses `address` without a guard. */
  readonly guardedAddress: DatabaseAddress;
}

/**
 * Starts an engine at an address that no web page finds, and a guard for it on a port of the loopback interface (0: any
 * free one). Throws `SettingsError` when the port is taken or the engine does not start.
 */
export async function startGuardedDatabase(
  engine: Engine,
  wantedPort: number,
  dataDirectory?: string,
): Promise<GuardedDatabase> {
  const guard = await startGuard(wantedPort);
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
 * An address that a page cannot guess: on Linux all of 127.0.0.0/8 is this machine, and of its 2²⁴ addresses with
 * thousands of ports each a page would try for years. An engine that listens on every address has its port alone to hide it, and its
 * own refusal of preflights; a page with a name of its own (DNS rebinding) that finds the port, and the network that the
 * machine is in, still reach that one.
 */
async function hiddenPlace({ isBound }: Engine): Promise<Place> {
  const host = isBound ? ['127', ...[1, 2, 3].map(() => randomInt(1, 255))].join('.') : LOOPBACK;
  return { host, port: await unusedPort(host) };
}
