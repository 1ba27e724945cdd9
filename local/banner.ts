import { styleText } from 'node:util';
import { PING_PATH } from '../functions/gateway/operations/ping.ts';
import { ENVIRONMENT } from '../functions/shared/names.ts';
import { docsAddress } from './docs.ts';
import { DEMO_EMAIL } from './identity/people.ts';
import { DEFAULT_PORTS, ENDPOINT_VARIABLE, isLocalOption, type LocalSettings } from './settings.ts';

export interface BannerFacts {
  readonly gatewayUrl: string;
  /** Absent: the portal is off. */
  readonly portalOrigin?: string | undefined;
  /** Where the portal's mails are; absent: it sends none. */
  readonly mailboxOrigin?: string | undefined;
  readonly databaseUrl: string;
  /** The engine, and where its data are. */
  readonly databaseKind: string;
  readonly settings: LocalSettings;
  readonly projectId: string;
  readonly key: string;
}

/** The text of `npm start` when it is ready: the only place that shows the demo key. */
export function banner(facts: BannerFacts): string {
  const { gatewayUrl, portalOrigin, mailboxOrigin, databaseUrl, databaseKind, projectId, key } = facts;
  const admin = `${adminVariables(facts)}npm run admin --`;
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
    row('Operate', `${admin} --help`),
    row('Project', projectId),
    row('Test key', key),
    ...(isLocalOption(facts.settings)
      ? [row('Again', `${admin} quick-start --local   another key, and these addresses`)]
      : []),
    '',
    '  Try it:',
    '',
    curl,
    '',
    '',
  ].join('\n');
}

/** The variables under which the CLI finds this gateway: by `--local`, or by its tables where that means another one. */
function adminVariables({ gatewayUrl, portalOrigin, databaseUrl, settings }: BannerFacts): string {
  const { tables, quotaPeriod } = settings;
  const place = isLocalOption(settings)
    ? [
        ['DYNAMODB_PORT', portOf(databaseUrl), DEFAULT_PORTS.dynamodb],
        ['PORT', portOf(gatewayUrl), DEFAULT_PORTS.gateway],
        portalOrigin === undefined
          ? ['PORTAL', 'off', 'on']
          : ['PORTAL_PORT', portOf(portalOrigin), DEFAULT_PORTS.portal],
      ]
    : [
        [ENDPOINT_VARIABLE, databaseUrl],
        [ENVIRONMENT.gatewayTable, tables.gateway],
        [ENVIRONMENT.usageTable, tables.usage],
      ];
  return [...place, [ENVIRONMENT.quotaPeriod, quotaPeriod, 'month']]
    .map(([name, value, usual]) => (value === usual ? '' : `${name}=${value} `))
    .join('');
}

const portOf = (url: string): number => Number(new URL(url).port || '80');
