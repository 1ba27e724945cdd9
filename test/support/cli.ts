import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { chooseEngine } from '../../local/engines.ts';
import { admin } from './admin.ts';
import { startEngine } from './engine.ts';
import { operatorOf } from './operator.ts';
import { ping } from './portal-site.ts';
import { portOf } from './processes.ts';
import { shared } from './shared/client.ts';
import type { SharedGateway } from './shared/things.ts';

/** The admin CLI with `--local` on a database, and direct access to that. */
export function cliOn(databaseUrl: string) {
  /** The variable that leads `--local` to the database. */
  const here = { DYNAMODB_PORT: portOf(databaseUrl) };
  const { store, close } = operatorOf(databaseUrl, 'test');
  const run = (...args: string[]) => admin([...args, '--local'], here);
  const json = async (...args: string[]) => (await run(...args, '--json')).json;
  const newAccount = async (): Promise<string> =>
    String((await json('account', 'create', '--name', 'Team', '--email', 'team@example.com')).accountId);
  return {
    here,
    store,
    close,
    run,
    json,
    /** Runs a command at a terminal at which this is typed. */
    asked: (typed: string, ...args: string[]) => admin([...args, '--local'], here, true, { typed }),
    newAccount,
    /** A project in a new account. */
    newProject: async (...options: string[]): Promise<string> => {
      const account = ['--account', await newAccount()];
      return String((await json('project', 'create', ...account, '--name', 'Trips', ...options)).projectId);
    },
    newKey: async (projectId: string, ...options: string[]) => {
      const { keyId, key } = await json('key', 'create', '--project', projectId, '--mode', 'test', ...options);
      return { keyId: String(keyId), key: String(key) };
    },
    put: (TableName: 'Gateway' | 'Usage', Item: Readonly<Record<string, unknown>>) =>
      store.client.send(new PutCommand({ TableName, Item })),
  };
}

/** The CLI on the database of the run's gateway, and pings to that. */
export async function cliOfGateway() {
  const gateway = await shared<SharedGateway>('gateway');
  return {
    ...gateway,
    ...cliOn(gateway.databaseUrl),
    ping: (key: string, headers?: Readonly<Record<string, string>>) => ping(gateway, key, headers),
  };
}
export type GatewayCli = Awaited<ReturnType<typeof cliOfGateway>>;

/** The CLI on a database of its own, for commands that read a whole table. */
export async function cliAlone() {
  const database = await startEngine(chooseEngine().name);
  const { endpoint } = database.address;
  const cli = cliOn(endpoint);
  const close = async (): Promise<void> => {
    cli.close();
    await database.stop();
  };
  return { ...cli, databaseUrl: endpoint, direct: database.direct, close };
}
export type OwnCli = Awaited<ReturnType<typeof cliAlone>>;
