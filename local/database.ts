import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Engine } from './engines.ts';
import { SettingsError } from '../functions/shared/settings/named-value.ts';
import type { Place } from './guard.ts';
import { localAddress, LOOPBACK, portError, type DatabaseAddress } from './settings.ts';

/** DynamoDB Local takes two to three seconds on a slow machine; dynoxide 10 ms. */
const START_TIMEOUT_MS = 15_000;
const POLL_INTERVAL_MS = 10;
/** Ports below those that systems assign automatically: Linux from 32768 on, macOS from 49152 on. */
const UNASSIGNED_PORTS = { first: 20_000, last: 32_767 };
/** A killed process is gone in milliseconds. */
const END_TIMEOUT_MS = 1_000;

/** A database that this process started. */
export interface RunningDatabase {
  readonly address: DatabaseAddress;
  readonly engine: Engine['name'];
  /** Resolves when the database is gone, stopped or not. */
  readonly ended: Promise<void>;
  /** Stops the database and resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts an engine on a port of the loopback interface (0: any unused one) and resolves when it accepts connections.
 * Throws {@link SettingsError} when the port is taken or the engine does not start. Web pages can reach it: use
 * `startGuardedDatabase` for people's own data.
 */
export async function startDatabase(
  engine: Engine,
  wantedPort: number,
  dataDirectory?: string,
): Promise<RunningDatabase> {
  const port = await freePort(wantedPort);
  return startEngine(engine, { host: LOOPBACK, port }, dataDirectory);
}

/** As {@link startDatabase}, at a given free place. */
export async function startEngine(engine: Engine, place: Place, dataDirectory?: string): Promise<RunningDatabase> {
  const { file, args } = engine.command(place, dataDirectory);
  const supervisor = fileURLToPath(new URL('supervisor.ts', import.meta.url));
  const child = spawn(process.execPath, [supervisor, file, ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-2_000)));
  // A write to a supervisor that has ended fails; its exit event reports the end.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    child.once('error', ({ message }) => {
      output += message;
      resolve();
    });
    // A killed supervisor cannot stop its database, but the database is still in its process group.
    child.once('exit', () => resolve(endGroup(child.pid)));
  });
  await waitUntilListening(child, place, () => `${engine.name} did not start: ${lastLine(output)}`);
  return {
    address: localAddress(place.port, place.host),
    engine: engine.name,
    ended,
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** The port, or an unused one for 0. Throws {@link SettingsError} when something listens on it. */
async function freePort(wanted: number): Promise<number> {
  if (wanted === 0) return unusedPort();
  try {
    await listenBriefly(wanted, LOOPBACK);
    return wanted;
  } catch (error) {
    throw portError('DYNAMODB_PORT', wanted, error);
  }
}

/**
 * An unused port of an address of this machine. It stays unused for a while, also on a busy machine, because the system
 * does not assign it automatically.
 */
export async function unusedPort(host = LOOPBACK): Promise<number> {
  for (;;) {
    const port = randomInt(UNASSIGNED_PORTS.first, UNASSIGNED_PORTS.last + 1);
    try {
      await listenBriefly(port, host);
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

async function listenBriefly(port: number, host: string): Promise<void> {
  const probe = createServer();
  probe.listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}

async function waitUntilListening(child: ChildProcess, { host, port }: Place, failure: () => string): Promise<void> {
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < giveUpAt) {
    if (child.exitCode !== null || child.signalCode !== null) throw new SettingsError(failure());
    if (await accepts(port, host)) return;
    await sleep(POLL_INTERVAL_MS);
  }
  child.stdin?.end();
  throw new SettingsError(failure());
}

/** Ends the rest of a process group, and waits for its end. */
async function endGroup(leader: number | undefined): Promise<void> {
  if (leader === undefined) return;
  const giveUpAt = performance.now() + END_TIMEOUT_MS;
  try {
    while (performance.now() < giveUpAt) {
      process.kill(-leader, 'SIGKILL');
      await sleep(POLL_INTERVAL_MS);
    }
  } catch {
    // The group is empty.
  }
}

/** Whether something takes connections on a port of the loopback interface. */
export async function accepts(port: number, host = LOOPBACK): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const lastLine = (output: string): string => output.trim().split('\n').at(-1) ?? '';
