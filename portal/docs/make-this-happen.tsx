import { CodeBlock } from '../components/code-block.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { CONTRACT } from '../gateway/contract.ts';
import { UNKNOWN_GATEWAY } from './samples.ts';

interface MakeThisHappenProps {
  readonly code: string;
  readonly gatewayUrl: string;
}

/** How to meet an error, in each language. This is the one place that knows them. */
const linesFor = (code: string, gatewayUrl: string) => [
  {
    name: 'curl',
    text: (CONTRACT.makeThisHappen[code] ?? '').replaceAll(UNKNOWN_GATEWAY, gatewayUrl),
    what: 'the curl command',
  },
];

/** How to meet an error, to copy. */
export function MakeThisHappen({ code, gatewayUrl }: MakeThisHappenProps) {
  const languages = linesFor(code, gatewayUrl);
  const [only] = languages;
  return (
    <>
      <p>
        <b>Make this happen:</b>
      </p>
      {languages.length === 1 && only ? (
        <CodeBlock text={only.text} what={only.what} gatewayUrl={gatewayUrl} />
      ) : (
        <CodeTabs languages={languages} gatewayUrl={gatewayUrl} />
      )}
    </>
  );
}
