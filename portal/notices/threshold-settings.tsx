import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { answer, api } from '../api/client.ts';
import { thresholdsQuery } from '../api/people-queries.ts';
import { useAction } from '../api/use-action.ts';
import { useKept } from '../components/use-kept.ts';
import { useToast } from '../components/announcer.tsx';
import { Card, Facts, Stack } from '../components/card.tsx';
import { TextField } from '../components/fields.tsx';
import { Form, Submit } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import { pages } from '../routes.ts';
import type { AccountPage } from '../session.ts';

interface Thresholds {
  readonly percents: readonly number[];
  readonly days: readonly number[];
}

/** As the portal bounds them. */
const LABELS = { percents: 'Percent of a quota or cap', days: 'Days before an expiry' };
const MOST = { values: 5, percent: 100, days: 30 };

/** When owners are told of quotas and of what expires: by mail and by webhook. */
export function ThresholdSettings({ account: { accountId, role } }: AccountPage) {
  const query = useQuery(thresholdsQuery(accountId));
  return (
    <Card title="Thresholds">
      <Loaded query={query} what="the thresholds">
        {(thresholds) => (
          <Stack>
            <p>
              Owners are told at these shares of a project’s quota and of a key’s cap, up to five minutes after they are
              reached, and these days before a key or a management token expires: by e-mail and by{' '}
              {role === 'owner' ? <Link href={pages.endpoints(accountId)}>webhook</Link> : 'webhook'}.
            </p>
            {role === 'owner' ? (
              <ThresholdForm accountId={accountId} stored={thresholds} />
            ) : (
              <>
                <Facts
                  facts={[
                    [LABELS.percents, typedAs(thresholds.percents) || 'never'],
                    [LABELS.days, typedAs(thresholds.days) || 'never'],
                  ]}
                />
                <p>Only an owner can change that.</p>
              </>
            )}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

const typedAs = (numbers: readonly number[]): string => numbers.join(', ');
const numbersOf = (typed: string): number[] =>
  typed
    .split(/[\s,;]+/)
    .filter((piece) => piece !== '')
    .map(Number);

function problemOf(typed: string, most: number): string | null {
  const numbers = numbersOf(typed);
  const isValid =
    numbers.length <= MOST.values &&
    new Set(numbers).size === numbers.length &&
    numbers.every((one) => Number.isInteger(one) && one >= 1 && one <= most);
  return isValid
    ? null
    : `Give at most ${MOST.values} different whole numbers from 1 to ${most}, such as ${most === MOST.days ? '7, 1' : '80, 100'}.`;
}

function ThresholdForm({ accountId, stored }: { readonly accountId: string; readonly stored: Thresholds }) {
  const client = useQueryClient();
  const tell = useToast();
  // Only what is typed is sent: another owner may have changed the other field.
  const [typed, setTyped] = useKept<Partial<Record<keyof Thresholds, string>>>('thresholds', 'typed', {});
  const shown = { percents: typedAs(stored.percents), days: typedAs(stored.days), ...typed };
  const action = useAction(
    (body: Partial<Record<keyof Thresholds, number[]>>) =>
      answer(api.PATCH('/api/accounts/{accountId}/thresholds', { body, params: { path: { accountId } } })),
    (saved) => {
      client.setQueryData(thresholdsQuery(accountId).queryKey, saved);
      setTyped({});
      tell('Saved.');
    },
  );
  const submit = (): void =>
    action.run({
      ...(typed.percents !== undefined && { percents: numbersOf(typed.percents) }),
      ...(typed.days !== undefined && { days: numbersOf(typed.days) }),
    });
  return (
    <Form
      action={action}
      problems={{ percents: problemOf(shown.percents, MOST.percent), days: problemOf(shown.days, MOST.days) }}
      onSubmit={submit}
    >
      <TextField
        label={LABELS.percents}
        name="percents"
        value={shown.percents}
        onChange={(percents) => setTyped({ ...typed, percents })}
        hint="Up to five numbers from 1 to 100. Empty: never."
      />
      <TextField
        label={LABELS.days}
        name="days"
        value={shown.days}
        onChange={(days) => setTyped({ ...typed, days })}
        hint="Up to five numbers from 1 to 30. Empty: never."
      />
      <Submit kind="primary" isPending={action.isPending}>
        Save
      </Submit>
    </Form>
  );
}
