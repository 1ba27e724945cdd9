import { use, useState } from 'react';
import { Play } from 'lucide-react';
import { Button } from '../components/button.tsx';
import { Muted, Row } from '../components/card.tsx';
import { Charge } from './charge.tsx';
import { SimulateContext, type PingResult } from './simulating.tsx';
import sharedCss from '../styles/shared.module.css';

/** Causes an error from the page, by the console beside it. Nothing where there is no console. */
export function HappenNow({ code }: { readonly code: string }) {
  const simulate = use(SimulateContext);
  const [isPending, setPending] = useState(false);
  const [result, setResult] = useState<PingResult>();
  if (!simulate) return null;
  const happen = async (): Promise<void> => {
    setPending(true);
    const latest = await simulate(code);
    setPending(false);
    if (latest) setResult(latest);
  };
  return (
    <Row>
      <Button icon={Play} isPending={isPending} onPress={() => void happen()} aria-label={`Send it now: ${code}`}>
        Send it now
      </Button>
      <Muted>Sends a ping with the key of this page. It costs nothing.</Muted>
      <div role="status">
        {result && (
          <Row>
            {result.status !== undefined && <span className={sharedCss.tag}>{result.status}</span>}
            <Charge of={result} />
            {result.address !== undefined && (
              <a href={result.address} target="_blank" rel="noreferrer">
                This request in Usage
              </a>
            )}
          </Row>
        )}
      </div>
    </Row>
  );
}
