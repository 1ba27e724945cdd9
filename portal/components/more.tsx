import type { Action } from '../api/use-action.ts';
import { Button } from './button.tsx';
import { Row } from './card.tsx';
import { Failure } from './form.tsx';

interface MoreProps {
  readonly action: Action<string>;
  /** The position of the next page; null: there is none. */
  readonly cursor: string | null;
  /** The name of the entries, on the button. */
  readonly children: string;
}

/** The button that shows the next page of a list. */
export const More = ({ action, cursor, children }: MoreProps) => (
  <>
    <Failure error={action.error} />
    {cursor !== null && (
      <Row>
        <Button isPending={action.isPending} onPress={() => action.run(cursor)}>
          {children}
        </Button>
      </Row>
    )}
  </>
);
