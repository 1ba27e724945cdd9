import { CodeBlock } from '../components/code-block.tsx';
import { CodeTabs } from '../components/code-tabs.tsx';
import { CONTRACT } from '../gateway/contract.ts';
import { HappenNow } from '../try-it/happen-now.tsx';
import { pythonSimulation, typescriptSimulation, UNKNOWN_GATEWAY } from './samples.ts';

interface MakeThisHappenProps {
  readonly code: string;
  readonly gatewayUrl: string;
}

/** How to cause an error, in each language. Only this file knows the languages. */
const linesFor = (code: string, gatewayUrl: string) => {
  const curl = CONTRACT.makeThisHappen[code] ?? '';
  const inCurl = {
    name: 'curl',
    text: curl.replaceAll(UNKNOWN_GATEWAY, gatewayUrl),
    what: `the curl command for ${code}`,
  };
  // The client libraries cannot send the requests that cause the other errors.
  if (!curl.includes('simulate')) return [inCurl];
  return [
    inCurl,
    { name: 'TypeScript', text: typescriptSimulation(code), what: `the TypeScript line for ${code}` },
    { name: 'Python', text: pythonSimulation(code), what: `the Python line for ${code}` },
  ];
};

/** How to cause an error, as code to copy. */
export function MakeThisHappen({ code, gatewayUrl }: MakeThisHappenProps) {
  const languages = linesFor(code, gatewayUrl);
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
