import { CodeBlock } from '../components/code-block.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { CONTRACT } from '../gateway/contract.ts';
import { HappenNow } from '../try-it/happen-now.tsx';
import { linesFor, UNKNOWN_GATEWAY } from './samples.ts';

interface MakeThisHappenProps {
  readonly code: string;
  readonly gatewayUrl: string;
}

/** How to cause an error, as code to copy. */
export function MakeThisHappen({ code, gatewayUrl }: MakeThisHappenProps) {
  const languages = linesFor(code, (CONTRACT.makeThisHappen[code] ?? '').replaceAll(UNKNOWN_GATEWAY, gatewayUrl));
  const [only] = languages;
  const isSimulated = CONTRACT.simulations.includes(code);
  return (
    <>
      <p>
        <b>Make this happen:</b>
      </p>
      {languages.length === 1 && only ? (
        <CodeBlock text={only.text} what={only.what} gatewayUrl={gatewayUrl} />
      ) : (
        <CodeTabs languages={languages} about={code} gatewayUrl={gatewayUrl} />
      )}
      {isSimulated && <HappenNow code={code} />}
    </>
  );
}
