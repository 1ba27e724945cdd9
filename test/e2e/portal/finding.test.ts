import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { describeInPortal, page, site, visited } from '../../support/portal-browser.ts';
import { ping } from '../../support/portal-site.ts';
import { putUsage } from '../../support/portal-usage.ts';
import { downloaded, type Settled, settleWithKey } from '../../support/portal-visit.ts';
import { until } from '../../support/processes.ts';
import { look } from './look.ts';

const MINUTE_MS = 60_000;

describeInPortal('a request is found', () => {
  /** Puts requests with these names, the newest two minutes old. */
  const putNamed = (settled: Settled, ...names: readonly string[]) =>
    putUsage(
      site,
      settled,
      names.map((clientRequestId, nth) => ({
        occurredAt: new Date(Date.now() - (nth + 2) * MINUTE_MS).toISOString(),
        clientRequestId,
        // Each had an Idempotency-Key of its own.
        idempotencyTag: `5ec0000${nth}`,
      })),
    );
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
  const field = () => page.getByRole('combobox', { name: /Idempotency-Key/ });
  const paste = async (text: string): Promise<void> => {
    await page.evaluate((pasted) => navigator.clipboard.writeText(pasted), text);
    await press('Search or go to');
    await field().press('ControlOrMeta+V');
  };
  const openRequest = (requestId: string): Promise<void> =>
    page.getByRole('dialog', { name: 'Request' }).getByText(requestId).first().waitFor();

  test('by the question whether it was charged: its Idempotency-Key, its id, or a name, also of two, which are listed and in the file', async () => {
    const settled = await settleWithKey(visited);
    const { requestId } = (await (await ping(site, settled.key, { 'Idempotency-Key': 'paid' })).json()) as {
      requestId: string;
    };
    await putNamed(settled, 'order-7', 'order-7', 'order-8');
    await page.goto(`${site.portalUrl}${settled.projectPath}/requests`);
    const list = page.getByRole('table', { name: 'Requests', exact: true });
    const showsRows = (count: number) => until(async () => (await list.getByRole('row').count()) === count + 1);
    await showsRows(4);
    const asked = async (text: string, sentence: string | RegExp) => {
      await page.getByLabel('Was I charged?').fill(text);
      await press('Find');
      await page.getByText(sentence).waitFor();
    };
    await asked('unknown', /Nothing here has this id/);
    await asked('order-8', /One request has this name, of .*: succeeded, 1 unit charged/);
    await asked('paid', /Charged once under this Idempotency-Key.*It was not replayed. A repeat is free until/);
    await asked(requestId, /Your request of .*: succeeded, 1 unit charged/);
    await page.getByRole('link', { name: 'Open it' }).click();
    await openRequest(requestId);
    await page.getByRole('button', { name: 'Close' }).click();

    await asked('order-7', '2 requests have this name: 2 units charged.');
    const verdict = page.getByText('Charged twice: 2 units. They had different Idempotency-Keys');
    await verdict.waitFor();
    const compared = page.getByRole('table', { name: 'The two requests compared' });
    await compared.getByRole('row', { name: 'Idempotency-Key 5ec00001 5ec00000 different' }).waitFor();
    await compared.getByRole('row', { name: 'Body not kept not kept unknown' }).waitFor();
    await page.getByText("-H 'Idempotency-Key: order-7'").waitFor();
    await look(page, 'a double charge');
    await press('List them');
    await showsRows(2);
    expect(await list.getByText('charged twice').count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('client')).toBe('order-7');
    await page.reload();
    await showsRows(2);
    await verdict.waitFor();
    const { name, text } = await downloaded(page, () => press('Export CSV'));
    expect(name).toMatch(new RegExp(`^requests-${settled.projectId}-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
    const lines = text.trim().split('\r\n');
    expect(lines.map((line) => line.includes('order-7'))).toEqual([false, true, true]);
    expect(lines.map((line) => line.split(',').at(-1))).toEqual(['idempotencyTag', '5ec00000', '5ec00001']);
    await page.getByText('Exported 2 requests.').waitFor();
  });

  test('by one paste, from everywhere: the body of an error, a name, or the Idempotency-Key of a lost answer', async () => {
    const settled = await settleWithKey(visited);
    const refusal = await (await ping(site, settled.key, { 'Content-Type': 'text/plain' })).text();
    const { requestId: refused } = JSON.parse(refusal) as { requestId: string };
    const [named] = await putNamed(settled, 'order-1', 'order-2', 'order-2');
    const send = async (idempotencyKey: string) => {
      const answer = await ping(site, settled.key, { 'Idempotency-Key': idempotencyKey });
      return ((await answer.json()) as { requestId: string }).requestId;
    };
    // As both client libraries make it.
    const lostKey = randomUUID();
    const lost = await send(lostKey);
    for (const again of ['other', lostKey, lostKey]) await send(again);

    await page.goto(`${site.portalUrl}/profile`);
    await paste(refusal);
    await page.getByRole('option', { name: refused }).click();
    await openRequest(refused);
    await page.getByRole('button', { name: 'Close' }).click();
    await paste('order-1');
    await page.getByRole('option', { name: /^Succeeded/ }).click();
    await openRequest(named?.requestId ?? '');
    await page.getByRole('button', { name: 'Close' }).click();
    await paste('order-2');
    await page
      .getByRole('option', { name: '2 requests have this name: 2 units charged, different Idempotency-Keys' })
      .waitFor();
    await page.keyboard.press('Escape');
    await paste(lostKey);
    const entry = page.getByRole('option', { name: 'Charged once, replayed twice' });
    await entry.waitFor();
    expect(await page.getByRole('dialog').getByRole('option').count()).toBe(1);
    await look(page, 'a charge in the palette');
    await page.keyboard.press('Enter');
    await openRequest(lost);

    // What is typed asks nobody before Enter.
    await page.getByRole('button', { name: 'Close' }).click();
    const lookups = () => visited.requests.filter((request) => request.url().endsWith('/charges/lookup')).length;
    const before = lookups();
    await press('Search or go to');
    await field().pressSequentially(lostKey);
    await page.getByText('Press Enter to look for a request of this name.').waitFor();
    expect(lookups()).toBe(before);
    await page.keyboard.press('Enter');
    await entry.waitFor();
    await field().fill('zebra-7');
    await page.keyboard.press('Enter');
    await page.getByText(/none of the newest requests/).waitFor();
    expect(visited.requests.filter((request) => request.url().includes(lostKey))).toEqual([]);
    // The id of a 401 with an unknown key, without its body.
    await field().fill('01a226fb-dafe-7031-ae44-829c7a552634');
    await page.keyboard.press('Enter');
    await page.getByText('None of your requests has this id.').waitFor();
    await page.getByRole('option', { name: 'Requests that are in no list' }).waitFor();
    // The browser's own line of the 404.
    expect((visited.complaints as string[]).splice(0)).toHaveLength(1);
  });
});
