import { Muted, Row } from '../components/card.tsx';
import { useNow } from '../components/use-now.ts';
import { formatSpan } from '../text/format.ts';
import { isolated } from '../text/names.ts';
import type { HourKeyView } from './hour-key.ts';
import css from './try-it.module.css';

interface KeyFieldProps {
  /** Undefined: none is made yet. */
  readonly of: HourKeyView | undefined;
  readonly projectName: string;
}

/** The key in use: its attributes, and when it ends. The page makes it, so nobody enters it. */
export function KeyField({ of: key, projectName }: KeyFieldProps) {
  const leftMs = (key?.endsAtMs ?? 0) - useNow();
  const where = `in ${isolated(projectName)}`;
  return (
    <div>
      <Row>
        <b>Key</b>
        {key && (
          <code className={css.tag} translate="no">
            svc_test_…{key.lastFour}
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
