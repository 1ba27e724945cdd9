import { allChecks } from './checks/all.ts';
import { httpClient } from './http-client.ts';
import type { SmokeKeys } from './keys.ts';
import { smokeReport, type SmokeReport } from './report.ts';
import { runChecks } from './runner.ts';
import { startSession } from './session.ts';

/** What to check, and with what. */
export interface SmokeTarget extends SmokeKeys {
  readonly baseUrl: string;
  /** A browser origin that must be allowed. */
  readonly origin: string | undefined;
}

/** Makes every check. Throws an error of one line when nobody answers. */
export async function runSmoke({ baseUrl, origin, ...keys }: SmokeTarget): Promise<SmokeReport> {
  const session = startSession(httpClient(baseUrl), keys);
  const results = await runChecks(allChecks({ origin, exhausted: keys.exhaustedKey !== undefined }), session);
  return smokeReport(baseUrl, results, session.exchanges);
}
