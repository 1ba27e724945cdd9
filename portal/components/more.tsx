import type { Action } from '../api/use-action.ts';
import { Button } from './button.tsx';
import { Row } from './card.tsx';
import { Failure } from './form.tsx';

interface MoreProps {
  readonly action: Action<string>;
  /** Where it goes on; null: that is all. */
  readonly cursor: string | null;
  /** What there is more of, on the button. */
  readonly children: string;
}

/** The way to more of a list, page by page. */
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
