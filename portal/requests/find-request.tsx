import { useState } from 'react';
import { Link } from 'wouter';
import { useAction } from '../api/use-action.ts';
import type { ProjectIds, RequestFilter } from '../api/usage-queries.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import { Note } from '../components/note.tsx';
import { findByText, type Finding } from './finding.ts';
import type { RequestReference } from './request-details.tsx';
import { pages } from '../routes.ts';
import { codeIn } from '../search/pasted.ts';
import css from './requests-card.module.css';

interface FindRequestProps {
  readonly ids: ProjectIds;
  readonly filter: RequestFilter;
  readonly addressOf: (request: RequestReference) => string;
  /** Lists the requests that the client named so. */
  readonly onList: (clientRequestId: string) => void;
}

/**
 * Finds a request by any of its names, and says in one sentence what became of it: above all, whether it was charged.
 */
export function FindRequest({ ids, filter: { since, until }, addressOf, onList }: FindRequestProps) {
  const [typed, setTyped] = useState('');
  const [finding, setFinding] = useState<Finding>();
  const span = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
  const action = useAction((text: string) => findByText(ids, text, span), setFinding);
  const text = typed.trim();
  const named = finding?.named;
  const code = codeIn(text);
  return (
    <div className={css.bar}>
      <Form
        action={action}
        problems={{ idempotencyKey: text === '' ? 'Give what names the request.' : null }}
        onSubmit={() => action.run(text)}
      >
        <TextField
          label="Was I charged?"
          name="idempotencyKey"
          hint="A request id, an Idempotency-Key or a clientRequestId."
          beside={
            <Button type="submit" isPending={action.isPending}>
              Find
            </Button>
          }
          value={typed}
          onChange={(value) => {
            setTyped(value);
            setFinding(undefined);
          }}
        />
      </Form>
      <div role="status">
        {finding && (
          <Note {...(named !== undefined && { action: <Button onPress={() => onList(named)}>List them</Button> })}>
            {finding.sentence} {finding.event && <Link href={addressOf(finding.event)}>Open it</Link>}{' '}
            {code !== undefined && !finding.event && <Link href={pages.error(code)}>What {code} means</Link>}
          </Note>
        )}
      </div>
    </div>
  );
}
