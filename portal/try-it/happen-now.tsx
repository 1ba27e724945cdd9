import { use, useState } from 'react';
import { Play } from 'lucide-react';
import { Button } from '../components/button.tsx';
import { Muted, Row } from '../components/card.tsx';
import { Outcome } from './outcome.tsx';
import { SimulateContext, type Told } from './simulating.tsx';
import css from './try-it.module.css';

/** Causes an error from the page, by the console beside it. Nothing where there is no console. */
export function HappenNow({ code }: { readonly code: string }) {
  const simulate = use(SimulateContext);
  const [isPending, setPending] = useState(false);
  const [told, setTold] = useState<Told>();
  if (!simulate) return null;
  const happen = async (): Promise<void> => {
    setPending(true);
    const result = await simulate(code);
    setPending(false);
    if (result) setTold(result);
  };
  return (
    <Row>
      <Button icon={Play} isPending={isPending} onPress={() => void happen()} aria-label={`Make this happen: ${code}`}>
        Make this happen
      </Button>
      <Muted>Sends a ping with the key of this page. It costs nothing.</Muted>
      <div role="status">
        {told && (
          <Row>
            {told.status !== undefined && <span className={css.tag}>{told.status}</span>}
            <Outcome of={told} />
            {told.address !== undefined && (
              <a href={told.address} target="_blank" rel="noreferrer">
                This request in Usage
              </a>
            )}
          </Row>
        )}
      </div>
    </Row>
  );
}
