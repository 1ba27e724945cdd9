import { useState } from 'react';
import { RefreshCw } from 'lucide-react';
import { Link } from 'wouter';
import type { Project } from '../api/queries.ts';
import { Button, IconButton } from '../components/button.tsx';
import { TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import { Select } from '../components/select.tsx';
import { TextArea } from '../components/text-area.tsx';
import type { Ping } from '../keys/ping.ts';
import { pages } from '../routes.ts';
import { Exchange } from './exchange.tsx';
import { KeyField } from './key-field.tsx';
import { newOrder, problemsOf, withNewOrder, withSimulation } from './requests.ts';
import { SimulateField } from './simulate-field.tsx';
import css from './try-it.module.css';
import { useExchange } from './use-exchange.ts';

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
  const { send, last, keyView, error, isPending } = useExchange({ accountId, projectId }, gatewayUrl, draft, setDraft);
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
        <Form action={{ error }} problems={problemsOf(draft)} onSubmit={() => void send(draft)}>
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
          <TextArea label="Body" name="body" value={draft.body} onChange={(body) => setDraft({ ...draft, body })} />
          <Button kind="primary" type="submit" isPending={isPending}>
            Send
            <kbd className={css.keys}>Ctrl Enter</kbd>
          </Button>
        </Form>
      </div>
      <div role="status" className={css.status}>
        {last && <Exchange {...last} onAgain={() => void send(last.ping)} isPending={isPending} />}
      </div>
    </>
  );
}
