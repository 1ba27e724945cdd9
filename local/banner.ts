import { styleText } from 'node:util';
import { PING_PATH } from '../functions/gateway/operations/ping.ts';
import { docsAddress } from './docs.ts';
import { DEMO_EMAIL } from './identity/people.ts';
import { DEFAULT_DYNAMODB_PORT } from './settings.ts';

export interface BannerFacts {
  readonly gatewayUrl: string;
  /** Absent: the portal is off. */
  readonly portalOrigin?: string | undefined;
  /** Where the portal's mails are; absent: it sends none. */
  readonly mailboxOrigin?: string | undefined;
  readonly databaseUrl: string;
  /** The engine, and where its data are. */
  readonly databaseKind: string;
  readonly projectId: string;
  readonly key: string;
}

/** The text of `npm start` when it is ready: the only place that shows the demo key. */
export function banner(facts: BannerFacts): string {
  const { gatewayUrl, portalOrigin, mailboxOrigin, databaseUrl, databaseKind, projectId, key } = facts;
  const row = (label: string, value: string) => `  ${styleText('dim', label.padEnd(9))} ${value}`;
  const curl = `curl -i ${gatewayUrl}${PING_PATH} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{}'`;
  return [
    '',
    `  ${styleText('bold', 'Sandbox developer gateway')} is ready. Ctrl-C stops it.`,
    '',
    row('Gateway', styleText('cyan', gatewayUrl)),
    ...(portalOrigin === undefined
      ? []
      : [row('Portal', `${styleText('cyan', portalOrigin)}   sign in with any address; ${DEMO_EMAIL} has data`)]),
    ...(mailboxOrigin === undefined ? [] : [row('Mailbox', styleText('cyan', mailboxOrigin))]),
    row('Docs', styleText('cyan', docsAddress(gatewayUrl, portalOrigin))),
    row('Database', `${databaseUrl} (${databaseKind})`),
    row('Operate', `${adminVariables(databaseUrl)}npm run admin -- --help`),
    row('Project', projectId),
    row('Test key', key),
    row(
      'Again',
      `${adminVariables(databaseUrl)}npm run admin -- quick-start --local   another key, and these addresses`,
    ),
    '',
    '  Try it:',
    '',
    curl,
    '',
    '',
  ].join('\n');
}

/** The variables that `--local` of the CLI needs for a database at another place than the default. */
function adminVariables(databaseUrl: string): string {
  const { port } = new URL(databaseUrl);
  return port === String(DEFAULT_DYNAMODB_PORT) ? '' : `DYNAMODB_PORT=${port} `;
}
