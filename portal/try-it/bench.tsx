import { useState, use, useEffect, useRef } from 'react';
import { RefreshCw } from 'lucide-react';
import { Link } from 'wouter';
import { type Project, handleRefusal, refreshAccounts, type ProjectIds } from '../api/queries.ts';
import { Button, IconButton } from '../components/button.tsx';
import { TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import { Select } from '../components/select.tsx';
import type { Ping } from '../keys/ping.ts';
import { pages } from '../routes.ts';
import { Exchange, type ExchangeProps } from './exchange.tsx';
import {
  newOrder,
  problemsOf,
  withNewOrder,
  withSimulation,
  isObject,
  simulationIn,
  send,
  resultOf,
} from './requests.ts';
import css from './try-it.module.css';
import sharedCss from '../styles/shared.module.css';
import { Muted, Row } from '../components/card.tsx';
import { useNow } from '../components/use-now.ts';
import { formatSpan } from '../text/format.ts';
import { isolated } from '../text/names.ts';
import { type HourKeyView, hourKeys } from './hour-key.ts';
import { CONTRACT } from '../gateway/contract.ts';
import { useQueryClient } from '@tanstack/react-query';
import { noAnswer, PortalError } from '../api/problem.ts';
import { ProvideContext, type PingResult } from './simulating.tsx';

interface BenchProps {
  readonly accountId: string;
  /** At least one. */
  readonly projects: readonly Project[];
  readonly gatewayUrl: string;
  /** The next request. */
  readonly draft: Ping;
  readonly setDraft: (draft: Ping) => void;
}

/** The project with the newest request. */
const usedLast = (projects: readonly Project[]): Project | undefined =>
  projects.toSorted((one, other) => (other.lastRequest ?? '').localeCompare(one.lastRequest ?? ''))[0];

/** The form of a request, and the result of the last one. */
export function Bench({ accountId, projects, gatewayUrl, draft, setDraft }: BenchProps) {
  const [chosen, setChosen] = useState<string>();
  const project = projects.find(({ projectId }) => projectId === chosen) ?? usedLast(projects);
  // Later requests elsewhere do not change the choice.
  if (project && project.projectId !== chosen) setChosen(project.projectId);
  const projectId = project?.projectId ?? '';
  const { sendOnce, last, keyView, error, isPending } = useExchange(
    { accountId, projectId },
    gatewayUrl,
    draft,
    setDraft,
  );
  return (
    <>
      {projects.length > 1 && (
        <Select
          label="Project"
          value={projectId}
          onChange={setChosen}
          options={projects.map((own) => [own.projectId, own.name])}
        />
      )}
      <div
        className={css.form}
        onKeyDown={({ key, ctrlKey, metaKey, target, currentTarget }) => {
          const isSend = key === 'Enter' && (ctrlKey || metaKey) && target instanceof HTMLTextAreaElement;
          if (isSend) currentTarget.querySelector('form')?.requestSubmit();
        }}
      >
        <Form action={{ error }} problems={problemsOf(draft)} onSubmit={() => void sendOnce(draft)}>
          {error?.code === 'LIMIT_REACHED' && (
            <p>
              Revoke <Link href={pages.keys(accountId, projectId)}>a key of the project</Link> that nobody uses.
            </p>
          )}
          <KeyField of={keyView} projectName={project?.name ?? ''} />
          <TextField
            label="Idempotency-Key"
            name="idempotencyKey"
            value={draft.idempotencyKey}
            onChange={(idempotencyKey) => setDraft({ ...draft, idempotencyKey })}
            beside={
              <IconButton
                icon={RefreshCw}
                aria-label="Another Idempotency-Key"
                onPress={() => setDraft({ ...draft, idempotencyKey: newOrder() })}
              />
            }
          />
          <SimulateField
            body={draft.body}
            // Under the same key another body would be a conflict.
            onChange={(value) => setDraft(withNewOrder({ ...draft, body: withSimulation(draft.body, value) }))}
          />
          <TextField
            label="Body"
            name="body"
            value={draft.body}
            onChange={(body) => setDraft({ ...draft, body })}
            isLines
          />
          <Button kind="primary" type="submit" isPending={isPending}>
            Send
            <kbd className={css.keys}>Ctrl Enter</kbd>
          </Button>
        </Form>
      </div>
      <div role="status" className={css.status}>
        {last && <Exchange {...last} onAgain={() => void sendOnce(last.ping)} isPending={isPending} />}
      </div>
    </>
  );
}

interface KeyFieldProps {
  /** Undefined: none is made yet. */
  readonly of: HourKeyView | undefined;
  readonly projectName: string;
}

/** The key in use: its attributes, and when it ends. The page makes it, so nobody enters it. */
function KeyField({ of: key, projectName }: KeyFieldProps) {
  const leftMs = (key?.endsAtMs ?? 0) - useNow();
  const where = `in ${isolated(projectName)}`;
  return (
    <div>
      <Row>
        <b>Key</b>
        {key && (
          <code className={sharedCss.tag} translate="no">
            {key.shown}
          </code>
        )}
      </Row>
      <Muted>
        {!key && `Made when you send, ${where}, for an hour. It ends when you leave. You never enter one of your own.`}
        {key && leftMs > 0 && `Made for this page, ${where}. It ends in ${formatSpan(leftMs)}, or when you leave.`}
        {key && leftMs <= 0 && 'Its hour is over. The next request makes another one.'}
      </Muted>
    </div>
  );
}

interface SimulateFieldProps {
  readonly body: string;
  readonly onChange: (value: string) => void;
}

/** The choice of `simulate`. It is a member of the body, and is written there. */
function SimulateField({ body, onChange }: SimulateFieldProps) {
  const value = simulationIn(body);
  const isOther = value !== '' && !CONTRACT.simulations.includes(value);
  return (
    <Select
      label="simulate"
      value={value}
      onChange={onChange}
      isDisabled={!isObject(body)}
      options={[
        ['', 'Nothing: the real answer'],
        ...[...CONTRACT.simulations, ...(isOther ? [value] : [])].map((code) => [code, code] as const),
      ]}
    />
  );
}

/**
 * The key of the page, which is made when it is first needed. Only this hook has it, and ends it with the page or when
 * another project is chosen.
 */
function useHourKey(projectId: string) {
  const client = useQueryClient();
  const [view, setView] = useState<HourKeyView>();
  const [keys] = useState(() => hourKeys(setView));
  useEffect(() => {
    const end = (): void => void keys.end();
    addEventListener('pagehide', end);
    return () => removeEventListener('pagehide', end);
  }, [keys]);
  // Lists of keys then show its end.
  useEffect(() => () => void keys.end().then(() => refreshAccounts(client)), [keys, client, projectId]);
  return { keys, view: view?.projectId === projectId ? view : undefined };
}

type Last = Omit<ExchangeProps, 'onAgain' | 'isPending'>;

/** Sends the requests of the page, and has the result of the last one. */
function useExchange(ids: ProjectIds, gatewayUrl: string, draft: Ping, setDraft: (draft: Ping) => void) {
  const client = useQueryClient();
  const { keys, view } = useHourKey(ids.projectId);
  const [last, setLast] = useState<Last>();
  const [error, setError] = useState<PortalError>();
  const [isPending, setPending] = useState(false);
  const isSending = useRef(false);

  const attempt = async (ping: Ping): Promise<PingResult | undefined> => {
    try {
      const made = await keys.keyFor(ids);
      setError(undefined);
      if (!made) return undefined;
      const answer = await send(gatewayUrl, made.key, ping);
      const result = resultOf(answer, ping, ids);
      // Somebody has ended the key. The next request makes another.
      if (result.status === 401 && result.outcome !== 'simulated') keys.forget();
      setLast({ ping, answer, result, gatewayUrl, shownKey: made.shown });
      return result;
    } catch (failure) {
      const known = failure instanceof PortalError ? failure : noAnswer();
      setError(known);
      handleRefusal(client, known);
      return { words: known.message };
    }
  };

  const sendOnce = async (ping: Ping): Promise<PingResult | undefined> => {
    if (isSending.current) return undefined;
    isSending.current = true;
    setPending(true);
    try {
      return await attempt(ping);
    } finally {
      isSending.current = false;
      setPending(false);
    }
  };

  useProvided((code) => {
    if (isSending.current) return Promise.resolve(undefined);
    const ping = { body: withSimulation(draft.body, code), idempotencyKey: newOrder() };
    setDraft(ping);
    return sendOnce(ping);
  });

  return { sendOnce, last, keyView: view, error, isPending };
}

/** Passes the console's function to the pages beside it, as long as it exists. */
function useProvided(simulate: (code: string) => Promise<PingResult | undefined>): void {
  const provide = use(ProvideContext);
  const latest = useRef(simulate);
  useEffect(() => {
    latest.current = simulate;
  });
  useEffect(() => {
    provide((code) => latest.current(code));
    return () => provide(undefined);
  }, [provide]);
}
